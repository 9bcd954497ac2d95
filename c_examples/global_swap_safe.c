/* Pointers to known objects disappear by inlining.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int a, b;

void swap(int *p, int *q) {
    int t = *p;
    *p = *q;
    *q = t;
}

int main(void) {
    a = __VERIFIER_nondet_int();
    b = __VERIFIER_nondet_int();
    int x = a, y = b;
    swap(&a, &b);
    if (a != y || b != x)
        reach_error();
    return 0;
}
