// CUDA kernels for the most frequent value of each vertex's edges, or the value of the highest score. Macros:
// VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES, RESULT (int or i64), HAS_SCORE where a functor gives scores.
//
// Scores depend on the sum of the weights of the edges that have a value. Without them the score is the frequency.
//
// A warp processes a vertex with few neighbors. Its lanes contain one value each and compare them among themselves. A
// block processes a vertex with more neighbors, and counts in a hash table in shared memory. The values of a vertex
// with very many neighbors are divided among blocks by their hashes, and the values of each block are expected to fit
// into its table. A block whose values do not fit counts a part of them at a time. The kernels need no memory but the
// lists of the vertices with more neighbors, and the results of the blocks for vertices with very many.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"

extern "C" __device__ RESULT op(VID src, VID dst, i64 edge, Weight weight ARG_PARAMS);

#ifdef HAS_SCORE
extern "C" __device__ double score(VID src, RESULT value, double total ARG_PARAMS);
using Total = double;  // of the edges that have a value
using Score = double;
__device__ __forceinline__ Score no_score() { return __longlong_as_double(0xfffll << 52); }  // negative infinity
constexpr bool SCORED = true;
#else
using Total = u32;
using Score = int;
__device__ __forceinline__ Score no_score() { return 0; }
constexpr bool SCORED = false;
#endif

constexpr int SHORT = 32;                                // neighbors at most for a warp
constexpr int MEDIUM = 1024;                             // neighbors at most, whose values a small table fits
constexpr int BLOCK = 256, LARGE_BLOCK = 512, HUGE_BLOCK = 1024;  // threads
constexpr u32 SLOTS = 2 * MEDIUM;                        // of the small table
constexpr u32 LARGE_SLOTS = SCORED ? 4096 : 8192;        // of the large one
constexpr int LARGE = LARGE_SLOTS / 4 * 3 - 1;           // neighbors at most, all of whose values fit
constexpr u32 FEWEST_SLOTS = 64;                         // that a vertex uses of a table
constexpr RESULT NO_KEY = RESULT(1) << (8 * sizeof(RESULT) - 1);  // in a free slot. Such values are counted separately
constexpr u32 ALL_LANES = 0xffffffffu;

// A value and its score.
struct Mode {
  RESULT value;
  Score score;
};

__device__ __forceinline__ Mode better(const Mode& a, const Mode& b) {
  return b.score > a.score || (b.score == a.score && b.value < a.value) ? b : a;
}

__device__ __forceinline__ Mode best_of_warp(Mode mode) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    mode = better(mode, Mode{__shfl_xor_sync(ALL_LANES, mode.value, offset), __shfl_xor_sync(ALL_LANES, mode.score, offset)});
  return mode;
}

__device__ __forceinline__ Mode no_mode() { return Mode{-1, no_score()}; }  // worse than the mode of any value

__device__ __forceinline__ Total total_of(const View& view, i64 slot) {
#ifdef HAS_SCORE
  return weight_of(view, slot);
#else
  return 1;
#endif
}

__device__ __forceinline__ Mode mode_of(VID u, RESULT value, Total total ARG_PARAMS) {
#ifdef HAS_SCORE
  return Mode{value, score(u, value, total ARG_NAMES)};
#else
  return Mode{value, Score(total)};
#endif
}

__device__ __forceinline__ u32 lanes_with(u32 lanes, int value) { return __match_any_sync(lanes, value); }
__device__ __forceinline__ u32 lanes_with(u32 lanes, i64 value) { return __match_any_sync(lanes, value); }

// A part of the values of a vertex with very many neighbors. It has the values whose hashes have this number among
// `parts`, a power of two, or 0 for an unused entry.
struct Part {
  VID u;
  u32 number, parts;
};

// Vertices with few neighbors, a warp each. The remaining vertices are listed in `medium`, `large` and `huge`, whose
// sizes are 0 before. The last list has `most` entries, enough for a set of vertices if a table stores the values of
// `fitting` neighbors. If none are left, since the frontier lists vertices repeatedly, a vertex is large.
extern "C" __global__ void __launch_bounds__(BLOCK) mode_short(
    i64 count, View view, const VID* vertices, RESULT* out, Score* scores, VID* medium, VID* large, Part* huge, u32 most,
    i64 fitting, u32* sizes ARG_PARAMS) {
  __shared__ RESULT held[BLOCK / 32][SHORT];
  __shared__ Total weighed[BLOCK / 32][SCORED ? SHORT : 1];
  RESULT* values = held[threadIdx.x >> 5];
  Total* totals = weighed[threadIdx.x >> 5];
  int lane = threadIdx.x & 31;
  for (i64 i = (i64(blockIdx.x) * BLOCK + threadIdx.x) >> 5; i < count; i += i64(gridDim.x) * (BLOCK / 32)) {
    VID u = vertices[i];
    i64 degree = view.degree(u);
    if (degree > SHORT) {
      bool is_large = degree > MEDIUM, listed = false;
      if (degree > LARGE) {
        u32 parts = 1;
        while (parts * fitting < degree) parts *= 2;
        u32 first = lane == 0 ? atomicAdd(sizes + 2, parts) : 0;
        first = __shfl_sync(ALL_LANES, first, 0);
        listed = first + parts <= most;
        for (u32 part = lane; part < parts && first + part < most; part += 32)
          huge[first + part] = Part{u, part, listed ? parts : 0};
      }
      if (lane == 0 && !listed) (is_large ? large : medium)[atomicAdd(sizes + is_large, 1u)] = u;
      continue;
    }
    int filled = 0;
    i64 segments = degree ? view.segments(u) : 0;
    for (i64 s = 0; s < segments; ++s) {
      Run run = view.segment(u, s);
      do {
        for (i64 base = run.low; base < run.high; base += 32) {
          i64 slot = base + lane;
          VID v = slot < run.high ? view.neighbors[slot] : VID(EMPTY);
          u32 valid = __ballot_sync(ALL_LANES, v >= 0);
          int place = filled + __popc(valid & ((1u << lane) - 1));
          if (v >= 0 && place < SHORT) {
            values[place] = op(u, v, edge_of(view, slot), weight_of(view, slot) ARG_NAMES);
            if (SCORED) totals[place] = total_of(view, slot);
          }
          filled += __popc(valid);
        }
        run = view.next_run(run);
      } while (run.handle >= 0);
    }
    __syncwarp();
    Mode mode = no_mode();
    u32 lanes = __ballot_sync(ALL_LANES, lane < filled);
    if (lane < filled) {
      RESULT value = values[lane];
      u32 same = lanes_with(lanes, value);
      Total total = SCORED ? 0 : __popc(same);
      if (SCORED)
        for (; same; same &= same - 1) total += totals[__ffs(same) - 1];
      if (!SCORED || value >= 0) mode = better(mode, mode_of(u, value, total ARG_NAMES));
    }
    __syncwarp();
    mode = best_of_warp(mode);
    if (lane == 0) {
      out[u] = mode.value;
      scores[u] = mode.score;
    }
  }
}

__device__ __forceinline__ u64 hash_of(RESULT value) {
  u64 hash = u64(value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 32;
}

// The table in which the threads of a block count.
struct Table {
  RESULT* keys;  // volatile reads: other threads write them at the same time
  Total* totals;
  u32 slots;     // a power of two
  u32* used;     // used slots. With `limit` or more, the values do not fit
  u32 limit;

  __device__ __forceinline__ void add(RESULT value, Total total, u64 hash) {
    u32 place = u32(hash) & (slots - 1);
    while (true) {
      RESULT key = *(volatile RESULT*)(keys + place);
      if (key == NO_KEY) {
        if (*(volatile u32*)used >= limit) return;
        key = compare_and_swap(keys + place, NO_KEY, value);
        if (key == NO_KEY) {
          atomicAdd(used, 1u);
          key = value;
        }
      }
      if (key == value) {
        atomicAdd(totals + place, total);
        return;
      }
      place = (place + 1) & (slots - 1);
    }
  }
};

// The mode of a part of the values of a vertex, by the threads of a block. The table has `most_slots`, at least four
// times as many as there are threads. The mode is returned to the first thread.
__device__ Mode take_part(const View& view, const Part& taken, RESULT* keys, Total* totals, u32 most_slots ARG_PARAMS) {
  __shared__ u32 used, without_key;
  __shared__ Mode of_warp[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  VID u = taken.u;
  i64 degree = view.degree(u), segments = view.segments(u);
  u32 slots = most_slots;
  while (slots > FEWEST_SLOTS && slots / 2 >= 2 * degree) slots /= 2;
  Table table{keys, totals, slots, &used, slots - slots / 4};
  u32 parts = taken.parts;
  Mode mode = no_mode();
  for (u32 part = taken.number; part < parts;) {
    for (u32 slot = threadIdx.x; slot < slots; slot += blockDim.x) {
      keys[slot] = NO_KEY;
      totals[slot] = 0;
    }
    if (threadIdx.x == 0) used = without_key = 0;
    __syncthreads();
    for (i64 s = warp; s < segments; s += warps) {
      Run run = view.segment(u, s);
      do {
        for (i64 slot = run.low + lane; slot < run.high; slot += 32) {
          VID v = view.neighbors[slot];
          if (v < 0) continue;
          RESULT value = op(u, v, edge_of(view, slot), weight_of(view, slot) ARG_NAMES);
          if (SCORED && value < 0) continue;
          if (value == NO_KEY) {
            if (part == 0) atomicAdd(&without_key, 1u);
            continue;
          }
          u64 hash = hash_of(value);
          if ((u32(hash >> 40) & (parts - 1)) == part) table.add(value, total_of(view, slot), hash);
        }
        run = view.next_run(run);
      } while (run.handle >= 0);
    }
    __syncthreads();
    bool fits = used < table.limit;
    if (fits) {
      for (u32 slot = threadIdx.x; slot < slots; slot += blockDim.x)
        if (keys[slot] != NO_KEY) mode = better(mode, mode_of(u, keys[slot], totals[slot] ARG_NAMES));
      if (threadIdx.x == 0 && without_key) mode = better(mode, Mode{NO_KEY, Score(without_key)});
      part += taken.parts;
    } else {
      mode = no_mode();
      parts *= 2;
      part = taken.number;
    }
    __syncthreads();
  }
  mode = best_of_warp(mode);
  if (lane == 0) of_warp[warp] = mode;
  __syncthreads();
  if (warp == 0) mode = best_of_warp(lane < warps ? of_warp[lane] : no_mode());
  __syncthreads();
  return mode;
}

__device__ void take_vertices(const View& view, const VID* vertices, u32 size, RESULT* keys, Total* totals, u32 slots,
                              RESULT* out, Score* scores ARG_PARAMS) {
  for (u32 i = blockIdx.x; i < size; i += gridDim.x) {
    VID u = vertices[i];
    Mode mode = take_part(view, Part{u, 0, 1}, keys, totals, slots ARG_NAMES);
    if (threadIdx.x) continue;
    out[u] = mode.value;
    scores[u] = mode.score;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) mode_medium(
    i64 count, View view, const VID* vertices, const u32* sizes, RESULT* out, Score* scores ARG_PARAMS) {
  __shared__ RESULT keys[SLOTS];
  __shared__ Total totals[SLOTS];
  take_vertices(view, vertices, sizes[0], keys, totals, SLOTS, out, scores ARG_NAMES);
}

extern "C" __global__ void __launch_bounds__(LARGE_BLOCK) mode_large(
    i64 count, View view, const VID* vertices, const u32* sizes, RESULT* out, Score* scores ARG_PARAMS) {
  extern __shared__ i64 memory[];
  Total* totals = reinterpret_cast<Total*>(memory);
  RESULT* keys = reinterpret_cast<RESULT*>(totals + LARGE_SLOTS);
  take_vertices(view, vertices, sizes[1], keys, totals, LARGE_SLOTS, out, scores ARG_NAMES);
}

// Finds the modes of parts, with a table of `slots`, as many as fit into the shared memory of the device.
extern "C" __global__ void __launch_bounds__(HUGE_BLOCK) mode_huge(
    i64 count, View view, const Part* huge, u32 most, u32 slots, const u32* sizes, Mode* found ARG_PARAMS) {
  extern __shared__ i64 memory[];
  Total* totals = reinterpret_cast<Total*>(memory);
  RESULT* keys = reinterpret_cast<RESULT*>(totals + slots);
  u32 size = min(sizes[2], most);
  for (u32 i = blockIdx.x; i < size; i += gridDim.x) {
    if (!huge[i].parts) continue;
    Mode mode = take_part(view, huge[i], keys, totals, slots ARG_NAMES);
    if (threadIdx.x == 0) found[i] = mode;
  }
}

// The best of each vertex's parts, by a warp.
extern "C" __global__ void __launch_bounds__(BLOCK) best_of_parts(
    i64 count, const Part* huge, u32 most, const u32* sizes, const Mode* found, RESULT* out, Score* scores) {
  u32 lane = threadIdx.x & 31, size = min(sizes[2], most);
  for (u32 i = (blockIdx.x * BLOCK + threadIdx.x) >> 5; i < size; i += gridDim.x * (BLOCK / 32)) {
    if (huge[i].number || !huge[i].parts) continue;
    Mode mode = no_mode();
    for (u32 part = lane; part < huge[i].parts; part += 32) mode = better(mode, found[i + part]);
    mode = best_of_warp(mode);
    if (lane == 0) {
      out[huge[i].u] = mode.value;
      scores[huge[i].u] = mode.score;
    }
  }
}
