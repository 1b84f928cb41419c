// CUDA kernels that find the effective edges of a batch. See cpu.py for each. Macro: VID.
#pragma once
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/scan_tiles.cuh"

constexpr u64 FREE = END;

extern "C" __global__ void mask_lower(i64 count, const VID* src, const VID* dst, VID* out) {
  GRID_STRIDE(i, count) out[i] = src[i] < dst[i] ? src[i] : VID(-1);
}

// The table entry that arc i shares with equal arcs, of which it contains the first. -1 if the arc is not wanted.
__device__ inline i64 claim_arc(
    i64 i, const VID* src, const VID* dst, const i64* slots, bool directed, bool present, u64* table, i64 entries) {
  VID u = src[i], v = dst[i];
  if (u < 0 || !(directed || u < v) || (slots[i] >= 0) != present) return -1;
  u64 at = (u64(u) * 0x9E3779B97F4A7C15ull + u64(v)) * 0xC2B2AE3D27D4EB4Full >> 20 & u64(entries - 1);
  while (true) {
    u64 held = atomicCAS(table + at, FREE, u64(i));
    if (held == FREE) break;
    if (src[held] == u && dst[held] == v) {  // whichever of the equal arcs is there by now
      atomicMin(table + at, u64(i));
      break;
    }
    at = (at + 1) & u64(entries - 1);
  }
  return i64(at);
}

extern "C" __global__ void claim(
    i64 count, const VID* src, const VID* dst, const i64* slots, bool directed, bool present, u64* table, i64 entries,
    i64* places) {
  GRID_STRIDE(i, count) places[i] = claim_arc(i, src, dst, slots, directed, present, table, entries);
}

// All three kernels in one, for few arcs: by one thread block, which hands the number to the host.
extern "C" __global__ void __launch_bounds__(1024) find_few(
    i64 count, const VID* src, const VID* dst, const i64* slots, bool directed, bool present, u64* table, i64 entries,
    i64* places, VID* out_src, VID* out_dst, volatile i64* number) {
  for (i64 i = threadIdx.x; i < count; i += blockDim.x)
    places[i] = claim_arc(i, src, dst, slots, directed, present, table, entries);
  __syncthreads();
  i64 before = 0, here;
  for (i64 low = 0; low < count; low += blockDim.x, before += here) {
    i64 i = low + threadIdx.x, place = i < count ? places[i] : -1;
    bool kept = place >= 0 && __ldcg(table + place) == u64(i);
    i64 at = before + block_exclusive(i64(kept), here);
    if (kept) {
      out_src[at] = src[i];
      out_dst[at] = dst[i];
    }
  }
  __syncthreads();
  for (i64 i = threadIdx.x; i < count; i += blockDim.x)
    if (places[i] >= 0) table[places[i]] = FREE;
  if (threadIdx.x == 0) *number = before;
}

extern "C" __global__ void __launch_bounds__(TILE) keep_first(i64 count, i64* places, const u64* table, i64* sums) {
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    i64 place = i < count ? places[i] : -1;
    bool kept = place >= 0 && table[place] == u64(i);
    if (place >= 0 && !kept) places[i] = -1;
    int here = __syncthreads_count(kept);
    if (threadIdx.x == 0) sums[tile] = here;
  }
}

extern "C" __global__ void __launch_bounds__(TILE) put(
    i64 count, const VID* src, const VID* dst, const i64* places, const i64* sums, bool summed, u64* table,
    VID* out_src, VID* out_dst, i64* counters) {
  TILES(tile, count) {
    i64 before = sum_before(sums, summed, tile), here;
    i64 i = tile * TILE + threadIdx.x;
    i64 place = i < count ? places[i] : -1;
    i64 at = before + block_exclusive(i64(place >= 0), here);
    if (place >= 0) {
      table[place] = FREE;
      out_src[at] = src[i];
      out_dst[at] = dst[i];
    }
    if ((tile + 1) * TILE >= count && threadIdx.x == 0) counters[0] = before + here;
  }
}
