// Looking up a batch.
#pragma once
#include "structures/packed/layout.cuh"

// The slot of each arc.
extern "C" __global__ void find_arcs(i64 count, View view, const VID* src, const VID* dst, i64* slots) {
  GRID_STRIDE(i, count) slots[i] = src[i] < 0 ? -1 : view.find(src[i], dst[i]);
}

// Position of an arc in its leaf << 1 | 1, or, for an absent arc, the position it would go to << 1. Four lanes work
// together. `run` is the result of View::leaf_of.
__device__ __forceinline__ int place_in_leaf(const View& view, const Tile<4>& tile, const Run& run, VID v) {
  i64 base = view.leaf_at(run.handle) << LEAF_BITS;
  int low = int(run.low - base), high = int(run.high - base), best = low << 1;
#pragma unroll
  for (int half = 0; half < LEAF; half += LEAF / 2) {
    VID neighbor[4];
    load_slots(neighbor, view.neighbors + base + half + tile.lane * 4);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      int s = half + tile.lane * 4 + k;
      if (s < low || s >= high || neighbor[k] < 0 || neighbor[k] > v) continue;
      int place = neighbor[k] == v ? s << 1 | 1 : (s + 1) << 1;
      if (place > best) best = place;
    }
  }
  return tile.reduce(best, Max());
}

// The position of each key (`places`), and the number of new keys for each leaf, and the first of them, unless
// `arriving` is null. Launched with tile=4.
extern "C" __global__ void locate(i64 count, View view, const i64* keys, i64 shift, i64* places, u32* arriving,
                                  u64* counters) {
  __shared__ u32 tally[2];
  if (threadIdx.x < 2) tally[threadIdx.x] = 0;
  __syncthreads();
  Tile<4> tile;
  u32 fresh = 0, found = 0;
  i64 warps = i64(gridDim.x) * blockDim.x / 32;
  // A warp processes eight keys at a time, all its lanes together.
  for (i64 base = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 32 * 8; base < count; base += warps * 8) {
    i64 j = base + (threadIdx.x & 31) / 4, key = j < count ? keys[j] : END, leaf = -1;
    bool is_new = false;
    if (key != END) {
      VID u = VID(key >> shift), v = VID(key & ((i64(1) << shift) - 1));
      Run run = view.leaf_of(u, v);
      int place = place_in_leaf(view, tile, run, v);
      leaf = run.handle;
      is_new = !(place & 1);
      if (tile.lane == 0) {
        places[j] = leaf << PLACE_SHIFT | place;
        if (is_new) ++fresh; else ++found;
      }
    } else if (j < count && tile.lane == 0) {
      places[j] = END;
    }
    if (!arriving) continue;
    // Keys ascend, so neighbors go to the same leaf, and one of them adds for all.
    u32 together = __match_any_sync(0xffffffffu, is_new ? leaf : i64(-1));
    if (is_new && int(threadIdx.x & 31) == __ffs(together) - 1) {
      atomicAdd(arriving + leaf, u32(__popc(together)) / 4);
      atomicMax(arriving + view.leaves + leaf, FIRST_ARRIVAL(j));
    }
  }
  if (fresh) atomicAdd(tally, fresh);
  if (found) atomicAdd(tally + 1, found);
  __syncthreads();
  if (threadIdx.x < 2 && tally[threadIdx.x]) atomicAdd(counters + NEW + threadIdx.x, u64(tally[threadIdx.x]));
}

// Gives existing arcs their new weights, and counts the new ones. Must run before anything moves. counters: of a chain,
// which may have declined.
extern "C" __global__ void commit(i64 count, View view, const i64* keys, i64 shift, const i64* places,
                                  const WEIGHT* weights, const i64* origin, const u64* counters) {
  if (counters && is_declined(counters)) return;
  i64 threads = i64(gridDim.x) * blockDim.x;
  for (i64 base = (i64(blockIdx.x) * blockDim.x + threadIdx.x) & ~i64(31); base < count; base += threads) {
    i64 j = base + (threadIdx.x & 31), place = j < count ? places[j] : END, u = -1;
    if (place != END) {
      if (!(place & 1)) u = keys[j] >> shift;
      else if (weights)
        view.weights[(view.leaf_at(place >> PLACE_SHIFT) << LEAF_BITS) + (place >> 1 & 63)] = weights[origin[j]];
    }
    u32 together = __match_any_sync(0xffffffffu, u);
    if (u >= 0 && int(threadIdx.x & 31) == __ffs(together) - 1) add_degree(view.row_degrees + u, VID(__popc(together)));
  }
}
