/* Rows of a matrix, filled one after the other.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define ROWS 1000
#define COLUMNS 10
static int m[ROWS][COLUMNS];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= ROWS);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < COLUMNS; j++)
            m[i][j] = 3;
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
    int y = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= y && y < COLUMNS);
#ifdef BUG
    if (m[z][y] != 3 || (z == 1 && y == 2))
#else
    if (m[z][y] != 3)
#endif
        reach_error();
    return 0;
}
