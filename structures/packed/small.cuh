// Small batches, which the host does not plan (structures/small_batches).
#pragma once
#include "structures/packed/locate.cuh"

extern "C" __global__ void clear_arrivals(i64 count, u32* arriving) {
  GRID_STRIDE(i, count) arriving[i] = 0;
}

// Reports, as the last kernel of a chain, the arcs that exist, if `present`, or that do not. keys: the distinct ones,
// or null if they are not needed.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) finish_small(
    i64 count, SmallKeys sorted, const i64* keys, i64 size, const i64* places, bool present) {
  if (threadIdx.x == 0 && keys && !present && is_declined(sorted.counters)) sorted.counters[SMALL_DECLINED] = 1;
  __syncthreads();
  finish(sorted, [&](i64, VID u, VID v) {
    i64 key = i64(u) << sorted.shift | i64(v), low = 0, high = size;
    while (low < high) {
      i64 middle = (low + high) >> 1;
      if (keys[middle] < key) low = middle + 1; else high = middle;
    }
    return bool(places[low] & 1) == present;
  });
}
