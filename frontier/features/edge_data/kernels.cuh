// CUDA kernels of edge data. See cpu.py for each. Macro: VID, the type of vertices' ids and of edges'.
#pragma once
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/features/edge_data/claims.cuh"

extern "C" __global__ void claim_last(
    i64 count, const VID* src, const VID* dst, bool directed, const i64* times, bool earliest, u64* table, i64 entries,
    i64* places) {
  GRID_STRIDE(i, count) {
    VID u = src[i], v = dst[i];
    i64 place = -1;
    if (u >= 0)
      place = claim(
          u64(i), u, v, directed, times != nullptr, earliest, table, entries,
          [&](u64 j) { return (src[j] == u && dst[j] == v) || (!directed && src[j] == v && dst[j] == u); },
          [&](u64 j) { return times[j]; });
    places[i] = place;
  }
}

extern "C" __global__ void __launch_bounds__(TILE) keep_last(
    i64 count, i64* places, const u64* table, const i64* slots, bool present, i64* sums) {
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    i64 place = i < count ? places[i] : -1;
    bool kept = place >= 0 && table[place] == u64(i);
    if (place >= 0 && !kept) places[i] = -1;
    int here = __syncthreads_count(kept && (slots[i] >= 0) == present);
    if (threadIdx.x == 0) sums[tile] = here;
  }
}

extern "C" __global__ void __launch_bounds__(TILE) assign_ids(
    i64 count, const VID* src, const VID* dst, const i64* slots, const VID* stored, const i64* places, const i64* sums,
    bool summed, u64* table, bool keep, const VID* free_ids, i64 free_count, i64 top, bool directed, VID* out_src,
    VID* out_dst, VID* out_ids, VID* ids) {
  TILES(tile, count) {
    i64 before = sum_before(sums, summed, tile), here;
    i64 i = tile * TILE + threadIdx.x;
    i64 place = i < count ? places[i] : -1;
    i64 slot = place >= 0 ? slots[i] : -1;
    bool fresh = place >= 0 && slot < 0;
    i64 rank = before + block_exclusive(i64(fresh), here);
    if (place >= 0) table[place] = FREE;
    VID id = -1;
    if (fresh) id = rank < free_count ? free_ids[free_count - 1 - rank] : VID(top + rank - free_count);
    if (slot >= 0 && !keep) id = stored[slot];
    if (i < count) {
      bool there = id >= 0;
      put_arcs(i, there ? src[i] : VID(-1), there ? dst[i] : VID(-1), directed, out_src, out_dst);
      ids[i] = id;
      if (directed) out_ids[i] = id;
      else out_ids[2 * i] = out_ids[2 * i + 1] = id;
    }
  }
}

extern "C" __global__ void __launch_bounds__(TILE) count_found(i64 count, bool directed, const i64* slots, i64* sums) {
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    int here = __syncthreads_count(i < count && slots[directed ? i : 2 * i] < -1);
    if (threadIdx.x == 0) sums[tile] = here;
  }
}

extern "C" __global__ void __launch_bounds__(TILE) settle_ids(
    i64 count, bool directed, const i64* slots, const VID* stored, const i64* sums, bool summed, bool keep,
    VID* free_ids, i64 free_count, VID* src_of, VID* ids) {
  TILES(tile, count) {
    i64 before = sum_before(sums, summed, tile), here;
    i64 i = tile * TILE + threadIdx.x;
    i64 slot = i < count ? slots[directed ? i : 2 * i] : -1;
    i64 rank = before + block_exclusive(i64(slot < -1), here);
    if (slot < -1) {
      free_ids[free_count + rank] = ids[i];
      if (src_of) src_of[ids[i]] = -1;
      ids[i] = keep ? VID(-1) : stored[-2 - slot];
    }
  }
}

extern "C" __global__ void __launch_bounds__(TILE) list_ids(
    i64 count, const VID* src, const VID* dst, const i64* slots, const VID* stored, const i64* places, const i64* sums,
    bool summed, u64* table, VID* free_ids, i64 free_count, bool directed, VID* out_src, VID* out_dst) {
  TILES(tile, count) {
    i64 before = sum_before(sums, summed, tile), here;
    i64 i = tile * TILE + threadIdx.x;
    i64 place = i < count ? places[i] : -1;
    i64 slot = place >= 0 ? slots[i] : -1;
    i64 rank = before + block_exclusive(i64(slot >= 0), here);
    if (place >= 0) table[place] = FREE;
    if (slot >= 0) free_ids[free_count + rank] = stored[slot];
    if (i < count) put_arcs(i, slot >= 0 ? src[i] : VID(-1), slot >= 0 ? dst[i] : VID(-1), directed, out_src, out_dst);
  }
}

extern "C" __global__ void free_listed(i64 count, const VID* free_ids, i64 free_count, VID* src_of) {
  GRID_STRIDE(i, count) src_of[free_ids[free_count + i]] = -1;
}

// Whether arc i is the one that frees the id of its edge.
__device__ inline bool frees(i64 i, i64 count, const VID* src, const VID* dst, bool directed, const i64* ids) {
  return i < count && ids[i] >= 0 && (directed || src[i] < dst[i]);
}

extern "C" __global__ void __launch_bounds__(TILE) count_deleted(
    i64 count, const VID* src, const VID* dst, bool directed, const i64* ids, i64* sums) {
  TILES(tile, count) {
    int here = __syncthreads_count(frees(tile * TILE + threadIdx.x, count, src, dst, directed, ids));
    if (threadIdx.x == 0) sums[tile] = here;
  }
}

extern "C" __global__ void __launch_bounds__(TILE) free_deleted(
    i64 count, const VID* src, const VID* dst, bool directed, const i64* ids, const i64* sums, bool summed, VID* free_ids,
    i64 free_count, VID* src_of) {
  TILES(tile, count) {
    i64 before = sum_before(sums, summed, tile), here;
    i64 i = tile * TILE + threadIdx.x;
    bool freed = frees(i, count, src, dst, directed, ids);
    i64 rank = before + block_exclusive(i64(freed), here);
    if (!freed) continue;
    free_ids[free_count + rank] = VID(ids[i]);
    if (src_of) src_of[ids[i]] = -1;
  }
}

extern "C" __global__ void read_ids(i64 count, const i64* slots, const VID* stored, i64* ids) {
  GRID_STRIDE(i, count) {
    i64 slot = slots[i];
    ids[i] = slot < 0 ? i64(-1) : i64(stored[slot]);
  }
}

extern "C" __global__ void write_column(i64 count, const VID* ids, const void* values, void* column, i64 width) {
  GRID_STRIDE(i, count) {
    VID id = ids[i];
    if (id < 0) continue;
    if (width == 8) ((u64*)column)[id] = ((const u64*)values)[i];
    else if (width == 4) ((u32*)column)[id] = ((const u32*)values)[i];
    else ((u8*)column)[id] = ((const u8*)values)[i];
  }
}

extern "C" __global__ void walk_lists(i64 count, const VID* starts, const VID* links, const i64* offsets, VID* ids) {
  GRID_STRIDE(i, count) {
    VID at = starts[i];
    for (i64 j = offsets[i]; j < offsets[i + 1]; j++) {
      ids[j] = at;
      at = links[at];
    }
  }
}

extern "C" __global__ void count_later(
    i64 count, VID* starts, const VID* links, const i64* times, const i64* limits, i64* counts) {
  GRID_STRIDE(i, count) {
    VID at = starts[i];
    i64 found = 0;
    for (; at >= 0 && times[at] > limits[i]; at = links[at]) found++;
    counts[i] = found;
    starts[i] = at;
  }
}
