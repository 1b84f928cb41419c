// How kernels call users' functors, which are compiled from Python and linked in.
// Macros: ARG_PARAMS (", int* a0, long long a1"), ARG_NAMES (", a0, a1").
#pragma once

#ifdef ARG_PARAMS
#ifdef HAS_CONDITION
extern "C" __device__ int condition(VID v ARG_PARAMS);
#define ALLOWED(v) condition(v ARG_NAMES)
#else
#define ALLOWED(v) true
#endif
#endif
