// CUDA kernel of filter. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES, OF_EDGES.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/members.cuh"
#include "frontier/cuda/tile.cuh"

extern "C" __device__ int op(MEMBER ARG_PARAMS);

// The output for member i, and the arcs that leave it: a vertex, or the position of an arc in the frontier.
#ifdef OF_EDGES
#define FILTER_PARAMS MEMBERS_PARAMS, i64* out
#define KEPT(i) (i)
#define ARCS(i) 0ull
#else
#define FILTER_PARAMS View view, MEMBERS_PARAMS, VID* out
#define KEPT(i) MEMBER_VALUES(i)
#define ARCS(i) u64(view.degree(MEMBER_VALUES(i)))
#endif

// The members of a frontier for which the functor is true. counters: [0] their number, [1] arcs that leave them.
extern "C" __global__ void keep(i64 count, FILTER_PARAMS, u64* counters ARG_PARAMS) {
  TAKE_MEMBERS();
  int lane = threadIdx.x & 31;
  i64 rounded = (count + 31) / 32 * 32;  // whole warps stay together
  GRID_STRIDE(i, rounded) {
    u32 kept = __ballot_sync(0xffffffffu, i < count && CALL_OP(i));
    if (!kept) continue;
    u64 start = 0, arcs = Tile<32>().reduce(kept >> lane & 1 ? ARCS(i) : 0ull, Sum());
    if (lane == 0) {
      start = atomicAdd(counters, u64(__popc(kept)));
      if (arcs) atomicAdd(counters + 1, arcs);
    }
    start = __shfl_sync(0xffffffffu, start, 0);
    if (kept >> lane & 1) out[start + __popc(kept & ((1u << lane) - 1))] = KEPT(i);
  }
}
