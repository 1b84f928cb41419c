// Small batches, which the host does not plan (structures/small_batches).
#pragma once
#include "structures/packed/locate.cuh"

// Whether a batch has to wait: for a larger array, or for the sums and the staging area that large windows take. `count`: of
// its keys. Launched with one thread.
extern "C" __global__ void decide(i64 count, u64* counters) {
  bool declined = counters[OVERFLOW] || counters[LARGE];
  counters[TAKEN] = declined ? 0 : u64(count);
  if (!declined) return;
  counters[NEW] = counters[FOUND] = counters[LEAVES] = counters[LEAVES + 1] = counters[LEAVES + 2] = 0;
  counters[SMALL_DECLINED] = 1;
}

// Sets to zero what `locate` has counted at leaves.
extern "C" __global__ void forget_arrivals(i64 count, i64 leaves, const i64* places, u32* arriving) {
  GRID_STRIDE(j, count) {
    i64 leaf = places[j] >> PLACE_SHIFT;
    if (places[j] == END || places[j] & 1) continue;
    arriving[leaf] = arriving[leaves + leaf] = 0;
  }
}

extern "C" __global__ void clear_arrivals(i64 count, u32* arriving) {
  GRID_STRIDE(i, count) arriving[i] = 0;
}

// What the last kernel of a chain tells: arcs that are there, if `present`, or that are not. keys: the distinct ones; null
// where nobody asks.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) finish_small(
    i64 count, SmallKeys sorted, const i64* keys, i64 size, const i64* places, bool present) {
  finish(sorted, [&](i64, VID u, VID v) {
    i64 key = i64(u) << sorted.shift | i64(v), low = 0, high = size;
    while (low < high) {
      i64 middle = (low + high) >> 1;
      if (keys[middle] < key) low = middle + 1; else high = middle;
    }
    return bool(places[low] & 1) == present;
  });
}
