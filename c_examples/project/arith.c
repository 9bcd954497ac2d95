#include "ring.h"

/*@ requires index < 2 * SLOTS;
    assigns \nothing;
    ensures \result < SLOTS;
    ensures \result == index || \result == index - SLOTS; */
unsigned wrapped(unsigned index) {
  return index < SLOTS ? index : index - SLOTS;
}

/*@ requires low <= high;
    assigns \nothing;
    ensures low <= \result <= high;
    ensures low <= value <= high ==> \result == value; */
int clamp(int value, int low, int high) {
  if (value < low)
    return low;
  return value > high ? high : value;
}
