/* Fields of an array of structures.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static struct { int x, y; } p[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < n; i++) {
        p[i].x = i;
        p[i].y = -i;
    }
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
#ifdef BUG
    if (p[z].x + p[z].y != 0 || p[z].x == 4)
#else
    if (p[z].x + p[z].y != 0)
#endif
        reach_error();
    return 0;
}
