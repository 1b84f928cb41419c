// Checks and sorts small batches, whatever the structure. Batches too large for each arc to be compared with each other are
// sorted in tiles, by a block each, and the tiles are merged. Macros: VID, WEIGHT.
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/cuda/small_keys.cuh"
#include "frontier/cuda/tile.cuh"

constexpr int SORT_TILE = 512, SORT_THREADS = 256;  // keys and threads of a block (sequences.py has the same numbers)
constexpr int MERGED = 4;                           // runs that are merged at once

// Leaves the batch for the kernels that follow.
__device__ inline void pass_on(const SmallBatch& batch, const SmallKeys& out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *out.batch = batch;
}

// Checks the edge of arc k. `invalid` counts for the batch as a whole.
__device__ inline bool check_arc(const SmallBatch& batch, const SmallKeys& out, i64 k) {
  bool valid = batch.is_valid(batch.edge(k));
  if (!valid) *out.invalid = 1;
  return valid;
}

// The key of arc k, END for one to be ignored.
__device__ inline i64 small_key(const SmallBatch& batch, const SmallKeys& out, i64 k) {
  VID u, v;
  return batch.arc(k, u, v) ? i64(u) << out.shift | i64(v) : END;
}

// Keys in ascending order. Equal ones retain their order. Eight lanes compare an arc with all others, so no thread
// waits for another's result. Launched with eight threads for each of `count` arcs, no fewer than there are.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) sort_small(i64 count, SmallBatch batch, SmallKeys out) {
  constexpr int PIECE = 1024;
  __shared__ i64 piece[PIECE];
  pass_on(batch, out);
  bool valid = batch.is_valid();
  if (!valid && blockIdx.x == 0 && threadIdx.x == 0) *out.invalid = 1;
  i64 arcs = valid ? batch.arcs() : 0;
  if (arcs) batch.write_arcs();
  Tile<8> tile;
  i64 i = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 8, key = i < arcs ? small_key(batch, out, i) : END;
  int smaller = 0, before = 0, behind = 0;  // keys that are smaller, and equal ones
  for (i64 base = 0; base < arcs; base += PIECE) {
    int here = int(arcs - base < PIECE ? arcs - base : PIECE), mine = int(i - base);
    __syncthreads();
    for (int j = threadIdx.x; j < here; j += SMALL_THREADS) piece[j] = small_key(batch, out, base + j);
    __syncthreads();
#pragma unroll 4
    for (int j = tile.lane; j < here; j += 8) {
      i64 other = piece[j];
      smaller += other < key;
      if (other == key) (j < mine ? before : behind) += j != mine;
    }
  }
  smaller = tile.reduce(smaller, Sum());
  before = tile.reduce(before, Sum());
  behind = tile.reduce(behind, Sum());
  if (tile.lane || i >= count) return;
  if (i >= arcs) {
    out.keys[i] = END;
    return;
  }
  int place = smaller + before;
  out.keys[place] = key;
  out.order[place] = i;
  out.ends[i] = (place + behind) << 1 | (before == 0);
  if (out.weights) out.weights[i] = batch.weight(i);
}

// The arcs as they come, for kernels that need them in no order, and see themselves whether the batch is invalid.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) list_small(i64 count, SmallBatch batch, SmallKeys out) {
  pass_on(batch, out);
  GRID_STRIDE(k, count) {
    VID u, v;
    bool good = k < batch.arcs() && check_arc(batch, out, k) && batch.arc(k, u, v);
    out.src[k] = good ? u : VID(-1);
    out.dst[k] = good ? v : VID(-1);
  }
}

// The position of key `i` among all in `runs` sorted runs, MERGED at most, of length `length`, a power of two: the
// number of keys before it. Equal keys are in the order of their runs. The searches in the runs advance together, which
// overlaps the latency of their loads.
__device__ __forceinline__ int merged_place(const i64* keys, int i, int length, int runs) {
  i64 key = keys[i];
  int own = i / length, place[MERGED];  // in the run of this number
#pragma unroll
  for (int r = 0; r < MERGED; ++r) place[r] = r * length;
  auto is_before = [&](int at, int r) { return keys[at] <= key - (r >= own); };
  for (int step = length / 2; step; step /= 2) {
#pragma unroll
    for (int r = 0; r < MERGED; ++r)
      if (r < runs) place[r] += is_before(place[r] + step - 1, r) ? step : 0;
  }
  int found = i - own * length;
#pragma unroll
  for (int r = 0; r < MERGED; ++r)
    if (r != own && r < runs) found += place[r] - r * length + is_before(place[r], r);
  return found;
}

// Tiles of keys in ascending order. Equal ones retain their order. By a bitonic network. Keys of an invalid batch mean
// nothing.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) sort_tiles(
    i64 count, SmallBatch batch, SmallKeys out, i64* out_keys, i64* out_order) {
  __shared__ i64 keys[SORT_TILE];
  __shared__ unsigned short from[SORT_TILE];
  pass_on(batch, out);
  batch.write_arcs();
  i64 arcs = batch.arcs(), base = i64(blockIdx.x) * SORT_TILE;
  for (int j = threadIdx.x; j < SORT_TILE; j += SORT_THREADS) {
    bool valid = base + j < arcs && check_arc(batch, out, base + j);
    keys[j] = valid ? small_key(batch, out, base + j) : END;
    from[j] = static_cast<unsigned short>(j);
    if (out.weights && base + j < arcs) out.weights[base + j] = batch.weight(base + j);
  }
  for (int size = 2; size <= SORT_TILE; size *= 2) {
    for (int step = size / 2; step; step /= 2) {
      __syncthreads();
      int low = 2 * threadIdx.x - (threadIdx.x & (step - 1)), high = low + step;
      i64 a = keys[low], b = keys[high];
      unsigned short first = from[low], second = from[high];
      bool descends = b < a || (b == a && second < first);
      if (descends == !(low & size)) {
        keys[low] = b;
        keys[high] = a;
        from[low] = second;
        from[high] = first;
      }
    }
  }
  __syncthreads();
  for (int j = threadIdx.x; j < SORT_TILE; j += SORT_THREADS) {
    out_keys[base + j] = keys[j];
    out_order[base + j] = base + from[j];
  }
}

// Merges each MERGED runs of `run` sorted keys, a power of two that divides `count`.
extern "C" __global__ void __launch_bounds__(256, 4) merge_keys(
    i64 count, i64 run, const i64* __restrict__ keys, const i64* __restrict__ order, i64* out_keys, i64* out_order) {
  GRID_STRIDE(i, count) {
    i64 first = i & -(MERGED * run);
    int runs = min(MERGED, int(count - first) / int(run));
    i64 at = first + merged_place(keys + first, int(i - first), int(run), runs);
    out_keys[at] = keys[i];
    out_order[at] = order[i];
  }
}

// `ends` of the keys, all of which are sorted, for the effective edges, and the number of distinct ones in each tile.
// An invalid batch gets no keys.
extern "C" __global__ void __launch_bounds__(TILE) mark_ends(i64 count, SmallKeys out, i64* sums) {
  bool invalid = *out.invalid, watched = out.batch->new_src;
  SortedKeys sorted{count, out.keys, 0, out.shift};
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    if (invalid && i < count) out.keys[i] = END;
    bool kept = !invalid && sorted.is_last(i);
    int in_tile = __syncthreads_count(kept);
    if (threadIdx.x == 0) sums[tile] = in_tile;
    if (!watched || invalid || i >= count || out.keys[i] == END) continue;
    i64 key = out.keys[i], last = i;
    if (!kept) last += first_place<true>(out.keys + i, count - i, key) - 1;
    out.ends[out.order[i]] = int(last << 1) | (i == 0 || out.keys[i - 1] != key);
  }
}
