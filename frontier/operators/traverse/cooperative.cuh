// The kernel of traverse that advances with all blocks, from barrier to barrier. Macros: those of traverse.cuh.
#pragma once
#include "frontier/cuda/bits.cuh"
#include "frontier/cuda/grid_barrier.cuh"
#include "frontier/cuda/number.cuh"
#include "frontier/operators/advance/pull.cuh"

constexpr int MOST_SMALL = 4;           // consecutive small frontiers, after which a single block should go on
constexpr int LAST_EPOCH = -(1 << 30);  // stamps are cleared after it
constexpr int MOST_BLOCKS = 4;          // of a multiprocessor

#ifdef MAY_PULL
#define PULL_PARAMS View entering, u32* bits, u32* spare_bits, VID* rest, i64 pull_from, i64 pull_above,
#else
#define PULL_PARAMS
#endif

// What the blocks share, all zero at first. Counters of a kind take turns: this step's, the next one's, and one that is
// being set to zero.
struct GridState {
  u64 found[3][2];    // vertices that a step put out, and the arcs that leave them
  u64 num_pieces[3];  // of long lists
  u64 num_rest[3];    // vertices that a pull put off
  u64 num_listed[3];  // members of a bitmap that were listed
  u64 arrived;        // at barriers
};
constexpr int GRID_NUMBERS = 16;
static_assert(sizeof(GridState) == GRID_NUMBERS * sizeof(u64), "GRID_NUMBERS is what Python makes room for");

// Consecutive advances in one grid-cooperative launch: until the frontier is empty, leaves the bounds, has been small (within
// `min_count` and `min_arcs`) for some steps, or `max_steps` are made.
//
// A step pulls if the frontier has at least `pull_from` members and more than `pull_above` arcs, between `bits` and
// `spare_bits`; `entering` is the graph whose arcs lead back to the frontier, and `rest` has room for all vertices.
//
// Where the host knows neither the frontier's size nor the epoch, `number` and `room` are as in members.cuh, and the epochs
// go on downward from that many (`epoch`) below `*latest`, which holds the last one that was used.
extern "C" __global__ void __launch_bounds__(BLOCK, MOST_BLOCKS) advance_together(
    i64 count, VIEWS, const VID* in, VID* spare, VID* out, int* stamps, int epoch, volatile u64* outcome, GridState* grid,
    u64* pieces, u32 max_pieces, PULL_PARAMS i64 arcs, i64 min_count, i64 min_arcs, i64 max_count, i64 max_arcs, i64 max_steps, const u64* number,
    i64 room, i64 num_vertices, int* latest ARG_PARAMS) {
  u32 barrier = 0;
  u32* arrived = reinterpret_cast<u32*>(&grid->arrived);
  i64 steps = 0, small_steps = 0, lists = 0;
  bool is_everyone = take_number(count, number, room, num_vertices), is_first = blockIdx.x == 0 && threadIdx.x == 0;
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
      pull_from_each(num_vertices, entering, view, bits, spare_bits, found, rest, num_rest ARG_NAMES);
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
      if (*(volatile u32*)queue.size) {  // for all alike: nobody changes it before the next barrier
        share_out_queue(LISTS, member, queue, walk_some, flush);
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
  } while (count > 0 && count <= max_count && arcs <= max_arcs && small_steps < MOST_SMALL && steps < max_steps);
#ifdef MAY_PULL
  if (is_bitmap && count > 0) make_list(grid->num_listed + steps % 3);
#endif
  if (is_first) tell(outcome, count, arcs, steps, lists);
  if (!latest) return;
  if (epoch < LAST_EPOCH) {
    for (i64 v = i64(blockIdx.x) * BLOCK + threadIdx.x; v < num_vertices; v += i64(gridDim.x) * BLOCK) stamps[v] = 0;
    epoch = -1;
  }
  if (is_first) *latest = epoch + 1;
}
