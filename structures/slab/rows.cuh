// Whole tables to and from rows. See cpu.py for each kernel.
#pragma once
#include "structures/slab/pool.cuh"

// A warp copies the keys of a chain to the row of its table.
__device__ inline void gather_chain(
    const Tile<32>& warp, i64 slab, i64 row, const VID* neighbors, const WEIGHT* weights, i64 stride, i64 width,
    const i64* row_offsets, int* cursors, VID* dst, WEIGHT* out_weights) {
  while (slab >= 0) {
    i64 slot = slab * SLAB_STRIDE + warp.lane;
    VID key = warp.lane < SLAB_WORDS ? neighbors[slot] : VID(EMPTY);
    i64 following = warp.shfl(key, SLAB_KEYS);
    bool live = warp.lane < SLAB_KEYS && key >= 0;
    u32 all = warp.ballot(live);
    int first = 0;
    if (warp.lane == 0 && all) first = atomicAdd(cursors + row, __popc(all));
    first = warp.shfl(first, 0);
    if (live) {
      i64 at = row_offsets[row] + first + __popc(all & ((1u << warp.lane) - 1));
      dst[at] = key;
      if (weights) out_weights[at] = weights[slot];
    }
    slab = following;
  }
}

// A warp copies 32 chains, whose tables its lanes look for at the same time.
extern "C" __global__ void gather(
    i64 count, const VID* neighbors, const WEIGHT* weights, i64 stride, i64 width, const Record* records,
    i64 rows, const i64* chain_offsets, const i64* row_offsets, int* cursors, VID* dst, WEIGHT* out_weights) {
  Tile<32> warp;
  WARP_CHAINS(first_item, count) {
    i64 item = first_item + warp.lane, start = -1, row = 0;
    i64 near = row_of_warp(warp, chain_offsets, rows, first_item);
    if (item < count) {
      row = row_of(chain_offsets, near, rows, item);
      start = records[row].base + item - chain_offsets[row];
    }
    for (int k = 0; k < 32 && first_item + k < count; ++k) gather_chain(
        warp, warp.shfl(start, k), warp.shfl(row, k), neighbors, weights, stride, width, row_offsets, cursors, dst,
        out_weights);
  }
}

// The row of arc i. The lanes of a warp, which search consecutive arcs, share most of the search.
__device__ inline i64 row_of_arc(const i64* offsets, i64 rows, i64 i) {
  i64 first = i - (threadIdx.x & 31);
  return row_of(offsets, row_of(offsets, 0, rows, first), rows, i);
}

extern "C" __global__ void count_rows(
    i64 count, i64 rows, const i64* offsets, const VID* dst, const Record* records, i64 first, int* fill) {
  GRID_STRIDE(i, count) {
    i64 row = row_of_arc(offsets, rows, i);
    Record record = load_record(records, row);
    if (record.buckets == 1) {
      if (i == offsets[row]) fill[record.base - first] = int(offsets[row + 1] - offsets[row]);
    } else {
      atomicAdd(fill + record.base - first + bucket_of(dst[i], record.buckets), 1);
    }
  }
}

extern "C" __global__ void link(i64 count, Pool pool, i64 first, int* fill) {
  GRID_STRIDE(b, count) {
    i64 slab = first + b;
    for (int left = (fill[b] - 1) / SLAB_KEYS; left > 0; --left) {
      i64 fresh = take_slab(pool);
      pool.neighbors[slab * SLAB_STRIDE + SLAB_KEYS] = VID(fresh);
      slab = fresh;
    }
    fill[b] = 0;
  }
}

extern "C" __global__ void place_rows(
    i64 count, Pool pool, WEIGHT* weights, i64 rows, const i64* offsets, const VID* dst, const WEIGHT* new_weights,
    const Record* records, i64 first, int* fill) {
  GRID_STRIDE(i, count) {
    i64 row = row_of_arc(offsets, rows, i);
    Record record = load_record(records, row);
    VID key = dst[i];
    i64 slab = i64(record.base) + bucket_of(key, record.buckets);
    int at = record.buckets == 1 ? int(i - offsets[row]) : atomicAdd(fill + slab - first, 1);
    for (; at >= SLAB_KEYS; at -= SLAB_KEYS) slab = pool.neighbors[slab * SLAB_STRIDE + SLAB_KEYS];
    pool.neighbors[slab * SLAB_STRIDE + at] = key;
    if (weights) weights[slab * SLAB_STRIDE + at] = new_weights[i];
  }
}
