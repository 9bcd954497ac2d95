/* The functions of SeaHorn, in terms of this verifier's events. */
#ifndef SEAHORN_SEAHORN_H
#define SEAHORN_SEAHORN_H

#include <sea.h>

#ifdef __cplusplus
extern "C" {
#endif

extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int condition);

#ifdef __cplusplus
}
#endif
#endif
