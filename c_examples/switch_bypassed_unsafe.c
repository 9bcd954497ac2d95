/* A switch jumps over an initialisation: the variable has an arbitrary value.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    switch (__VERIFIER_nondet_int()) {
        int hidden = 5;
    case 1:
        if (hidden == 77)
            reach_error();
    }
    return 0;
}
