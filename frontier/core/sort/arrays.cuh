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

// Separates keys and positions.
extern "C" __global__ void split_positions(i64 count, const i64* both, i64 bits, i64* keys, i64* positions) {
  GRID_STRIDE(i, count) {
    keys[i] = both[i] >> bits;
    positions[i] = both[i] & ((i64(1) << bits) - 1);
  }
}

// Adds up the values of each run of equal keys, which ends at this one of the `last` positions. sums: zero before. A
// warp adds CHUNK values, so a long run, to which many warps add, needs few additions of each.
extern "C" __global__ void sum_runs(
    i64 count, const i64* keys, const double* values, const i64* last, i64 runs, double* sums) {
  constexpr int CHUNK = 512;
  constexpr u32 ALL = 0xffffffffu;
  int lane = threadIdx.x & 31;
  for (i64 chunk = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 32; chunk * CHUNK < count;
       chunk += i64(gridDim.x) * blockDim.x / 32) {
    i64 run = first_place<false>(last, runs, chunk * CHUNK);  // of the first lane
    double carry = 0;                                         // of that run, from the values before
    for (i64 i = chunk * CHUNK + lane, end = (chunk + 1) * CHUNK; i - lane < end && i - lane < count; i += 32) {
      bool is_last = i < count && (i + 1 == count || keys[i + 1] != keys[i]);
      u32 ends = __ballot_sync(ALL, is_last), before = ends & ((1u << lane) - 1);
      int first = 32 - __clz(before);  // lane of this run
      double sum = i < count ? values[i] : 0;
#pragma unroll
      for (int offset = 1; offset < 32; offset *= 2) {
        double other = __shfl_up_sync(ALL, sum, offset);
        if (lane - offset >= first) sum += other;
      }
      if (first == 0) sum += carry;
      if (is_last) atomicAdd(sums + run + __popc(before), sum);
      carry = __shfl_sync(ALL, is_last ? 0.0 : sum, 31);
      run += __popc(ends);
    }
    if (lane == 0 && carry != 0) atomicAdd(sums + run, carry);
  }
}

// The offsets of the rows of sorted keys. `count` is one more than the number of rows.
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

// Positions at which a predicate is true: sums are the counts of each tile, then the positions are listed, and their
// number.
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
