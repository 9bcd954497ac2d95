/* A constructor runs before main.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static int ready;

__attribute__((constructor)) static void setup(void) { ready = 1; }

int main(void) {
    if (!ready)
        reach_error();
    return 0;
}
