// CUDA kernels of GPMA: the kernels of packed memory arrays, and the rounds of insertion under locks. Macros: VID,
// WEIGHT.
#pragma once
#include "structures/gpma/view.cuh"
#include "structures/packed/kernels.cuh"

#define WINNERS 12   // indices in the counters
#define TOP_LOCK 13

// Arcs compete for windows, level by level from the leaves (Algorithm 1). At each leaf the first of its new keys holds
// the lock. If the window has capacity for one more its holder is inserted, otherwise it competes with its sibling's
// holder for their parent, which the left one gets. `arriving` becomes 1 for the leaves whose holders are inserted, 0
// for all others. A block of PLAN_THREADS to each of `count` tiles.
extern "C" __global__ void __launch_bounds__(PLAN_THREADS)
compete(i64 count, View view, double density, double step, u32* arriving, u64* counters) {
  __shared__ u32 number[TILE_LEAVES];
  __shared__ int holder[TILE_LEAVES];  // the leaf whose key holds a window's lock, or -1
  __shared__ u32 winners;
  for (i64 t = blockIdx.x; t < count; t += gridDim.x) {
    i64 first = t * TILE_LEAVES;
    if (threadIdx.x == 0) winners = 0;
    for (int x = threadIdx.x; x < TILE_LEAVES; x += PLAN_THREADS) {
      bool inside = first + x < view.leaves;
      number[x] = inside ? u32(view.counts[view.leaf_at(first + x)]) : 0;
      holder[x] = inside && arriving[first + x] ? x : -1;
      if (inside) arriving[first + x] = 0;
    }
    __syncthreads();
    for (int height = 0;; ++height) {
      i64 size = i64(1) << height;
      bool root = size >= view.leaves;
      for (int x = threadIdx.x; x < TILE_LEAVES >> height; x += PLAN_THREADS) {
        if (holder[x] < 0) continue;
        i64 leaves = window_leaves(view, first + (i64(x) << height), height);
        bool room = double(number[x] + 1) <= (density + step * height) * double(leaves << LEAF_BITS);
        // The array has capacity for the whole batch. Above the tile, one lock stands for all windows.
        if (!room && !root && (height < TILE_HEIGHT || atomicCAS(counters + TOP_LOCK, 0ull, 1ull) != 0)) continue;
        arriving[first + holder[x]] = 1;
        atomicAdd(&winners, 1u);
        ++number[x];
        holder[x] = -1;
      }
      __syncthreads();
      if (root || height == TILE_HEIGHT) break;
      constexpr int EACH = TILE_LEAVES / 2 / PLAN_THREADS;
      u32 both[EACH];
      int left[EACH];
      for (int k = 0; k < EACH; ++k) {
        int x = k * PLAN_THREADS + threadIdx.x;
        if (x >= TILE_LEAVES >> (height + 1)) continue;
        both[k] = number[2 * x] + number[2 * x + 1];
        left[k] = holder[2 * x] >= 0 ? holder[2 * x] : holder[2 * x + 1];
      }
      __syncthreads();
      for (int k = 0; k < EACH; ++k) {
        int x = k * PLAN_THREADS + threadIdx.x;
        if (x >= TILE_LEAVES >> (height + 1)) continue;
        number[x] = both[k];
        holder[x] = left[k];
      }
      __syncthreads();
    }
    if (threadIdx.x == 0 && winners) atomicAdd(counters + WINNERS, u64(winners));
    __syncthreads();
  }
}

// Marks all new keys but the winners as not to be merged in this round.
extern "C" __global__ void step_back(i64 count, i64 leaves, i64* places, const u32* arriving) {
  GRID_STRIDE(j, count) {
    i64 place = places[j], leaf = place >> PLACE_SHIFT;
    if (place & 1) continue;
    if (!arriving[leaf] || arriving[leaves + leaf] != FIRST_ARRIVAL(j)) places[j] = place | 1;
  }
}
