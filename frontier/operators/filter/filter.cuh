// CUDA kernel of filter. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/tile.cuh"

extern "C" __device__ int op(VID v ARG_PARAMS);

// The vertices of a list for which the functor is true. counters: [0] their number, [1] arcs that leave them.
extern "C" __global__ void keep(i64 count, View view, const VID* vertices, VID* out, u64* counters ARG_PARAMS) {
  int lane = threadIdx.x & 31;
  i64 rounded = (count + 31) / 32 * 32;  // whole warps stay together
  GRID_STRIDE(i, rounded) {
    VID v = i < count ? vertices[i] : VID(-1);
    u32 kept = __ballot_sync(0xffffffffu, i < count && op(v ARG_NAMES));
    if (!kept) continue;
    u64 start = 0, arcs = Tile<32>().reduce(kept >> lane & 1 ? u64(view.degree(v)) : 0ull, Sum());
    if (lane == 0) {
      start = atomicAdd(counters, u64(__popc(kept)));
      atomicAdd(counters + 1, arcs);
    }
    start = __shfl_sync(0xffffffffu, start, 0);
    if (kept >> lane & 1) out[start + __popc(kept & ((1u << lane) - 1))] = v;
  }
}
