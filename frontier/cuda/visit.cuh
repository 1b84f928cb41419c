// The visit of each edge by a push, and the output of a push. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES,
// HAS_CONDITION, HAS_PREPARE, TILE_SIZE, BALANCE. EDGE_OUTPUT, to return arcs, REPEATS, to return vertices as often as
// they are reached, or NO_OUTPUT.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#include "frontier/cuda/output.cuh"
#include "frontier/cuda/functor.cuh"

extern "C" __device__ int op(VID src, VID dst, i64 edge, Weight weight ARG_PARAMS);

// Called once for each vertex of a frontier, before its edges.
#ifdef HAS_PREPARE
extern "C" __device__ void prepare(VID src ARG_PARAMS);
#define PREPARE(u) prepare(u ARG_NAMES)
#else
#define PREPARE(u) (void)0
#endif

// The output of a push. counters: see output.cuh. outcome: the host memory in which it receives them, or null.
#ifdef EDGE_OUTPUT
#define PUSH_LIST ArcList
#define OUT_PARAMS VID* out, i64* out_slots, u64* counters, volatile u64* outcome
#define OUT_LIST ArcList{out, out_slots}
#define JOIN(u, v, slot) output.append(view, {slot, u})
#else
#define PUSH_LIST VertexList
#define OUT_PARAMS int* stamps, int epoch, VID* out, u64* counters, volatile u64* outcome
#define OUT_LIST VertexList{out}
#if defined(NO_OUTPUT)
#define JOIN(u, v, slot) (void)0
#elif defined(REPEATS)
#define JOIN(u, v, slot) output.append(view, v)
#else
#define JOIN(u, v, slot) if (atomicExch(stamps + v, epoch) != epoch) output.append(view, v)
#endif
#endif

#define PUSH_BODY                                                                                              \
  auto body = [&](i64, VID u, VID v, i64 slot, bool valid) {                                                   \
    if (valid && ALLOWED(v) && op(u, v, edge_of(view, slot), weight_of(view, slot) ARG_NAMES)) {               \
      JOIN(u, v, slot);                                                                                        \
    }                                                                                                          \
  }
