// The edge-append model: weights that are added.
#pragma once
#include "structures/packed/layout.cuh"

#define SPENT 12   // places in the counters: arcs whose weight falls to 0 or below
#define UNBORN 13  // new ones that would start so

// Adds the weights of arcs that are there to those of a batch; lists the arcs that are to go in `src` and `dst`, where
// src is -1 for the others.
extern "C" __global__ void add_weights(i64 count, View view, const i64* keys, i64 shift, const i64* places,
                                       WEIGHT* weights, const i64* origin, VID* src, VID* dst, u64* counters) {
  GRID_STRIDE(j, count) {
    i64 place = places[j];
    src[j] = -1;
    if (place == NO_KEY) continue;
    bool present = place & 1;
    WEIGHT weight = weights[origin[j]];
    if (present) {
      weight += view.weights[(view.leaf_at(place >> PLACE_SHIFT) << LEAF_BITS) + (place >> 1 & 63)];
      weights[origin[j]] = weight;
    }
    if (weight > 0) continue;
    src[j] = VID(keys[j] >> shift);
    dst[j] = VID(keys[j] & ((i64(1) << shift) - 1));
    atomicAdd(counters + (present ? SPENT : UNBORN), 1ull);
  }
}
