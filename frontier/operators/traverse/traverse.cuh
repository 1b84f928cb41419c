// CUDA kernels of traverse: those of advance, and many pushes in one launch. Macros: those of advance.cuh, and NEXT_STEP;
// BOTH_WAYS, to go along the edges of a directed graph and of its reverse (`entering`) in each push.
#pragma once
#include "frontier/cuda/grid_barrier.cuh"
#include "frontier/cuda/number.cuh"
#include "frontier/operators/advance/advance.cuh"

#ifdef BOTH_WAYS

// A list of vertices, with the arcs of both graphs that leave them.
struct ReachedList {
  typedef VID Item;
  VID* vertices;
  const View& leaving;
  const View& entering;

  __device__ u64 put(const View&, u64 at, VID v) const {
    vertices[at] = v;
    return u64(leaving.degree(v)) + u64(entering.degree(v));
  }
};

#define VIEWS View view, View entering
#define VIEW_NAMES view, entering
#define REACHED_LIST ReachedList{out, view, entering}
#define DEGREE(v) (u64(view.degree(v)) + u64(entering.degree(v)))
#define SEGMENTS(v) (view.segments(v) + entering.segments(v))

// The segments s, s + step, ... below `end` of u: those of one graph, and behind them those of the other. The view is chosen
// for each, so that functors are inlined only once for both.
template <class WalkIn>
__device__ __forceinline__ void walk_segments(
    const View& view, const View& entering, VID u, i64 s, i64 end, i64 step, WalkIn& walk_in) {
  i64 leaving = view.segments(u);
  for (; s < end; s += step) {
    bool enters = s >= leaving;
    View walked = enters ? entering : view;
    walk_in(walked, enters ? s - leaving : s);
  }
}

#else

typedef VertexList ReachedList;
#define VIEWS View view
#define VIEW_NAMES view
#define REACHED_LIST VertexList{out}
#define DEGREE(v) u64(view.degree(v))
#define SEGMENTS(v) view.segments(v)

template <class WalkIn>
__device__ __forceinline__ void walk_segments(const View& view, VID, i64 s, i64 end, i64 step, WalkIn& walk_in) {
  for (; s < end; s += step) walk_in(view, s);
}

#endif

// Many small pushes, one after another, by one block: from `in` to `out`, then from there to `spare` and back, until the
// frontier is empty, larger than `max_count` or has more than `max_arcs` arcs. counters: [0] vertices, [1] arcs, [2] pushes made.
constexpr int SOLO = 1024;
extern "C" __global__ void __launch_bounds__(SOLO) push_repeatedly(
    i64 count, VIEWS, const VID* in, VID* spare, VID* out, int* stamps, int epoch, u64* counters, i64 max_count,
    i64 max_arcs, i64 max_steps ARG_PARAMS) {
  // The sum of degrees is kept in two parts, which cannot overflow: the few arcs of a step lead to no more vertices than
  // there are arcs. One sum of 64 bits would be a loop of compare-and-swap: shared memory does not add such numbers.
  __shared__ u32 next_count, next_arcs, next_arcs_high;
  ExpandTile tile;
  i64 steps = 0, arcs = 0;
  do {
    if (threadIdx.x == 0) next_count = 0, next_arcs = 0, next_arcs_high = 0;
    __syncthreads();
    for (i64 i = threadIdx.x / TILE_SIZE; i < count; i += SOLO / TILE_SIZE) {
      VID u = in[i];
      if (tile.lane == 0) PREPARE(u);
      __syncwarp(tile.mask);
      auto walk_in = [&](const View& walked, i64 s) {
        auto body = [&](i64, VID u, VID v, i64 slot, bool valid) {
          if (valid && ALLOWED(v) && op(u, v, edge_of(walked, slot), weight_of(walked, slot) ARG_NAMES) && atomicExch(stamps + v, epoch) != epoch) {
            out[atomicAdd(&next_count, 1u)] = v;
            u64 degree = DEGREE(v);
            atomicAdd(&next_arcs, u32(degree & 0xffff));
            if (degree >> 16) atomicAdd(&next_arcs_high, u32(degree >> 16));
          }
        };
        walk(walked, tile, i, u, s, body);
      };
      walk_segments(VIEW_NAMES, u, 0, SEGMENTS(u), 1, walk_in);
    }
    __syncthreads();
    count = next_count;
    arcs = (i64(next_arcs_high) << 16) + next_arcs;
    VID* swap = spare;
    spare = out;
    in = out;
    out = swap;
    ++epoch;
    ++steps;
    NEXT_STEP;
    __syncthreads();
  } while (count > 0 && count <= max_count && arcs <= max_arcs && steps < max_steps);
  if (threadIdx.x == 0) counters[0] = u64(count), counters[1] = u64(arcs), counters[2] = u64(steps);
}

// Consecutive pushes of medium frontiers in one grid-cooperative launch: until the frontier is empty, leaves the bounds,
// or `max_steps` are made. counters: as in push_repeatedly. `rounds` is the memory that blocks share, all zero at first: three
// pairs of counts, of vertices and arcs, that take turns (this step's, the next one's, and one that is being cleared); the
// barrier's count; three counts of huge vertices, which take turns likewise; and the places of these in the frontier.
//
// Where the host knows neither the frontier's size nor the epoch, `number`, `room` and `everyone` are as in members.cuh, and
// the epochs go on downward from that many (`epoch`) below `*latest`, which holds the last one that was used.
constexpr int BIG_SEGMENTS = 64;    // a vertex with more is walked by a whole block
constexpr int MOST_BIG = 256;       // as many of these as a block holds; more are walked by a tile each
constexpr int GRID_SEGMENTS = 512;  // a vertex with more is walked by all blocks, after one more barrier
constexpr int MOST_HUGE = 32;       // as many of these in a step; more are walked by a block each
constexpr int LAST_EPOCH = -(1 << 30);  // stamps are cleared after it
extern "C" __global__ void __launch_bounds__(BLOCK, 2) push_cooperatively(
    i64 count, VIEWS, const VID* in, VID* spare, VID* out, int* stamps, int epoch, u64* counters, u64* rounds,
    i64 min_count, i64 min_arcs, i64 max_count, i64 max_arcs, i64 max_steps, const u64* number, i64 room, i64 everyone,
    int* latest ARG_PARAMS) {
  __shared__ i64 big[MOST_BIG];
  __shared__ u32 num_big;
  ExpandTile tile;
  u32 barrier = 0;
  u32* arrived = reinterpret_cast<u32*>(rounds + 6);
  u64* huge = rounds + 10;
  i64 steps = 0, arcs = 0;
  i64 first = (i64(blockIdx.x) * BLOCK + threadIdx.x) / TILE_SIZE, stride = i64(gridDim.x) * BLOCK / TILE_SIZE;
  bool is_everyone = take_number(count, number, room, everyone), is_first = blockIdx.x == 0 && threadIdx.x == 0;
  int change = 1;
  if (latest) {
    change = -1;
    int before = *latest;
    if (count == 0) {  // there is no barrier then; nor does another block look at the number
      if (is_first) *latest = before - epoch;
      return;
    }
    epoch = before - epoch - 1;
  }
  do {
    u64* next = rounds + 2 * ((steps + 1) % 3);
    u64* after = rounds + 2 * ((steps + 2) % 3);
    u64* num_huge = rounds + 7 + steps % 3;
    if (is_first) after[0] = 0, after[1] = 0, rounds[7 + (steps + 1) % 3] = 0;
    if (threadIdx.x == 0) num_big = 0;
    MAKE_OUTPUT(output, ReachedList, REACHED_LIST, next);
    auto member = [&](i64 i) { return is_everyone ? VID(i) : __ldcg(in + i); };
    auto is_put_off = [&](i64 i, i64 segments) {
      if (segments > GRID_SEGMENTS) {
        u64 at = atomicAdd(num_huge, 1ull);
        if (at < MOST_HUGE) {
          huge[at] = u64(i);
          return true;
        }
      }
      u32 at = atomicAdd(&num_big, 1u);
      if (at < MOST_BIG) big[at] = i;
      return at < MOST_BIG;
    };
    auto walk_some = [&](i64 i, VID u, i64 begin, i64 end, i64 step) {
      auto walk_in = [&](const View& view, i64 s) {
        PUSH_BODY;  // with the slots of this view
        walk(view, tile, i, u, s, body);
      };
      walk_segments(VIEW_NAMES, u, begin, end, step, walk_in);
    };
    auto walk_together = [&](i64 i, i64 begin, i64 step) {  // with other tiles, which begin elsewhere
      VID u = member(i);
      walk_some(i, u, begin, SEGMENTS(u), step);
    };
    for (i64 i = first; i < count; i += stride) {
      VID u = member(i);
      if (tile.lane == 0) PREPARE(u);
      __syncwarp(tile.mask);
      i64 segments = SEGMENTS(u);
      if (segments > BIG_SEGMENTS) {
        bool later = tile.lane == 0 && is_put_off(i, segments);
        if (tile.shfl(int(later), 0)) continue;
      }
      walk_some(i, u, 0, segments, 1);
    }
    __syncthreads();
    u32 listed = num_big < MOST_BIG ? num_big : MOST_BIG;
    for (u32 b = 0; b < listed; ++b) walk_together(big[b], threadIdx.x / TILE_SIZE, BLOCK / TILE_SIZE);
    __syncthreads();
    output.flush(view);
    grid_barrier(arrived, barrier);
    u64 waiting = *(volatile u64*)num_huge;  // for all alike: nobody changes it before the next barrier
    if (waiting > 0) {
      if (waiting > MOST_HUGE) waiting = MOST_HUGE;
      for (u64 h = 0; h < waiting; ++h) walk_together(i64(__ldcg(huge + h)), first, stride);
      __syncthreads();
      output.flush(view);
      grid_barrier(arrived, barrier);
    }
    count = i64(*(volatile u64*)next);
    arcs = i64(*(volatile u64*)(next + 1));
    VID* swap = spare;
    spare = out;
    in = out;
    out = swap;
    is_everyone = false;
    epoch += change;
    ++steps;
    NEXT_STEP;
  } while (count > 0 && count <= max_count && arcs <= max_arcs && (count > min_count || arcs > min_arcs) &&
           steps < max_steps);
  if (is_first) counters[0] = u64(count), counters[1] = u64(arcs), counters[2] = u64(steps);
  if (!latest) return;
  if (epoch < LAST_EPOCH) {
    for (i64 v = i64(blockIdx.x) * BLOCK + threadIdx.x; v < everyone; v += i64(gridDim.x) * BLOCK) stamps[v] = 0;
    epoch = -1;
  }
  if (is_first) *latest = epoch + 1;
}
