/* main has at least one argument.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(int argc, char **argv) {
    if (argc < 1)
        reach_error();
    return 0;
}
