// The sorted keys of batches too large for `sort_small`: each block sorts a tile, and tiles are merged, MERGED at a time.
// Macros: those of small_keys.cuh, whose `check_batch` has run.
#pragma once
#include "frontier/cuda/small_keys.cuh"

constexpr int SORT_TILE = 2048;  // keys (structures/small_batches.py has the same numbers)
constexpr int SORT_THREADS = SORT_TILE / 2;
constexpr int MERGED = 8;

// Tiles of keys in ascending order; equal ones keep theirs. By a bitonic network.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) sort_tiles(i64 count, SmallBatch batch, SmallKeys out) {
  __shared__ i64 keys[SORT_TILE];
  __shared__ unsigned short from[SORT_TILE];
  i64 arcs = begin_small(batch, out) ? batch.arcs() : 0, base = i64(blockIdx.x) * SORT_TILE;
  if (arcs) batch.write_arcs();
  for (int j = threadIdx.x; j < SORT_TILE; j += SORT_THREADS) {
    keys[j] = base + j < arcs ? small_key(batch, out, base + j) : END;
    from[j] = static_cast<unsigned short>(j);
    if (out.weights && base + j < arcs) out.weights[base + j] = batch.weight(base + j);
  }
  for (int size = 2; size <= SORT_TILE; size *= 2) {
    for (int step = size / 2; step; step /= 2) {
      __syncthreads();
      int low = 2 * threadIdx.x - (threadIdx.x & (step - 1)), high = low + step;
      i64 a = keys[low], b = keys[high];
      bool descends = b < a || (b == a && from[high] < from[low]);
      if (descends == !(low & size)) {
        keys[low] = b;
        keys[high] = a;
        unsigned short first = from[low];
        from[low] = from[high];
        from[high] = first;
      }
    }
  }
  __syncthreads();
  for (int j = threadIdx.x; j < SORT_TILE; j += SORT_THREADS) {
    out.keys[base + j] = keys[j];
    out.order[base + j] = base + from[j];
  }
}

// Merges each MERGED runs of `run` sorted keys, a power of two. A key's place is the number of those before it in all runs.
extern "C" __global__ void merge_keys(
    i64 count, i64 run, const i64* __restrict__ keys, const i64* __restrict__ order, i64* out_keys, i64* out_order) {
  GRID_STRIDE(i, count) {
    i64 key = keys[i], first = i / (MERGED * run) * (MERGED * run), place[MERGED] = {};
    int own = int((i - first) / run);
    auto is_before = [&](i64 at, int r) { return at < count && (keys[at] < key || (keys[at] == key && r < own)); };
    for (i64 step = run / 2; step; step /= 2) {
#pragma unroll
      for (int r = 0; r < MERGED; ++r)
        if (is_before(first + r * run + place[r] + step - 1, r)) place[r] += step;
    }
    i64 at = i - own * run;
#pragma unroll
    for (int r = 0; r < MERGED; ++r)
      if (r != own) at += place[r] + is_before(first + r * run + place[r], r);
    out_keys[at] = key;
    out_order[at] = order[i];
  }
}

// `ends` of the keys, all of which are sorted.
extern "C" __global__ void mark_ends(i64 count, SmallKeys out) {
  GRID_STRIDE(i, count) {
    i64 key = out.keys[i], last = i;
    if (key == END) continue;
    if (i + 1 < count && out.keys[i + 1] == key) last += first_place<true>(out.keys + i, count - i, key) - 1;
    out.ends[out.order[i]] = int(last << 1) | (i == 0 || out.keys[i - 1] != key);
  }
}
