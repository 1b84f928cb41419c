// CUDA kernels of visit_common. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES, and the macros of the
// functors.
#pragma once
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#include "frontier/cuda/common_functors.cuh"

#define CHUNK 256  // listed neighbors that a warp processes at a time

// Counts the listed neighbors of each pair: none if its row is negative.
extern "C" __global__ void count_listed(i64 count, const i64* rows, const i64* offsets, i64* lengths) {
  GRID_STRIDE(i, count) lengths[i] = rows[i] < 0 ? 0 : offsets[rows[i] + 1] - offsets[rows[i]];
}

// The listed neighbors of all pairs are one sequence, which warps process in pieces of equal size: long lists are
// shared, and short ones do not leave threads idle. `ends`: the sums of the lengths up to each pair.
extern "C" __global__ void visit_common(
    i64 count, View view, const VID* known, const VID* listed, const u8* swapped, const i64* rows, const i64* offsets,
    const VID* neighbors, i64 first_edge, const i64* ends, u64* counts ARG_PARAMS) {
  i64 total = ends[count - 1], warps = i64(gridDim.x) * (blockDim.x >> 5);
  int lane = threadIdx.x & 31;
  for (i64 begin = ((i64(blockIdx.x) * blockDim.x + threadIdx.x) >> 5) * CHUNK; begin < total; begin += warps * CHUNK) {
    i64 end = begin + CHUNK < total ? begin + CHUNK : total;
    i64 low = first_place<true>(ends, count, begin), high = low + first_place<true>(ends + low, count - low, end - 1);
    for (i64 j = begin + lane; j - lane < end; j += 32) {
      i64 pair = -1;
      u64 found = 0;  // common neighbors, or what op has returned
      if (j < end) {
        pair = low + first_place<true>(ends + low, high - low, j);
        VID u = known[pair];
        i64 k = offsets[rows[pair]] + j - (pair ? ends[pair - 1] : 0);
        VID w = neighbors[k];
        i64 slot = w == u ? i64(-1) : i64(view.find(u, w));
        if (slot >= 0) {
#ifdef HAS_OP
          i64 i = pair;  // for functors that receive it
          VID v = listed[pair];
          i64 edge = edge_of(view, slot);
#ifdef PER_PAIR
          found =
#endif
              swapped[pair] ? op(NUMBER u, v, w, edge, first_edge + k ARG_NAMES)
                            : op(NUMBER v, u, w, first_edge + k, edge ARG_NAMES);
          (void)i;
#else
          found = 1;
#endif
        }
      }
#if defined(PER_PAIR) || !defined(HAS_OP)
      // The sum over the lanes of each pair, which are neighbors: the last of them has it.
#pragma unroll
      for (int by = 1; by < 32; by *= 2) {
        u64 before = __shfl_up_sync(0xffffffffu, found, by);
        i64 theirs = __shfl_up_sync(0xffffffffu, pair, by);
        if (lane >= by && theirs == pair) found += before;
      }
      i64 next = __shfl_down_sync(0xffffffffu, pair, 1);
      if (pair < 0 || !found || (lane < 31 && next == pair)) continue;
#ifdef PER_PAIR
      VID u = known[pair], v = listed[pair];
      per_pair(swapped[pair] ? u : v, swapped[pair] ? v : u, i64(found) ARG_NAMES);
#else
      atomicAdd(counts + pair, found);
#endif
#endif
    }
  }
}
