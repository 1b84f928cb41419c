// Deleting arcs: their slots are cleared. No sort: the thread that finds an arc in its slot has deleted it.
#pragma once
#include "structures/packed/locate.cuh"

// `arriving`, if not null, becomes nonzero for the leaves that have fewer than `threshold` entries left. Nothing is deleted
// if there are `error_counts`, one of three numbers that is not 0. `places` are for the CPU. Launched with tile=4.
extern "C" __global__ void erase(i64 count, View view, const i64* error_counts, const VID* src, const VID* dst,
                                 double threshold, i64* places, u32* arriving, u64* counters) {
  __shared__ u32 deleted;
  if (error_counts && (error_counts[0] || error_counts[1] || error_counts[2])) return;
  if (threadIdx.x == 0) deleted = 0;
  __syncthreads();
  Tile<4> tile;
  i64 tiles = i64(gridDim.x) * blockDim.x / 4;
  for (i64 i = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 4; i < count; i += tiles) {
    VID u = src[i], v = dst[i];
    if (u < 0) continue;
    Run run = view.leaf_of(u, v);
    int place = place_in_leaf(view, tile, run, v);
    if (!(place & 1) || tile.lane) continue;
    i64 p = view.leaf_at(run.handle);
    if (compare_and_swap(view.neighbors + (p << LEAF_BITS) + (place >> 1), v, VID(EMPTY)) != v) continue;
    int left = atomicAdd(view.counts + p, -1) - 1;
    add_degree(view.row_degrees + u, VID(-1));
    if (arriving && left < threshold) arriving[run.handle] = 1;
    atomicAdd(&deleted, 1u);
  }
  __syncthreads();
  if (threadIdx.x == 0 && deleted) atomicAdd(counters + NEW, u64(deleted));
}
