/* A server that takes a request and serves it, unless it is asked to wait. */
extern int __VERIFIER_nondet_int(void);

int request, served;

int main(void) {
  request = 1;
  while (!served) {
#ifdef REPAIRED
    int patience = 3;
    while (__VERIFIER_nondet_int() && patience > 0) {
      patience--;
    }
#else
    if (__VERIFIER_nondet_int()) {
      continue;
    }
#endif
    served = 1;
  }
  while (1) {
  }
}
