// The neighbor iterator over CSR. A segment is SEGMENT consecutive slots.
#pragma once
#include "frontier/cuda/view.cuh"

struct View {
  static constexpr bool sorted = true;
  static constexpr int SEGMENT = 32;
  const i64* offsets;
  VID* neighbors;
  WEIGHT* weights;
  i64 num_vertices;

  __device__ i64 degree(VID v) const { return offsets[v + 1] - offsets[v]; }
  __device__ i64 segments(VID v) const { return (degree(v) + SEGMENT - 1) / SEGMENT; }
  __device__ Run segment(VID v, i64 i) const {
    i64 low = offsets[v] + i * SEGMENT, end = offsets[v + 1];
    return {0, low, low + SEGMENT < end ? low + SEGMENT : end};
  }
  __device__ Run next_run(const Run&) const { return {-1, 0, 0}; }
  __device__ i64 find(VID u, VID v) const {
    i64 low = offsets[u], end = offsets[u + 1], high = end;
    while (low < high) {
      i64 middle = (low + high) >> 1;
      if (neighbors[middle] < v) low = middle + 1; else high = middle;
    }
    return low < end && neighbors[low] == v ? low : -1;
  }
};
