// CUDA kernels of traverse: many advances in one launch, by one block or by all. Macros: those of visit.cuh, and NEXT_STEP;
// BOTH_WAYS, to go along the edges of a directed graph and of its reverse (`entering`) in each push; or MAY_PULL, to choose
// between push and pull in each step. Without the last, those of advance are there for larger frontiers.
#pragma once
#ifdef MAY_PULL
#include "frontier/operators/advance/visit.cuh"
#else
#include "frontier/operators/advance/advance.cuh"
#endif

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

// The lists of both graphs: a vertex has the segments of one, and behind them those of the other.
struct BothLists {
  const View& leaving;
  const View& entering;

  __device__ i64 segments(VID v) const { return leaving.segments(v) + entering.segments(v); }
};

#define VIEWS View view, View entering
#define VIEW_NAMES view, entering
#define REACHED_LIST ReachedList{out, view, entering}
#define DEGREE(v) (u64(view.degree(v)) + u64(entering.degree(v)))
#define LISTS BothLists{view, entering}

// The segments s, s + step, ... below `end` of u. The view is chosen for each, so that functors are inlined only once for
// both.
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
#define LISTS view

template <class WalkIn>
__device__ __forceinline__ void walk_segments(const View& view, VID, i64 s, i64 end, i64 step, WalkIn& walk_in) {
  for (; s < end; s += step) walk_in(view, s);
}

#endif

// What the host hears of a series of advances: the size of the frontier, the arcs that leave it, the advances that were
// made, and which list it is in: `spare` of the first one, or `out`.
__device__ __forceinline__ void tell(volatile u64* outcome, i64 count, i64 arcs, i64 steps, i64 lists) {
  outcome[0] = u64(count);
  outcome[1] = u64(arcs);
  outcome[2] = u64(steps);
  outcome[3] = u64(lists & 1);
}

// Many small pushes, one after another, by one block: from `in` to `out`, then from there to `spare` and back, until the
// frontier is empty, larger than `max_count` or has more than `max_arcs` arcs.
constexpr int SOLO = 1024;
extern "C" __global__ void __launch_bounds__(SOLO) push_repeatedly(
    i64 count, VIEWS, const VID* in, VID* spare, VID* out, int* stamps, int epoch, volatile u64* outcome, i64 max_count,
    i64 max_arcs, i64 max_steps ARG_PARAMS) {
  // The sum of degrees is kept in two parts, which cannot overflow: the few arcs of a step lead to no more vertices than
  // there are arcs. One sum of 64 bits would be a loop of compare-and-swap: shared memory does not add such numbers.
  __shared__ u32 next_count, next_arcs, next_arcs_high;
  ExpandTile tile;
  const auto& lists = LISTS;
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
      walk_segments(VIEW_NAMES, u, 0, lists.segments(u), 1, walk_in);
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
  if (threadIdx.x == 0) tell(outcome, count, arcs, steps, steps);
}

#if BALANCE == BY_TILE
#include "frontier/operators/traverse/cooperative.cuh"
#endif
