/* A switch with shared cases, a fall-through and a default.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y;
    switch (x) {
    case 0:
    case 1:
        y = 10;
        break;
    case 7:
        y = 20; /* falls through */
    case 8:
        y = 30;
        break;
    default:
        y = 40;
    }
    if (y == 20 || (x == 7 && y != 30))
        reach_error();
    return 0;
}
