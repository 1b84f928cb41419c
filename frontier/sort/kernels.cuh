// CUDA kernels that bring a batch's arcs into order and drop those listed more than once. Macro: VID.
#pragma once
#include "frontier/cuda/scan.cuh"

#define KEYS 512              // sorted keys to a thread block (distinct.py has the same number)
#define END 0x7fffffffffffffffll  // stands after all keys

// `position_bits`: as many low bits hold the arc's position in the batch, so that equal keys keep their order.
extern "C" __global__ void make_keys(
    i64 count, const VID* src, const VID* dst, i64 shift, i64 position_bits, i64* keys) {
  GRID_STRIDE(i, count) {
    i64 key = i64(src[i]) << shift | dst[i];
    keys[i] = src[i] < 0 ? END : position_bits ? key << position_bits | i : key;
  }
}

// Whether sorted key i is the last of its equals, and none that stands for no arc.
__device__ inline bool is_last(i64 i, i64 count, const i64* keys, i64 position_bits) {
  i64 key = keys[i];
  return key != END && (i + 1 == count || keys[i + 1] >> position_bits != key >> position_bits);
}

// sums: how many distinct keys are in each block of KEYS.
extern "C" __global__ void __launch_bounds__(KEYS) count_distinct(
    i64 count, const i64* keys, i64 position_bits, i64* sums) {
  for (i64 tile = blockIdx.x; tile * KEYS < count; tile += gridDim.x) {
    i64 i = tile * KEYS + threadIdx.x;
    int kept = __syncthreads_count(i < count && is_last(i, count, keys, position_bits));
    if (threadIdx.x == 0) sums[tile] = kept;
  }
}

// The distinct keys without gaps, then END; and where in the batch the last arc of each stands. `summed`: sums are running
// already. `order`: positions in the batch of the sorted keys, where these do not hold them.
extern "C" __global__ void __launch_bounds__(KEYS) keep_distinct(
    i64 count, const i64* keys, i64 position_bits, const i64* order, const i64* sums, bool summed, i64* distinct,
    i64* origin, i64* number) {
  i64 tiles = (count + KEYS - 1) / KEYS;
  for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    i64 before = 0, total = 0, in_tile;
    if (summed) {
      before = tile ? sums[tile - 1] : 0;
      total = sums[tiles - 1];
    } else {
      i64 part = 0, rest = 0;
      for (i64 t = threadIdx.x; t < tile; t += KEYS) part += sums[t];
      for (i64 t = tile + threadIdx.x; t < tiles; t += KEYS) rest += sums[t];
      block_exclusive(part, before);
      block_exclusive(rest, total);
      total += before;
    }
    i64 i = tile * KEYS + threadIdx.x;
    bool kept = i < count && is_last(i, count, keys, position_bits);
    i64 at = before + block_exclusive(i64(kept), in_tile);
    if (kept) {
      i64 key = keys[i];
      distinct[at] = key >> position_bits;
      if (origin) origin[at] = position_bits ? key & ((i64(1) << position_bits) - 1) : order[i];
    }
    if (i >= total && i < count) distinct[i] = END;
    if (tile == 0 && threadIdx.x == 0) *number = total;
  }
}
