// CUDA kernels of visit_edges. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES, NO_OUTPUT. NO_LOOKUP, if the
// functor reads neither the edge nor the weight.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#include "frontier/cuda/tile.cuh"

#ifdef NO_LOOKUP
#define SLOT_OF(u, v) i64(-1)
#else
#define SLOT_OF(u, v) view.find(u, v)
#endif

#ifdef NO_OUTPUT

extern "C" __device__ void op(VID src, VID dst, i64 edge, Weight weight ARG_PARAMS);

extern "C" __global__ void visit_only(
    i64 count, i64 num_vertices, View view, const VID* src, const VID* dst ARG_PARAMS) {
  GRID_STRIDE(i, count) {
    VID u = src[i], v = dst[i];
    if (u < 0 || u >= num_vertices || v < 0 || v >= num_vertices) continue;
    i64 slot = SLOT_OF(u, v);
    op(u, v, edge_of(view, slot), slot < 0 ? Weight(1) : weight_of(view, slot) ARG_NAMES);
  }
}

#else

extern "C" __device__ int op(VID src, VID dst, i64 edge, Weight weight ARG_PARAMS);

// The functor, for each listed arc. counters: [0] vertices in the output, [1] arcs that leave them, [2] ids out of
// range. With `latest`, the epoch is `epoch` below the number there.
extern "C" __global__ void visit(
    i64 count, i64 num_vertices, View view, const VID* src, const VID* dst, int* stamps, int epoch, VID* out,
    u64* counters, const int* latest ARG_PARAMS) {
  if (latest) epoch = *latest - epoch;
  int lane = threadIdx.x & 31;
  i64 rounded = (count + 31) / 32 * 32;  // whole warps stay together
  GRID_STRIDE(i, rounded) {
    VID u = i < count ? src[i] : VID(-1), v = -1;
    bool joins = false;
    if (u >= 0) {
      v = dst[i];
      if (u < num_vertices && v >= 0 && v < num_vertices) {
        i64 slot = SLOT_OF(u, v);
        joins = op(u, v, edge_of(view, slot), slot < 0 ? Weight(1) : weight_of(view, slot) ARG_NAMES) && atomicExch(stamps + v, epoch) != epoch;
      } else {
        atomicAdd(counters + 2, 1ull);
      }
    }
    u32 joined = __ballot_sync(0xffffffffu, joins);
    if (!joined) continue;
    u64 start = 0, arcs = Tile<32>().reduce(joins ? u64(view.degree(v)) : 0ull, Sum());
    if (lane == 0) {
      start = atomicAdd(counters, u64(__popc(joined)));
      atomicAdd(counters + 1, arcs);
    }
    start = __shfl_sync(0xffffffffu, start, 0);
    if (joins) out[start + __popc(joined & ((1u << lane) - 1))] = v;
  }
}

#endif
