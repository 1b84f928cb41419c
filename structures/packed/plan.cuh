// Which windows to rebalance. Changes nothing of the graph.
//
// A block plans a tile of leaves. It scans their final numbers of entries in shared memory, which makes the number of
// any window a difference. It marks windows, and lists the ones that no other marked window contains. The last block to
// finish decides windows that do not fit in a tile, over the tiles' sums.
#pragma once
#include "structures/packed/layout.cuh"

// `count` and `places` are the batch's, for the CPU, which has no pass over all leaves.
#define PLAN                                                                                                           \
  i64 count, View view, i64 mode, double density, double step, const i64 *places, const u32 *arriving,                 \
      i64 *leaf_windows, i64 *warp_windows, i64 *block_windows, i64 *large, int *tile_state, i64 *tile_sums,           \
      signed char *tile_marks, u64 *counters
#define PLAN_NAMES                                                                                                     \
  view, mode, density, step, arriving, tile_sums, tile_state, tile_marks, leaf_windows, warp_windows, block_windows,   \
      large, counters

__device__ __forceinline__ i64 tile_count(const View& view) { return (view.leaves + TILE_LEAVES - 1) / TILE_LEAVES; }

// The data of planning.
struct Planner {
  View view;
  i64 mode;
  double density, step;  // threshold of leaves, and what each level adds to it
  const u32* arriving;
  i64* tile_sums;
  int* tile_state;
  signed char* tile_marks;
  i64 *leaf_windows, *warp_windows, *block_windows;
  i64* large;
  u64* counters;

  // Whether a window of `leaves` leaves may contain `number` entries.
  __device__ bool fits(u64 number, i64 leaves, int height) const {
    double limit = (density + step * height) * double(leaves << LEAF_BITS);
    return mode == INSERT ? double(number) <= limit : double(number) >= limit;
  }
  __device__ void list_large(i64 start, int height, u64 number) const {
    u64 chunks = (window_leaves(view, start, height) + CHUNK_LEAVES - 1) / CHUNK_LEAVES;
    u64 at = atomicAdd(counters + LARGE, u64(1) << 32 | chunks);
    i64* entry = large + 3 * (at >> 32);
    entry[0] = start << HEIGHT_BITS | height;
    entry[1] = i64(at & 0xffffffffu);
    entry[2] = i64(atomicAdd(counters + STAGED, number));
  }
};

// A tile, in shared memory. Its windows are the nodes of a heap: window x of height h is (TILE_LEAVES >> h) + x.
struct PlanTile {
  static constexpr int WORDS = TILE_LEAVES * 2 / 32;
  u32 before[TILE_LEAVES + 1];    // final entries before each leaf
  u32 marks[WORDS];
  u32 maximal[WORDS];             // marks of windows that no other marked one contains
  u32 rank[WORDS];                // of the first listed window of a word, among windows of its size
  u32 listed[3], moved, redundant;
  u64 base[3];
  int escaped, last;

  // By size: leaf, warp, block, large. The nodes of a word of marks are all of one size, as TILE_HEIGHT is large enough.
  static __device__ int kind_of(int height) {
    return height == 0 ? 0 : height <= WARP_HEIGHT ? 1 : height <= BLOCK_HEIGHT ? 2 : 3;
  }
  static __device__ int height_of(int node) { return TILE_HEIGHT - (31 - __clz(node)); }

  __device__ u32 number(int from, int to) const { return before[to] - before[from]; }
  __device__ void mark(int node) { atomicOr(marks + node / 32, 1u << (node & 31)); }
  __device__ bool marked(int node) const { return marks[node / 32] >> (node & 31) & 1; }

  // Loads tile `tile`, and returns the number of its leaves. All threads call this and the next functions.
  __device__ int load(const Planner& p, i64 tile) {
    i64 first = tile * TILE_LEAVES;
    int leaves = int(first + TILE_LEAVES < p.view.leaves ? i64(TILE_LEAVES) : p.view.leaves - first);
    constexpr int EACH = TILE_LEAVES / PLAN_THREADS;
    u32 number[EACH], mine = 0, total;
    for (int k = 0; k < EACH; ++k) {
      int x = threadIdx.x * EACH + k;
      number[k] = 0;
      if (x < leaves) {
        number[k] = u32(p.view.counts[p.view.leaf_at(first + x)]);
        if (p.mode == INSERT) number[k] += p.arriving[first + x];
      }
      mine += number[k];
    }
    u32 sum = block_exclusive(mine, total);
    for (int k = 0; k < EACH; ++k) {
      before[threadIdx.x * EACH + k] = sum;
      sum += number[k];
    }
    for (int word = threadIdx.x; word < WORDS; word += PLAN_THREADS) marks[word] = 0;
    if (threadIdx.x < 3) listed[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
      before[TILE_LEAVES] = total;
      moved = redundant = 0;
      escaped = 0;
    }
    __syncthreads();
    return leaves;
  }

  // Lists the marked windows that no other contains, and leaves word of the tile for the last block.
  __device__ void list(const Planner& p, i64 tile, int leaves, i64 tiles) {
    i64 first = tile * TILE_LEAVES;
    u32 kept_leaves = 0, dropped_leaves = 0;
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    // A warp processes a word of marks at a time. Marks within others are not maximal.
    for (int word = warp; word < WORDS; word += PLAN_THREADS / 32) {
      u32 marks_here = marks[word];
      if (!marks_here) continue;
      int node = word * 32 + lane;
      bool keep = marks_here >> lane & 1;
      if (keep) {
        int height = height_of(node), start = (node - (TILE_LEAVES >> height)) << height;
        int size = start + (1 << height) < leaves ? 1 << height : leaves - start;
        for (int above = node >> 1; above && keep; above >>= 1) keep = !marked(above);
        if (keep) kept_leaves += size; else dropped_leaves += size;
        if (keep && kind_of(height) == 3) p.list_large(first + start, height, number(start, start + size));
      }
      u32 kept = __ballot_sync(0xffffffffu, keep);
      if (lane) continue;
      maximal[word] = kept;
      int kind = kind_of(height_of(word * 32 + 1));
      if (kind < 3) rank[word] = atomicAdd(listed + kind, u32(__popc(kept)));
    }
    kept_leaves = Tile<32>().reduce(kept_leaves, Sum());
    dropped_leaves = Tile<32>().reduce(dropped_leaves, Sum());
    if (lane == 0 && kept_leaves) atomicAdd(&moved, kept_leaves);
    if (lane == 0 && dropped_leaves) atomicAdd(&redundant, dropped_leaves);
    __syncthreads();
    if (threadIdx.x < 3 && listed[threadIdx.x])
      base[threadIdx.x] = atomicAdd(p.counters + LEAVES + threadIdx.x, u64(listed[threadIdx.x]));
    if (threadIdx.x == 0) {
      if (moved) atomicAdd(p.counters + MOVED, u64(moved));
      if (redundant) atomicAdd(p.counters + REDUNDANT, u64(redundant));
      p.tile_sums[tile] = before[TILE_LEAVES];
      p.tile_state[tile] = escaped ? ESCAPED : 0;
      p.tile_state[tiles + tile] = int(moved);
    }
    __syncthreads();
    for (int word = warp; word < WORDS; word += PLAN_THREADS / 32) {
      u32 kept = marks[word] ? maximal[word] : 0;
      if (!(kept >> lane & 1)) continue;
      int node = word * 32 + lane, height = height_of(node), kind = kind_of(height);
      if (kind == 3) continue;
      i64* windows = kind == 0 ? p.leaf_windows : kind == 1 ? p.warp_windows : p.block_windows;
      i64 start = first + ((node - (TILE_LEAVES >> height)) << height);
      windows[base[kind] + rank[word] + __popc(kept & ((1u << lane) - 1))] = start << HEIGHT_BITS | height;
    }
  }

  // Whether this was the last tile of all, and the writes of other tiles can be read (by __ldcg). Called after list().
  __device__ bool finish(const Planner& p, i64 tiles) {
    if (threadIdx.x == 0) {
      if (escaped) atomicAdd(p.counters + ESCAPES, 1ull);
      __threadfence();
      last = atomicAdd(p.counters + FINISHED, 1ull) == u64(tiles - 1);
      __threadfence();
    }
    __syncthreads();
    return last;
  }
};

// Windows of more than a tile, in the last block: a heap over the tiles, window x of height TILE_HEIGHT + d being the
// node (width >> d) + x.
struct UpperTree {
  const Planner& p;
  i64 tiles, width;

  // Turns the tiles' sums into sums of all before, and clears the marks.
  __device__ UpperTree(const Planner& planner, i64 count) : p(planner), tiles(count), width(1) {
    while (width < tiles) width *= 2;
    for (i64 node = threadIdx.x; node < 2 * width; node += blockDim.x) p.tile_marks[node] = 0;
    i64 carry = 0;
    for (i64 base = 0; base < tiles; base += blockDim.x) {
      i64 t = base + threadIdx.x, total;
      i64 sum = carry + block_exclusive(t < tiles ? __ldcg(p.tile_sums + t) : i64(0), total);
      if (t < tiles) p.tile_sums[t] = sum;
      carry += total;
    }
    if (threadIdx.x == 0) p.tile_sums[tiles] = carry;
    __syncthreads();
  }
  __device__ i64 clip(i64 tile) const { return tile < tiles ? tile : tiles; }
  // Final entries, and leaves, of a window.
  __device__ u64 number(i64 x, int d) const {
    return u64(p.tile_sums[clip((x + 1) << d)] - p.tile_sums[clip(x << d)]);
  }
  __device__ i64 leaves(i64 x, int d) const { return window_leaves(p.view, (x << d) * TILE_LEAVES, TILE_HEIGHT + d); }

  // Lists the marked windows that no other contains, and voids all windows within them. After a barrier.
  __device__ void list() {
    for (i64 node = 1 + threadIdx.x; node < width; node += blockDim.x) {
      if (!p.tile_marks[node]) continue;
      bool dropped = false;
      for (i64 above = node >> 1; above; above >>= 1) dropped |= p.tile_marks[above] != 0;
      int d = 0;
      while (node << d < width) ++d;  // nodes width .. 2 width - 1 are the tiles
      i64 x = node - (width >> d);
      atomicAdd(p.counters + (dropped ? REDUNDANT : MOVED), u64(leaves(x, d)));
      if (!dropped) p.list_large((x << d) * TILE_LEAVES, TILE_HEIGHT + d, number(x, d));
    }
    for (i64 t = threadIdx.x; t < tiles; t += blockDim.x) {
      bool covered = false;
      for (i64 above = (width + t) >> 1; above; above >>= 1) covered |= p.tile_marks[above] != 0;
      if (!covered) continue;
      u64 void_leaves = u64(__ldcg(p.tile_state + tiles + t));
      atomicAdd(p.counters + REDUNDANT, void_leaves);
      atomicAdd(p.counters + MOVED, 0 - void_leaves);
      p.tile_state[t] = COVERED;
    }
  }
};

// Bottom-up: each leaf that changes marks the smallest window around it whose density is within its threshold. Launched
// with a block of PLAN_THREADS to each tile of leaves.
extern "C" __global__ void __launch_bounds__(PLAN_THREADS) plan(PLAN) {
  __shared__ PlanTile tile;
  Planner p{PLAN_NAMES};
  bool last = false;
  i64 tiles = tile_count(view);
  for (i64 t = blockIdx.x; t < tiles; t += gridDim.x) {
    int leaves = tile.load(p, t);
    for (int x = threadIdx.x; x < leaves; x += PLAN_THREADS) {
      if (!arriving[t * TILE_LEAVES + x]) continue;
      for (int height = 0;; ++height) {
        int start = x >> height << height, end = start + (1 << height) < leaves ? start + (1 << height) : leaves;
        if (p.fits(tile.number(start, end), end - start, height)) {
          if (mode == INSERT || height) tile.mark((TILE_LEAVES >> height) + (x >> height));
          break;
        }
        if (i64(1) << height >= view.leaves) {
          counters[OVERFLOW] = 1;
          break;
        }
        if (height == TILE_HEIGHT) {
          tile.escaped = 1;
          break;
        }
      }
    }
    __syncthreads();
    tile.list(p, t, leaves, tiles);
    last = tile.finish(p, tiles);
  }
  if (!last || !__ldcg(counters + ESCAPES)) return;
  UpperTree tree(p, tiles);
  for (i64 t = threadIdx.x; t < tiles; t += PLAN_THREADS) {
    if (__ldcg(tile_state + t) != ESCAPED) continue;
    for (int d = 1;; ++d) {
      if (p.fits(tree.number(t >> d, d), tree.leaves(t >> d, d), TILE_HEIGHT + d)) {
        tile_marks[(tree.width >> d) + (t >> d)] = 1;
        break;
      }
      if (i64(1) << d >= tiles) {
        counters[OVERFLOW] = 1;
        break;
      }
    }
  }
  __syncthreads();
  tree.list();
}
