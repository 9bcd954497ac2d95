/* A lock is held exactly between request and release.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int held = 0, requests = 0, releases = 0;
    while (releases < 1000000) {
        if (!held) {
            held = 1;
            requests++;
        } else {
            held = 0;
            releases++;
        }
        if (requests - releases != held)
            reach_error();
    }
    return 0;
}
