// The order in which pairs are intersected: pairs that share the longer list are consecutive, since look-ups in it find
// cached what earlier ones have fetched. pair_order.py runs the kernels.
#pragma once
#include "frontier/cuda/expand.cuh"
#include "frontier/cuda/scan_tiles.cuh"

constexpr int GROUP_BITS = 12;
constexpr u32 GROUPS = 1u << GROUP_BITS;  // pair_order.py has the same number

// The end of a pair with fewer neighbors, all of which are looked up at the end with more.
__device__ __forceinline__ VID fewer_of(const View& view, VID u, VID v) {
  return view.degree(u) > view.degree(v) ? v : u;
}

// A pair whose pieces are in the queue has the complement of u as its first end. It is negative, so the kernel that
// processes pairs one by one skips the pair.
__device__ __forceinline__ VID first_end(VID u) { return u < 0 ? ~u : u; }

// Assigns each pair to a group by a hash of the end with more neighbors. The last group has the pairs without common
// neighbors. `places`: the group and the number within it.
extern "C" __global__ void group_pairs(
    i64 count, View view, const VID* us, const VID* vs, u64* groups, u64* places) {
  GRID_STRIDE(i, count) {
    VID u = us[i], v = vs[i];
    u32 group = GROUPS;
    if (u >= 0) {
      i64 of_u = view.degree(u), of_v = view.degree(v);
      if (of_u && of_v) group = u32(of_u > of_v ? u : v) * 0x9E3779B1u >> (32 - GROUP_BITS);
    }
    places[i] = u64(group) << 32 | atomicAdd(groups + group, 1ull);
  }
}

// Puts pairs into the order of their groups, of which `groups` are the running sums. order[j]: which pair is the j-th.
extern "C" __global__ void place_pairs(
    i64 count, const VID* us, const VID* vs, const u64* groups, const u64* places, VID* ordered_us, VID* ordered_vs,
    u32* order) {
  GRID_STRIDE(i, count) {
    u32 group = u32(places[i] >> 32);
    u64 at = (group ? groups[group - 1] : 0) + u32(places[i]);
    ordered_us[at] = group == GROUPS ? VID(-1) : us[i];
    ordered_vs[at] = vs[i];
    order[at] = u32(i);
  }
}

// The number of pieces that a pair is cut into, as share() cuts. 0 if its list is short.
__device__ __forceinline__ i64 pieces_of(const View& view, VID u, VID v) {
  if (u < 0) return 0;
  i64 segments = view.segments(fewer_of(view, u, v));
  return segments <= HUGE_SEGMENTS ? 0 : (segments + PIECE_SEGMENTS - 1) / PIECE_SEGMENTS;
}

// Counts pieces by tile of pairs.
extern "C" __global__ void __launch_bounds__(TILE) count_pieces(
    i64 count, View view, const VID* us, const VID* vs, i64* sums) {
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x, here;
    block_exclusive(i < count ? pieces_of(view, us[i], vs[i]) : i64(0), here);
    if (threadIdx.x == 0) sums[tile] = here;
  }
}

// Queues the pieces of pairs in order, as far as the capacity allows, and resets `groups` to zero.
extern "C" __global__ void __launch_bounds__(TILE) queue_pieces(
    i64 count, View view, VID* us, const VID* vs, const i64* sums, bool summed, u64* groups, u64* pieces, u32* num_pieces,
    u32 max_pieces) {
  for (u32 g = blockIdx.x * TILE + threadIdx.x; g <= GROUPS; g += gridDim.x * TILE) groups[g] = 0;
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x, here;
    i64 mine = i < count ? pieces_of(view, us[i], vs[i]) : 0;
    i64 at = sum_before(sums, summed, tile) + block_exclusive(mine, here);
    if (!mine || at + mine > max_pieces) continue;
    for (i64 p = 0; p < mine; ++p) pieces[at + p] = u64(i) << 32 | u64(p) * PIECE_SEGMENTS;
    us[i] = ~us[i];
    atomicMax(num_pieces, u32(at + mine));
  }
}
