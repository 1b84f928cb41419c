// Tiles: groups of 1, 2, 4, 8, 16 or 32 neighbouring lanes of a warp that work together.
#pragma once
#include "frontier/cuda/types.cuh"

template <int N>
struct Tile {
  static constexpr int size = N;
  int lane;  // 0 .. N-1
  u32 mask;  // the tile's lanes within the warp

  __device__ Tile() {
    int in_warp = threadIdx.x & 31;
    lane = in_warp & (N - 1);
    mask = N == 32 ? 0xffffffffu : ((1u << (N & 31)) - 1) << (in_warp & ~(N - 1));
  }
  // One bit for each lane of the tile, lane 0 lowest.
  __device__ u32 ballot(bool predicate) const {
    return __ballot_sync(mask, predicate) >> ((threadIdx.x & 31) & ~(N - 1)) & (N == 32 ? 0xffffffffu : (1u << (N & 31)) - 1);
  }
  template <class T>
  __device__ T shfl(T value, int from) const {
    return __shfl_sync(mask, value, from, N);
  }
  template <class T, class Combine>
  __device__ T reduce(T value, Combine combine) const {
#pragma unroll
    for (int offset = N / 2; offset > 0; offset /= 2) value = combine(value, __shfl_xor_sync(mask, value, offset, N));
    return value;
  }
};

struct Sum {
  template <class T>
  __device__ T operator()(T a, T b) const { return a + b; }
};
struct Min {
  template <class T>
  __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
struct Max {
  template <class T>
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
