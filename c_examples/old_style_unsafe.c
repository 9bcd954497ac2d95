/* K&R definitions, implicit int, undeclared functions.
 * expected: unsafe */
add(a, b)
    int a, b;
{
    return a + b;
}

main() {
    int x = __VERIFIER_nondet_int();
    if (add(x, 1) == 10)
        reach_error();
    return 0;
}
