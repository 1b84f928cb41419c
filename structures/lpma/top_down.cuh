// Which windows an insertion rebalances, looked for from the root down (the paper's Algorithm 2).
//
// A window whose halves both have capacity for their new keys is left to its halves. Otherwise it is rebalanced itself.
// A block searches a tile of leaves as if all windows above were left to their halves. The last block to finish does
// the same above the tiles, and voids the windows found in tiles that lie in a larger window.
#pragma once
#include "structures/packed/plan.cuh"

// Launched as `plan` is.
extern "C" __global__ void __launch_bounds__(PLAN_THREADS) plan_top_down(PLAN) {
  __shared__ PlanTile tile;
  Planner p{PLAN_NAMES};
  bool last = false;
  i64 tiles = tile_count(view);
  for (i64 t = blockIdx.x; t < tiles; t += gridDim.x) {
    int leaves = tile.load(p, t);
    for (int x = threadIdx.x; x < leaves; x += PLAN_THREADS) {
      if (!arriving[t * TILE_LEAVES + x]) continue;
      int height = view.levels < TILE_HEIGHT ? int(view.levels) : TILE_HEIGHT;
      for (; height > 0; --height) {
        int start = x >> height << height, half = 1 << (height - 1), middle = start + half;
        if (!p.fits(tile.number(start, middle), half, height - 1) ||
            !p.fits(tile.number(middle, middle + half), half, height - 1))
          break;
      }
      tile.mark((TILE_LEAVES >> height) + (x >> height));
      tile.escaped = 1;  // here: entries come to the tile
    }
    __syncthreads();
    tile.list(p, t, leaves, tiles);
    last = tile.finish(p, tiles);
  }
  if (!last) return;
  UpperTree tree(p, tiles);
  if (!p.fits(u64(tile_sums[tiles]), view.leaves, int(view.levels))) {
    if (threadIdx.x == 0) counters[OVERFLOW] = 1;
    return;
  }
  for (i64 t = threadIdx.x; t < tiles; t += PLAN_THREADS) {
    if (__ldcg(tile_state + t) != ESCAPED) continue;
    for (int d = int(view.levels) - TILE_HEIGHT; d > 0; --d) {
      i64 x = t >> d << 1;  // and x + 1: the halves
      int height = TILE_HEIGHT + d - 1;
      if (p.fits(tree.number(x, d - 1), tree.leaves(x, d - 1), height) &&
          p.fits(tree.number(x + 1, d - 1), tree.leaves(x + 1, d - 1), height))
        continue;
      tile_marks[(tree.width >> d) + (t >> d)] = 1;
      break;
    }
  }
  __syncthreads();
  tree.list();
  __syncthreads();
  if (threadIdx.x == 0) counters[REDUNDANT] = 0;  // void windows would not have been moved
}
