// CUDA kernels of match_keys. Macros: VIEW_HEADER, VID, WEIGHT, TILE_SIZE.
//
// The first key of each source represents all of them. Its item walks the source's list once, and looks each neighbor
// up among the keys, which are few or in the cache.
#pragma once
#include "frontier/cuda/keys.cuh"
#include VIEW_HEADER
#include "frontier/cuda/expand.cuh"

// slots: none yet. ends: for the first key of each source, the start of the next source's keys. 0 for all other keys.
extern "C" __global__ void group(i64 count, const i64* keys, i64 shift, i64* slots, i64* ends) {
  GRID_STRIDE(i, count) {
    i64 key = keys[i], src = key >> shift, end = 0;
    slots[i] = -1;
    if (key != END && (i == 0 || keys[i - 1] >> shift != src)) {
      i64 step = 1, low = i, high = i + 1;  // keys[low] is of src. Key `high` may not be, or is beyond the end
      while (high < count && keys[high] >> shift == src) {
        low = high;
        step *= 2;
        high = high + step < count ? high + step : count;
      }
      while (low + 1 < high) {
        i64 middle = (low + high) >> 1;
        if (keys[middle] >> shift == src) low = middle; else high = middle;
      }
      end = high;
    }
    ends[i] = end;
  }
}

struct Match {
  const i64 *keys, *ends;
  i64 shift, bits;  // a key is an arc << bits. The last of equal keys represents it
  i64* slots;

  __device__ VID vertex_of(i64 i) const { return ends[i] ? VID(keys[i] >> (shift + bits)) : VID(-1); }
  __device__ void operator()(i64 item, VID, VID neighbor, i64 slot, bool valid) const {
    if (!valid) return;
    i64 first = keys[item] >> bits, arc = (first >> shift << shift) | neighbor, low = item, high = ends[item];
    while (low + 1 < high) {
      i64 middle = (low + high) >> 1;
      if (keys[middle] >> bits <= arc) low = middle; else high = middle;
    }
    if (keys[low] >> bits == arc) slots[low] = slot;
  }
};

extern "C" __global__ void __launch_bounds__(BLOCK) match(
    i64 count, int items, View view, const i64* keys, const i64* ends, i64 shift, i64 bits, i64* slots, u64* pieces,
    u32* num_pieces, u32 max_pieces) {
  Match body{keys, ends, shift, bits, slots};
  expand(view, count, items, [&](i64 i) { return body.vertex_of(i); }, PieceQueue{pieces, num_pieces, max_pieces}, body,
         [] {});
}

// The pieces of long lists that match deferred.
extern "C" __global__ void __launch_bounds__(BLOCK) match_pieces(
    i64 count, View view, const i64* keys, const i64* ends, i64 shift, i64 bits, i64* slots, u64* pieces, u32* num_pieces,
    u32 max_pieces) {
  Match body{keys, ends, shift, bits, slots};
  expand_queue(view, [&](i64 i) { return body.vertex_of(i); }, PieceQueue{pieces, num_pieces, max_pieces}, body, [] {});
}
