// The edge-append model: weights that are added.
#pragma once
#include "structures/packed/layout.cuh"

#define SPENT 12   // indices in the counters: arcs whose weight falls to 0 or below
#define NEVER_INSERTED 13  // new ones that would start so
#define BAD_SUMS 14 // sums that do not fit in the weights' type, or are NaN

// Adds `held` to `weight`. Returns whether the sum has wrapped around, and so has the sign of neither, or is NaN.
__device__ __forceinline__ bool add_fails(i64& weight, i64 held) {
  i64 added = weight;
  weight = i64(u64(added) + u64(held));
  return ((added ^ weight) & (held ^ weight)) < 0;
}
__device__ __forceinline__ bool add_fails(int& weight, int held) {
  int added = weight;
  weight = int(u32(added) + u32(held));
  return ((added ^ weight) & (held ^ weight)) < 0;
}
template <class Float>
__device__ __forceinline__ bool add_fails(Float& weight, Float held) {
  weight += held;
  return weight != weight;
}

// Adds the weights of existing arcs to the weights of a batch. Lists the arcs to delete in `src` and `dst`, with src -1
// elsewhere.
extern "C" __global__ void add_weights(i64 count, View view, const i64* keys, i64 shift, const i64* places,
                                       WEIGHT* weights, const i64* origin, VID* src, VID* dst, u64* counters) {
  GRID_STRIDE(j, count) {
    i64 place = places[j];
    src[j] = -1;
    if (place == END) continue;
    bool present = place & 1;
    WEIGHT weight = weights[origin[j]];
    if (present) {
      WEIGHT held = view.weights[(view.leaf_at(place >> PLACE_SHIFT) << LEAF_BITS) + (place >> 1 & 63)];
      if (add_fails(weight, held)) atomicAdd(counters + BAD_SUMS, 1ull);
      weights[origin[j]] = weight;
    }
    if (weight > 0) continue;
    src[j] = VID(keys[j] >> shift);
    dst[j] = VID(keys[j] & ((i64(1) << shift) - 1));
    atomicAdd(counters + (present ? SPENT : NEVER_INSERTED), 1ull);
  }
}
