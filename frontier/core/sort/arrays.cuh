// CUDA kernels over keys, sums and the rows of CSR arrays, for ids of both types: names end in the ids' type.
#pragma once
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/cuda/types.cuh"

#define KEYS(ID)                                                                                                          \
  extern "C" __global__ void pack_##ID(i64 count, const ID* src, const ID* dst, i64 shift, i64* keys) {                   \
    GRID_STRIDE(i, count) keys[i] = i64(src[i]) << shift | i64(dst[i]);                                                   \
  }                                                                                                                       \
  extern "C" __global__ void unpack_##ID(i64 count, const i64* keys, i64 shift, ID* src, ID* dst) {                       \
    GRID_STRIDE(i, count) {                                                                                               \
      src[i] = ID(keys[i] >> shift);                                                                                      \
      dst[i] = ID(keys[i] & ((i64(1) << shift) - 1));                                                                     \
    }                                                                                                                     \
  }                                                                                                                       \
  /* The row of each entry of CSR arrays. */                                                                              \
  extern "C" __global__ void rows_##ID(i64 count, const i64* offsets, i64 rows, ID* out) {                                \
    GRID_STRIDE(i, count) out[i] = ID(first_place<true>(offsets, rows + 1, i) - 1);                                       \
  }

KEYS(int)
KEYS(i64)

// Appends its position to each key, as its low bits.
extern "C" __global__ void append_positions(i64 count, const i64* keys, i64 bits, i64* both) {
  GRID_STRIDE(i, count) both[i] = keys[i] << bits | i;
}

// Takes keys and positions apart.
extern "C" __global__ void split_positions(i64 count, const i64* both, i64 bits, i64* keys, i64* positions) {
  GRID_STRIDE(i, count) {
    keys[i] = both[i] >> bits;
    positions[i] = both[i] & ((i64(1) << bits) - 1);
  }
}

// Where the rows of sorted keys begin; `count` is one more than there are rows.
extern "C" __global__ void offsets_of(i64 count, const i64* keys, i64 size, i64 shift, i64* offsets) {
  GRID_STRIDE(row, count) offsets[row] = first_place<false>(keys, size, row << shift);
}

// The sum of each tile of numbers.
extern "C" __global__ void __launch_bounds__(TILE) sum_tiles(i64 count, const i64* numbers, i64* sums) {
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x, total;
    block_exclusive(i < count ? numbers[i] : i64(0), total);
    if (threadIdx.x == 0) sums[tile] = total;
  }
}

// Adds to each number those before it. `sums`: of the tiles.
extern "C" __global__ void __launch_bounds__(TILE) accumulate(i64 count, const i64* sums, bool summed, i64* numbers) {
  TILES(tile, count) {
    i64 before = sum_before(sums, summed, tile), i = tile * TILE + threadIdx.x, in_tile;
    i64 number = i < count ? numbers[i] : i64(0);
    i64 running = before + block_exclusive(number, in_tile) + number;
    if (i < count) numbers[i] = running;
  }
}

// Positions at which a predicate holds: sums say how many there are in each tile, then they are listed, and their number.
#define LIST(NAME, T, HOLDS)                                                                                              \
  extern "C" __global__ void __launch_bounds__(TILE) count_##NAME(i64 count, const T* values, i64* sums) {                \
    TILES(tile, count) {                                                                                                  \
      i64 i = tile * TILE + threadIdx.x;                                                                                  \
      int held = __syncthreads_count(i < count && (HOLDS));                                                               \
      if (threadIdx.x == 0) sums[tile] = held;                                                                            \
    }                                                                                                                     \
  }                                                                                                                       \
  extern "C" __global__ void __launch_bounds__(TILE) list_##NAME(                                                         \
      i64 count, const T* values, const i64* sums, bool summed, i64* out, i64* number) {                                  \
    TILES(tile, count) {                                                                                                  \
      i64 before = sum_before(sums, summed, tile), in_tile, i = tile * TILE + threadIdx.x;                                \
      bool holds = i < count && (HOLDS);                                                                                  \
      i64 at = before + block_exclusive(i64(holds), in_tile);                                                             \
      if (holds) out[at] = i;                                                                                             \
      if (i + 1 == count) *number = at + holds;                                                                           \
    }                                                                                                                     \
  }

LIST(run_ends, i64, i + 1 == count || values[i + 1] != values[i])
LIST(ids_int, int, values[i] >= 0)
LIST(ids_i64, i64, values[i] >= 0)
