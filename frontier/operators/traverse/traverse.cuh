// CUDA kernels of traverse: many advances in one launch, by one cluster or by all blocks. Macros: see visit.cuh, and
// NEXT_STEP.
// BOTH_WAYS, to walk the edges of a directed graph and of its reverse (`entering`) in each push. Or MAY_PULL, to choose
// between push and pull in each step. Without MAY_PULL, the kernels of advance process larger frontiers.
#pragma once
#include "frontier/cuda/bits.cuh"
#include "frontier/cuda/cluster.cuh"
#include "frontier/cuda/grid_barrier.cuh"
#include "frontier/cuda/number.cuh"
#include "frontier/cuda/pull.cuh"
#ifndef MAY_PULL
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

// The lists of both graphs: a vertex has the segments of one, followed by its segments of the other graph.
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

// The segments s, s + step, ... below `end` of u. The view is chosen for each segment, and functors are inlined only
// once for both.
template <class WalkIn>
__device__ __forceinline__ void walk_segments(
    const View& view, const View& entering, VID u, i64 s, i64 end, i64 step, WalkIn& walk_in) {
  i64 leaving = view.segments(u);
  for (; s < end; s += step) {
    bool enters = s >= leaving;
    View traversed = enters ? entering : view;
    walk_in(traversed, enters ? s - leaving : s);
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

// Reports a series of advances to the host: the size of the frontier, the arcs that leave it, the number of advances,
// and the list that contains it (`spare` of the first one, or `out`).
__device__ __forceinline__ void report(volatile u64* outcome, i64 count, i64 arcs, i64 steps, i64 lists) {
  outcome[0] = u64(count);
  outcome[1] = u64(arcs);
  outcome[2] = u64(steps);
  outcome[3] = u64(lists & 1);
}

// Many small pushes, one after another, by one cluster: from `in` to `out`, then from there to `spare` and back. They
// end when the frontier is empty, larger than `max_count` or has more than `max_arcs` arcs.
//
// found: for three steps, the vertices in the output and the arcs that leave them. A step counts in one pair while the
// next one's is set to zero, and the last one's may still be read.
constexpr int SOLO = 1024;
extern "C" __global__ void IN_CLUSTERS __launch_bounds__(SOLO) push_repeatedly(
    i64 count, VIEWS, const VID* in, VID* spare, VID* out, int* stamps, int epoch, volatile u64* outcome, u64* found,
    i64 max_count, i64 max_arcs, i64 max_steps ARG_PARAMS) {
  ExpandTile tile;
  const auto& lists = LISTS;
  i64 steps = 0, arcs = 0;
  bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
  if (is_first) found[0] = found[1] = 0;
  cluster_barrier();
  do {
    u64* now = found + 2 * (steps % 3);
    if (is_first) {
      u64* then = found + 2 * ((steps + 1) % 3);
      then[0] = then[1] = 0;
    }
    u64 leaving = 0;  // arcs, from the vertices that this thread has put into the list
    for (i64 i = (blockIdx.x * SOLO + threadIdx.x) / TILE_SIZE; i < count; i += CLUSTER * SOLO / TILE_SIZE) {
      VID u = __ldcg(in + i);
      if (tile.lane == 0) PREPARE(u);
      __syncwarp(tile.mask);
      auto walk_in = [&](const View& traversed, i64 s) {
        auto body = [&](i64, VID u, VID v, i64 slot, bool valid) {
          if (valid && ALLOWED(v) && op(u, v, edge_of(traversed, slot), weight_of(traversed, slot) ARG_NAMES) && atomicExch(stamps + v, epoch) != epoch) {
            u64 degree = DEGREE(v);  // read while the place is drawn
            out[ticket(now)] = v;
            leaving += degree;
          }
        };
        walk(traversed, tile, i, u, s, body);
      };
      walk_segments(VIEW_NAMES, u, 0, lists.segments(u), 1, walk_in);
    }
    leaving = Tile<32>().reduce(leaving, Sum());
    if ((threadIdx.x & 31) == 0 && leaving) atomicAdd(now + 1, leaving);
    cluster_barrier();
    count = i64(*(volatile u64*)now);
    arcs = i64(*(volatile u64*)(now + 1));
    VID* swap = spare;
    spare = out;
    in = out;
    out = swap;
    ++epoch;
    ++steps;
    NEXT_STEP;
  } while (count > 0 && count <= max_count && arcs <= max_arcs && steps < max_steps);
  if (is_first) report(outcome, count, arcs, steps, steps);
}

#if BALANCE == BY_TILE  // the schedule of what all blocks do together

constexpr int MAX_SMALL = 4;           // consecutive small frontiers, after which a single cluster should continue
constexpr int LAST_EPOCH = -(1 << 30);  // stamps are cleared after it
constexpr int MAX_BLOCKS = 4;          // of a multiprocessor

#ifdef MAY_PULL
#define PULL_PARAMS View entering, u32* bits, u32* spare_bits, VID* rest, i64 pull_from, i64 pull_above,
#else
#define PULL_PARAMS
#endif

// The state that the blocks share, all zero at first. Counters of a kind rotate: this step's, the next one's, and one
// that is being set to zero.
struct GridState {
  u64 found[3][2];    // vertices in the output of a step, and the arcs that leave them
  u64 num_pieces[3];  // of long lists
  u64 num_rest[3];    // vertices that a pull deferred
  u64 num_listed[3];  // members of a bitmap that were listed
  u64 arrived;        // at barriers
};
constexpr int GRID_NUMBERS = 16;
static_assert(sizeof(GridState) == GRID_NUMBERS * sizeof(u64), "GRID_NUMBERS is what Python makes room for");

// Consecutive advances in one grid-cooperative launch: until the frontier is empty, leaves the bounds, has been small (within
// `min_count` and `min_arcs`) for some steps, or `max_steps` are made.
//
// A step pulls if the frontier has at least `pull_from` members and more than `pull_above` arcs, between `bits` and
// `spare_bits`. `entering` is the graph whose arcs lead back to the frontier, and `rest` has capacity for all vertices.
//
// If the host knows neither the frontier's size nor the epoch, `number` and `room` are as in members.cuh, and the
// epochs continue downward from `epoch` below `*latest`, the last epoch used.
extern "C" __global__ void __launch_bounds__(BLOCK, MAX_BLOCKS) advance_together(
    i64 count, VIEWS, const VID* in, VID* spare, VID* out, int* stamps, int epoch, volatile u64* outcome, GridState* grid,
    u64* pieces, u32 max_pieces, PULL_PARAMS i64 arcs, i64 min_count, i64 min_arcs, i64 max_count, i64 max_arcs,
    i64 max_steps, const u64* number, i64 room, i64 num_vertices, int* latest ARG_PARAMS) {
  u32 barrier = 0;
  u32* arrived = reinterpret_cast<u32*>(&grid->arrived);
  i64 steps = 0, small_steps = 0, lists = 0;
  bool is_everyone = take_number(count, number, room, num_vertices), is_first = blockIdx.x == 0 && threadIdx.x == 0;
  int change = 1;
  if (latest) {
    change = -1;
    int before = *latest;
    if (count == 0) {  // no barrier follows then, and no other block reads the number
      if (is_first) *latest = before - epoch;
      return;
    }
    epoch = before - epoch - 1;
  }
  auto member = [&](i64 i) { return is_everyone ? VID(i) : __ldcg(in + i); };
  auto take_output = [&] {  // as the frontier
    VID* swap = spare;
    spare = out;
    in = out;
    out = swap;
    is_everyone = false;
    ++lists;
  };
#ifdef MAY_PULL
  bool is_bitmap = false;  // the frontier is in `bits`, not in `in`
  i64 words = (num_vertices + 31) / 32;
  auto make_bitmap = [&] {
    GRID_STRIDE(word, words) bits[word] = 0;
    grid_barrier(arrived, barrier);
    GRID_STRIDE(i, count) set_bit(bits, member(i));
    grid_barrier(arrived, barrier);
    is_bitmap = true;
  };
  auto make_list = [&](u64* num_listed) {
    list_bits(words, bits, out, num_listed);
    take_output();
    is_bitmap = false;
  };
#endif
  do {
    int now = steps % 3, then = (steps + 1) % 3;
    u64* found = grid->found[now];
    if (is_first) {
      grid->found[then][0] = grid->found[then][1] = 0;
      grid->num_pieces[then] = grid->num_rest[then] = grid->num_listed[then] = 0;
    }
#ifdef MAY_PULL
    bool pulls = count >= pull_from && arcs > pull_above;
    if (pulls) {
      if (!is_bitmap) make_bitmap();
      u32* num_rest = reinterpret_cast<u32*>(grid->num_rest + now);
      pull_from_each(AllVertices{num_vertices}, entering, view, bits, spare_bits, found, rest, num_rest ARG_NAMES);
      grid_barrier(arrived, barrier);
      if (u32 waiting = *(volatile u32*)num_rest) {
        pull_from_rest(entering, view, bits, spare_bits, found, rest, waiting ARG_NAMES);
        grid_barrier(arrived, barrier);
      }
      u32* swap = bits;
      bits = spare_bits;
      spare_bits = swap;
    } else if (is_bitmap) {
      make_list(grid->num_listed + now);
      grid_barrier(arrived, barrier);
    }
    if (!pulls)
#endif
    {
      MAKE_OUTPUT(output, ReachedList, REACHED_LIST, found);
      auto walk_some = [&](const ExpandTile& tile, i64 item, VID u, i64 begin, i64 end, i64 step, bool) {
        auto walk_in = [&](const View& view, i64 s) {
          PUSH_BODY;  // with the slots of this view
          walk(view, tile, item, u, s, body);
        };
        walk_segments(VIEW_NAMES, u, begin, end, step, walk_in);
      };
      auto prepared = [&](i64 i) {
        VID u = member(i);
        PREPARE(u);
        return u;
      };
      auto flush = [&] { output.flush(view); };
      PieceQueue queue{pieces, reinterpret_cast<u32*>(grid->num_pieces + now), max_pieces};
      i64 items = (count + gridDim.x - 1) / gridDim.x;
      share_out(LISTS, count, int(items < BLOCK ? items : BLOCK), prepared, queue, walk_some, flush);
      grid_barrier(arrived, barrier);
      if (*(volatile u32*)queue.size) {  // equal for all: nothing changes it before the next barrier
        share_out_queue(LISTS, member, queue, walk_some, flush, [&] { return output.is_filling(); });
        grid_barrier(arrived, barrier);
      }
      take_output();
      epoch += change;
    }
    count = i64(*(volatile u64*)found);
    arcs = i64(*(volatile u64*)(found + 1));
    small_steps = count <= min_count && arcs <= min_arcs ? small_steps + 1 : 0;
    ++steps;
    NEXT_STEP;
  } while (count > 0 && count <= max_count && arcs <= max_arcs && small_steps < MAX_SMALL && steps < max_steps);
#ifdef MAY_PULL
  if (is_bitmap && count > 0) make_list(grid->num_listed + steps % 3);
#endif
  if (is_first) report(outcome, count, arcs, steps, lists);
  if (!latest) return;
  if (epoch < LAST_EPOCH) {
    for (i64 v = i64(blockIdx.x) * BLOCK + threadIdx.x; v < num_vertices; v += i64(gridDim.x) * BLOCK) stamps[v] = 0;
    epoch = -1;
  }
  if (is_first) *latest = epoch + 1;
}

#endif
