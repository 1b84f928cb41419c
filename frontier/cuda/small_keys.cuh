// Small batches of structures that sort theirs. The first kernel checks a batch and sorts it, the last tells the effective
// edges and reports; in between are the structure's own kernels. None of them waits for the host, and their grids are
// those of the largest batch, so that the launches are always the same (structures/small_batches.py). Macros: VID, WEIGHT;
// SMALL, the first of three places in the structure's counters.
#pragma once
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/small_batch.cuh"
#include "frontier/cuda/tile.cuh"

#define SMALL_INVALID SMALL         // whether the batch is invalid; then there are no keys
#define SMALL_DECLINED (SMALL + 1)  // whether it is not applied, because memory has to be added first
#define SMALL_EFFECTIVE (SMALL + 2)      // effective edges

// The fields of KEYS of structures/small_batches.py, in order, eight bytes each.
struct SmallKeys {
  i64* keys;    // sorted; END behind the last, up to the size of the grid
  i64* order;   // the arc that each key is of
  int* ends;    // by arc: the position of the last key that equals its own << 1 | whether it is the first of these arcs
  WEIGHT* weights;  // by arc; or null
  VID* src;     // the arcs as they come, -1 for ignored ones, for kernels that take no keys
  VID* dst;
  i64 shift;    // of a key's source
  u64* counters;
  u64* published;  // the counters' place in the host's memory
  i64 num_counters;
  u32* num_pieces;  // to be set to zero; or null
};

// Whether the batch is valid; the host is notified if it is not. By all threads of all blocks.
__device__ inline bool begin_small(const SmallBatch& batch, const SmallKeys& out) {
  bool valid = batch.is_valid();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    if (!valid) out.counters[SMALL_INVALID] = 1;
    if (out.num_pieces) *out.num_pieces = 0;
  }
  return valid;
}

// Keys in ascending order; equal ones keep theirs. Eight lanes compare an arc with all others, so that no thread waits for
// another's result. Launched with eight threads for each of `count` arcs, no fewer than there are.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) sort_small(i64 count, SmallBatch batch, SmallKeys out) {
  constexpr int PIECE = 1024;
  __shared__ i64 piece[PIECE];
  i64 arcs = begin_small(batch, out) ? batch.arcs() : 0;
  if (arcs) batch.write_arcs();
  auto key_of = [&](i64 k) {
    VID u, v;
    return batch.arc(k, u, v) ? i64(u) << out.shift | i64(v) : END;
  };
  Tile<8> tile;
  i64 i = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 8, key = i < arcs ? key_of(i) : END;
  int smaller = 0, before = 0, behind = 0;  // keys that are smaller, and equal ones
  for (i64 base = 0; base < arcs; base += PIECE) {
    int here = int(arcs - base < PIECE ? arcs - base : PIECE), mine = int(i - base);
    __syncthreads();
    for (int j = threadIdx.x; j < here; j += SMALL_THREADS) piece[j] = key_of(base + j);
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

// The arcs as they come, for kernels that need them in no order.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) list_small(i64 count, SmallBatch batch, SmallKeys out) {
  i64 arcs = begin_small(batch, out) ? batch.arcs() : 0;
  GRID_STRIDE(k, count) {
    VID u, v;
    bool good = k < arcs && batch.arc(k, u, v);
    out.src[k] = good ? u : VID(-1);
    out.dst[k] = good ? v : VID(-1);
  }
}

// The end of a small batch, by one block of SMALL_THREADS: writes the effective edges, which are those of the arcs for
// which `changes(position, u, v)`, given the position of the last equal key; hands the counters to the host, and sets them
// to zero.
template <class Changes>
__device__ void finish(const SmallBatch& batch, const SmallKeys& sorted, Changes changes) {
  u64* counters = sorted.counters;
  if (batch.new_src && !counters[SMALL_INVALID] && !counters[SMALL_DECLINED]) {
    i64 effective = batch.write_edges([&](i64, i64 k, VID u, VID v) {
      int end = sorted.ends[k];
      return (end & 1) && changes(i64(end >> 1), u, v);
    });
    if (threadIdx.x == 0) counters[SMALL_EFFECTIVE] = u64(effective);
  }
  __syncthreads();
  for (i64 k = threadIdx.x; k < sorted.num_counters; k += blockDim.x) {
    sorted.published[k] = counters[k];
    counters[k] = 0;
  }
}
