// Running sums of counts, for windows that are moved by the whole grid. CuPy would compile kernels for them.
#pragma once
#include "frontier/cuda/scan_tiles.cuh"

// The numbers to add up: the entries of leaves, or, if a batch's places are given, its new arcs.
struct Summed {
  const int* narrow;
  const i64* wide;
  const i64* places;

  __device__ i64 at(i64 i) const { return narrow ? i64(narrow[i]) : wide ? wide[i] : i64((places[i] & 1) == 0); }
};

extern "C" __global__ void __launch_bounds__(TILE)
sum_tiles(i64 count, const int* narrow, const i64* wide, const i64* places, i64* sums) {
  Summed summed{narrow, wide, places};
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x, total;
    block_exclusive(i < count ? summed.at(i) : i64(0), total);
    if (threadIdx.x == 0) sums[tile] = total;
  }
}

extern "C" __global__ void __launch_bounds__(TILE)
sum_up(i64 count, const int* narrow, const i64* wide, const i64* places, const i64* sums, bool summed, i64* out) {
  Summed values{narrow, wide, places};
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x, total, before = sum_before(sums, summed, tile);
    i64 value = i < count ? values.at(i) : 0;
    before += block_exclusive(value, total);
    if (i < count) out[i] = before + value;
  }
}
