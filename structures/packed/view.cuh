// The neighbor iterator over a packed memory array. Macro LEVELED: leaves lie in levels of a perfect binary tree, not
// in the order of their keys. A segment is the part of a row in one leaf.
#pragma once
#include "frontier/cuda/view.cuh"

#define LEAF_BITS 5
#define LEAF 32
#define GUARD (-2)
#define KEY_SHIFT 32

// ITEMS consecutive slots, by 16-byte loads. `from` is aligned to them.
template <int ITEMS>
__device__ __forceinline__ void load_slots(VID (&out)[ITEMS], const VID* from) {
  if constexpr (sizeof(VID) == 4) {
#pragma unroll
    for (int k = 0; k < ITEMS; k += 4) {
      int4 four = *reinterpret_cast<const int4*>(from + k);
      out[k] = four.x, out[k + 1] = four.y, out[k + 2] = four.z, out[k + 3] = four.w;
    }
  } else {
#pragma unroll
    for (int k = 0; k < ITEMS; k += 2) {
      longlong2 two = *reinterpret_cast<const longlong2*>(from + k);
      out[k] = two.x, out[k + 1] = two.y;
    }
  }
}

struct View {
  static constexpr bool sorted = true;
  VID* neighbors;
  WEIGHT* weights;
  i64* offsets;
  VID* row_degrees;
  i64* separators;
  int* counts;
  i64 leaves;
  i64 levels;

  // Physical number of the leaf that is the i-th in order.
  __device__ i64 leaf_at(i64 i) const {
#if LEVELED
    i64 n = leaves + i;
    return n >> __ffsll(n);
#else
    return i;
#endif
  }
  // Number in order of the physical leaf p.
  __device__ i64 order_of(i64 p) const {
#if LEVELED
    if (p == 0) return 0;
    int x = 64 - __clzll(p);
    return (2 * (p - (i64(1) << (x - 1))) + 1) << (levels - x);
#else
    return p;
#endif
  }

  __device__ i64 degree(VID v) const { return row_degrees[v]; }
  __device__ i64 segments(VID v) const {
    i64 first = offsets[v], last = offsets[v + 1];
    if ((first >> LEAF_BITS) == (last >> LEAF_BITS)) return last - first > 1;
    return order_of(last >> LEAF_BITS) - order_of(first >> LEAF_BITS) + 1;
  }
  __device__ Run segment(VID v, i64 i) const {
    i64 first = offsets[v], last = offsets[v + 1];
    i64 p = leaf_at(order_of(first >> LEAF_BITS) + i);
    i64 low = p << LEAF_BITS, high = low + LEAF;
    return {0, p == first >> LEAF_BITS ? first + 1 : low, p == last >> LEAF_BITS ? last : high};
  }
  __device__ Run next_run(const Run&) const { return {-1, 0, 0}; }

  // The last leaf, in order, of low .. high whose separator is not greater than the key, as the first one's is not.
  // Searches the tree in which the height of leaf i is its number of trailing zeros, from the lowest common ancestor of
  // the leaves down. So all searches read the same few leaves first, which are adjacent in levels and stay in the
  // cache.
  __device__ i64 last_leaf(i64 low, i64 high, i64 key) const {
    if (low == high) return low;
    i64 step = i64(1) << (63 - __clzll(low ^ high)), i = high & -step, best = low;
    while (true) {
      bool right = i <= low || (i <= high && separators[leaf_at(i)] <= key);
      if (right && i > best) best = i;
      step >>= 1;
      if (step == 0) return best;
      i += right ? step : -step;
    }
  }
  // The part of the arc's row in the leaf that the arc u -> v belongs to. handle: the leaf's number in order.
  __device__ Run leaf_of(VID u, VID v) const {
    i64 first = offsets[u], last = offsets[u + 1], key = i64(u) << KEY_SHIFT | (i64(v) + 1);
    i64 low = order_of(first >> LEAF_BITS), high = order_of(last >> LEAF_BITS), i = last_leaf(low, high, key);
    i64 p = leaf_at(i), base = p << LEAF_BITS;
    return {i, p == first >> LEAF_BITS ? first + 1 : base, p == last >> LEAF_BITS ? last : base + LEAF};
  }
  __device__ i64 find(VID u, VID v) const {
    Run run = leaf_of(u, v);
    for (i64 base = run.low & ~i64(15); base < run.high; base += 16) {
      VID neighbor[16];
      load_slots(neighbor, neighbors + base);
#pragma unroll
      for (int k = 0; k < 16; ++k)
        if (neighbor[k] == v && base + k >= run.low && base + k < run.high) return base + k;
    }
    return -1;
  }
};
