/* A function without body returns anything.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

extern int sensor(void);

int main(void) {
    if (sensor() == 12345)
        reach_error();
    return 0;
}
