// Arcs as 64-bit keys, which sort by source and then by destination (frontier/sort makes them).
#pragma once
#include "frontier/cuda/types.cuh"

#define END 0x7fffffffffffffffll  // stands after all keys (frontier/core/sort/sorted.py has the same number)

// The first of `size` sorted numbers that is greater than `value`, or not less than it.
template <bool GREATER>
__device__ inline i64 first_place(const i64* sorted, i64 size, i64 value) {
  i64 low = 0;
  while (low < size) {
    i64 middle = (low + size) >> 1;
    if (GREATER ? sorted[middle] > value : sorted[middle] >= value) size = middle; else low = middle + 1;
  }
  return low;
}

// A batch's sorted keys, (source << shift | destination) << bits. The low `bits` are the arc's position in the batch,
// so equal arcs retain their order and only the last of them counts. END marks ignored arcs.
struct SortedKeys {
  i64 count;
  const i64* keys;
  i64 bits, shift;

  __device__ i64 source(i64 i) const { return keys[i] >> (bits + shift); }
  __device__ i64 destination(i64 i) const { return (keys[i] >> bits) & ((i64(1) << shift) - 1); }
  // `order`: positions of the keys, unless the keys contain them.
  __device__ i64 position(i64 i, const i64* order) const { return bits ? keys[i] & ((i64(1) << bits) - 1) : order[i]; }
  // Whether key i, which may be past the end, belongs to an arc and is the last of its equals.
  __device__ bool is_last(i64 i) const {
    if (i >= count || keys[i] == END) return false;
    return i + 1 == count || keys[i + 1] >> bits != keys[i] >> bits;
  }
  // Whether it is the first key of its source.
  __device__ bool begins_group(i64 i) const {
    if (i >= count || keys[i] == END) return false;
    return i == 0 || keys[i - 1] >> (bits + shift) != keys[i] >> (bits + shift);
  }
};
