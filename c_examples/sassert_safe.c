/* SeaHorn's own header.
 * expected: safe */
#include <seahorn/seahorn.h>

int main(void) {
    int x = nd_int();
    assume(x > 0 && x < 50);
    int y = x;
    while (y < 50)
        y++;
    sassert(y == 50);
    return 0;
}
