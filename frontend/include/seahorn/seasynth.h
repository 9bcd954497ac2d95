/* Synthesis directives of SeaHorn; without a synthesiser a hole is an arbitrary value. */
#ifndef SEAHORN_SEASYNTH_H
#define SEAHORN_SEASYNTH_H

#include <seahorn/seahorn.h>

#define PARTIAL_FN
#define synth_assert(condition) sassert(condition)
#define synth_assume(condition) assume(condition)

#endif
