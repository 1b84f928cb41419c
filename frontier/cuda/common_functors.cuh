// The functors of intersect and visit_common. Macros: VID, ARG_PARAMS. HAS_OP, with NUMBERED if it receives the number
// of the pair, and PER_PAIR if its results are summed up for a second functor.
#pragma once
#include "frontier/cuda/types.cuh"

#ifdef NUMBERED
#define NUMBER_PARAM i64 i,
#define NUMBER i,
#else
#define NUMBER_PARAM
#define NUMBER
#endif

#ifdef PER_PAIR
extern "C" __device__ i64 op(NUMBER_PARAM VID u, VID v, VID w, i64 edge_uw, i64 edge_vw ARG_PARAMS);
extern "C" __device__ void per_pair(VID u, VID v, i64 total ARG_PARAMS);
#elif defined(HAS_OP)
extern "C" __device__ void op(NUMBER_PARAM VID u, VID v, VID w, i64 edge_uw, i64 edge_vw ARG_PARAMS);
#endif
