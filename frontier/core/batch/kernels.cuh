// CUDA kernels that prepare a batch. Macros: ID (the user's id type), VID (the graph's), WEIGHT.
#pragma once
#include "frontier/cuda/types.cuh"

// Copies a small batch of `given` arcs to arrays with capacity for `count`. Entries behind its end are marked to be
// skipped. If `both_orders`, the arrays have twice that capacity, and the arcs with their ends exchanged follow. Lowers
// `*latest`, if it is given, and sets numbers to zero, at most as many as the capacity.
extern "C" __global__ void copy_padded(
    i64 count, i64 given, const VID* src, const VID* dst, VID* out_src, VID* out_dst, bool both_orders, int* latest,
    i64 lower, u64* numbers, i64 num_numbers) {
  if (blockIdx.x == 0 && threadIdx.x == 0 && lower) *latest -= int(lower);
  GRID_STRIDE(i, count) {
    if (i < num_numbers) numbers[i] = 0;
    VID u = i < given ? src[i] : VID(-1), v = i < given ? dst[i] : VID(-1);
    out_src[i] = u;
    out_dst[i] = v;
    if (!both_orders) continue;
    out_src[count + i] = v;
    out_dst[count + i] = u;
  }
}

// Expands `count` edges into arcs, and counts invalid ids and weights. Their arcs are ignored.
extern "C" __global__ void prepare(
    i64 count, const ID* src, const ID* dst, const WEIGHT* weights, i64 num_vertices, const bool* absent,
    bool directed, bool drop_loops, VID* out_src, VID* out_dst, WEIGHT* out_weights, u64* error_counts,
    volatile i64* error_flag) {
  GRID_STRIDE(i, count) {
    i64 u = src[i], v = dst[i];
    bool good = u >= 0 && u < num_vertices && v >= 0 && v < num_vertices;
    if (!good) {
      atomicAdd(error_counts, 1ull);
    } else if (absent && (absent[u] || absent[v])) {
      atomicAdd(error_counts + 1, 1ull);
      good = false;
    }
    WEIGHT w = WEIGHT(1);
    if (weights) {
      w = weights[i];
      if (w != w) {
        atomicAdd(error_counts + 2, 1ull);
        good = false;
      }
    }
    if (!good) *error_flag = 1;
    if (drop_loops && u == v) good = false;
    if (directed) {
      out_src[i] = good ? VID(u) : VID(-1);
      out_dst[i] = good ? VID(v) : VID(-1);
      if (weights) out_weights[i] = w;
    } else {
      out_src[2 * i] = good ? VID(u) : VID(-1);
      out_dst[2 * i] = good ? VID(v) : VID(-1);
      out_src[2 * i + 1] = good ? VID(v) : VID(-1);
      out_dst[2 * i + 1] = good ? VID(u) : VID(-1);
      if (weights) out_weights[2 * i] = out_weights[2 * i + 1] = w;
    }
  }
}
