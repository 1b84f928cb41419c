// CUDA kernels that bring a batch's arcs into order and drop those listed more than once. Macro: VID.
#pragma once
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/scan_tiles.cuh"

// `bits`: as many low bits hold the arc's position in the batch (see SortedKeys).
extern "C" __global__ void make_keys(i64 count, const VID* src, const VID* dst, i64 shift, i64 bits, i64* keys) {
  GRID_STRIDE(i, count) {
    i64 key = i64(src[i]) << shift | dst[i];
    keys[i] = src[i] < 0 ? END : bits ? key << bits | i : key;
  }
}

// sums: how many distinct keys are in each tile.
extern "C" __global__ void __launch_bounds__(TILE) count_distinct(i64 count, const i64* keys, i64 bits, i64* sums) {
  SortedKeys sorted{count, keys, bits, 0};
  TILES(tile, count) {
    int kept = __syncthreads_count(sorted.is_last(tile * TILE + threadIdx.x));
    if (threadIdx.x == 0) sums[tile] = kept;
  }
}

// The distinct keys without gaps, then END; and where in the batch the last arc of each stands. `order`: positions in the
// batch of the sorted keys, where these do not hold them.
extern "C" __global__ void __launch_bounds__(TILE) keep_distinct(
    i64 count, const i64* keys, i64 bits, const i64* order, const i64* sums, bool summed, i64* distinct, i64* origin,
    i64* number) {
  SortedKeys sorted{count, keys, bits, 0};
  i64 tiles = (count + TILE - 1) / TILE;
  TILES(tile, count) {
    i64 before = sum_before(sums, summed, tile), in_tile;
    i64 total = summed ? sums[tiles - 1] : before + sum_over(sums, tile, tiles);
    i64 i = tile * TILE + threadIdx.x;
    bool kept = sorted.is_last(i);
    i64 at = before + block_exclusive(i64(kept), in_tile);
    if (kept) {
      distinct[at] = keys[i] >> bits;
      if (origin) origin[at] = sorted.position(i, order);
    }
    if (i >= total && i < count) distinct[i] = END;
    if (tile == 0 && threadIdx.x == 0) *number = total;
  }
}
