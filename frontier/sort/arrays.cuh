// CUDA kernels over keys and the rows of CSR arrays, for ids of both types: names end in the ids' type.
#pragma once
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

KEYS(int)
KEYS(i64)

// Where the rows of sorted keys begin; `count` is one more than there are rows.
extern "C" __global__ void offsets_of(i64 count, const i64* keys, i64 size, i64 shift, i64* offsets) {
  GRID_STRIDE(row, count) offsets[row] = first_place<false>(keys, size, row << shift);
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
