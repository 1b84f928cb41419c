// Constants that kernels share with layout.py and on_gpu.py, and common functions.
#pragma once
#define SMALL 16  // the first index in the counters of chains' reports (layout.py has the same)
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/scan.cuh"
#include "frontier/cuda/small_report.cuh"
#include "frontier/cuda/tile.cuh"
#include "structures/packed/view.cuh"

#define COLUMN_MASK 0xffffffffll
#define PLACE_SHIFT 7
#define HEIGHT_BITS 6
#define INSERT 0
#define DELETE 1

// Indices of the counters.
#define NEW 0
#define FOUND 1
#define OVERFLOW 2
#define LEAVES 3  // windows by size
#define WARPS 4
#define BLOCKS 5
#define LARGE 6   // windows << 32 | chunks
#define STAGED 7
#define MOVED 8
#define REDUNDANT 9
#define FINISHED 10
#define ESCAPES 11

#define TILE_HEIGHT 11     // at least BLOCK_HEIGHT + 5
#define TILE_LEAVES 2048   // that a block plans
#define PLAN_THREADS 512
#define WARP_HEIGHT 3      // windows up to these heights are moved by a warp, by a block
#define BLOCK_HEIGHT 6
#define CHUNK_LEAVES 64    // of larger windows to a block
#define ESCAPED 1          // states of a tile
#define COVERED 2

#define FIRST_ARRIVAL(j) (0xffffffffu - u32(j))  // so 0 means none, and the maximum is the first

// The number of positions 0 .. size - 1 for which a predicate is true that is only true for the first ones. All lanes
// of a warp search together, 32 ways at a time.
template <class Predicate>
__device__ i64 warp_partition(i64 size, Predicate holds) {
  i64 low = 0, high = size, lane = threadIdx.x & 31;
  while (low < high) {
    i64 step = (high - low + 31) / 32, at = low + lane * step;
    int held = __popc(__ballot_sync(0xffffffffu, at < high && holds(at)));
    if (held == 0) break;
    i64 last = low + (held - 1) * step;
    if (last + step < high) high = last + step;
    low = last + 1;
  }
  return low;
}

// Whether a chain must leave an insertion to the host: for a larger array, or for the sums and the staging area that
// large windows need.
__device__ __forceinline__ bool is_declined(const u64* counters) { return counters[OVERFLOW] || counters[LARGE]; }

// The minimum of a number of work items and a counter, if given.
__device__ __forceinline__ i64 at_most(i64 count, const u64* counter) {
  return counter && i64(*counter) < count ? i64(*counter) : count;
}

__device__ __forceinline__ void add_degree(int* at, int value) { atomicAdd(at, value); }
__device__ __forceinline__ void add_degree(i64* at, i64 value) { atomicAdd((u64*)at, u64(value)); }

__device__ __forceinline__ i64 window_start(i64 window) { return window >> HEIGHT_BITS; }
__device__ __forceinline__ int window_height(i64 window) { return int(window & 63); }
// Leaves of a window that starts there. Windows are cut off at the array's end.
__device__ __forceinline__ i64 window_leaves(const View& view, i64 start, int height) {
  i64 size = i64(1) << height;
  return start + size < view.leaves ? size : view.leaves - start;
}

// A batch to insert, without keys in deletions.
#define BATCH i64 size, const i64 *keys, i64 shift, const i64 *places, const WEIGHT *weights, const i64 *origin
struct Batch {
  i64 size;
  const i64* keys;
  i64 shift;
  const i64* places;
  const WEIGHT* weights;
  const i64* origin;
  // The first key whose entry of `places` is not below `place`.
  __device__ i64 lower_bound(i64 place, i64 low = 0) const { return lower_bound(place, low, keys ? size : 0); }
  __device__ i64 lower_bound(i64 place, i64 low, i64 high) const {
    while (low < high) {
      i64 middle = (low + high) >> 1;
      if (places[middle] < place) low = middle + 1; else high = middle;
    }
    return low;
  }
  __device__ i64 row(i64 j) const { return keys[j] >> shift; }
  __device__ VID column(i64 j) const { return VID(keys[j] & ((i64(1) << shift) - 1)); }
  __device__ WEIGHT weight(i64 j) const { return weights ? weights[origin[j]] : WEIGHT(0); }
};
