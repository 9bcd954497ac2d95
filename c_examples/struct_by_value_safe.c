/* Structs as arguments and results, packed or not by the data model.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

struct pair {
    int x;
    int y;
};

struct pair make(int x, int y) {
    struct pair p = {x, y};
    return p;
}

struct pair flip(struct pair p) { return make(p.y, p.x); }

int main(void) {
    int x = __VERIFIER_nondet_int();
    struct pair p = flip(make(x, 3));
    if (p.x != 3 || p.y != x)
        reach_error();
    return 0;
}
