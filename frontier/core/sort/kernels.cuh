// CUDA kernels that bring a batch's arcs into order and drop those listed more than once. Macro: VID.
#pragma once
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/cuda/tile.cuh"

// The key of an arc, without its position. END if the arc is ignored.
__device__ inline i64 key_of(VID u, VID v, i64 shift) { return u < 0 ? END : i64(u) << shift | v; }

// `bits`: the number of low bits that contain the arc's position in the batch (see SortedKeys).
extern "C" __global__ void make_keys(i64 count, const VID* src, const VID* dst, i64 shift, i64 bits, i64* keys) {
  GRID_STRIDE(i, count) {
    i64 key = key_of(src[i], dst[i], shift);
    keys[i] = bits && key != END ? key << bits | i : key;
  }
}

// Sorts the keys of few arcs in ascending order: eight lanes compare an arc with all arcs. One launch, in which no
// thread waits for another. Equal keys retain their order. `order`, if given: positions in the batch of the sorted
// keys.
extern "C" __global__ void sort_few(
    i64 count, const VID* src, const VID* dst, i64 shift, i64 bits, i64* keys, i64* order) {
  Tile<8> tile;
  for (i64 i = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 8; i < count; i += i64(gridDim.x) * blockDim.x / 8) {
    i64 key = key_of(src[i], dst[i], shift);
    int before = 0;
#pragma unroll 8
    for (i64 j = tile.lane; j < count; j += 8) {
      i64 other = key_of(src[j], dst[j], shift);
      before += other < key || (other == key && j < i);
    }
    before = tile.reduce(before, Sum());
    if (tile.lane == 0) {
      keys[before] = bits && key != END ? key << bits | i : key;
      if (order) order[before] = i;
    }
  }
}

// sums: the number of distinct keys of each tile.
extern "C" __global__ void __launch_bounds__(TILE) count_distinct(i64 count, const i64* keys, i64 bits, i64* sums) {
  SortedKeys sorted{count, keys, bits, 0};
  TILES(tile, count) {
    int kept = __syncthreads_count(sorted.is_last(tile * TILE + threadIdx.x));
    if (threadIdx.x == 0) sums[tile] = kept;
  }
}

// The distinct keys without gaps, then END, and the position of each one's last arc in the batch. `order`: positions in
// the batch of the sorted keys, unless the keys contain them.
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
