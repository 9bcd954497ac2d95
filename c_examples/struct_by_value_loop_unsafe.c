/* A struct carried through a loop by value.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

struct pair {
    int x;
    int y;
};

struct pair next(struct pair p) {
    p.x++;
    p.y += p.x;
    return p;
}

int main(void) {
    struct pair p = {0, 0};
    for (int i = 0; i < 4; i++)
        p = next(p);
    if (p.x == 4 && p.y == 10)
        reach_error();
    return 0;
}
