// CUDA kernel of searches over a distributed graph, whose GPUs read and write each other's memory. The partitions'
// kernels run at the same time and make one advance after another, without the host. Macros: see visit.cuh, and
// NEXT_STEP.
//
// A partition has a window, memory that all partitions see:
//
//     WindowHead    the numbers that other partitions have sent, followed by the rows of windows.cuh
//     bits          two bitmaps, alternating: its members of the frontier, once it is a bitmap
//     messages      of each other partition: the vertices of this one that it has reached (columns.cuh). At the end,
//                   at the same address, the entries of all vertices (entries.cuh)
//
// A push is a push of one device, along the partition's own arcs. The reached vertices of other partitions are written
// into their windows. When all have done so, each combines its messages, and sends its members and arcs to all: two
// barriers of the partitions. A pull reads the bits of all partitions, and has one barrier.
#pragma once
#include "frontier/cuda/bits.cuh"
#include "frontier/cuda/grid_barrier.cuh"
#include "frontier/cuda/pull.cuh"
#include "frontier/cuda/visit.cuh"
#include "frontier/distributed/exchange/levels/columns.cuh"
#include "frontier/distributed/operators/persistent/entries.cuh"
#include "frontier/distributed/transport/window_layout.cuh"

static_assert(WIDE == BLOCK, "blocks that expand distribute vertices, too");
constexpr int MAX_BLOCKS = 4;  // of a multiprocessor
constexpr int OUTCOMES = 9;     // windows.py has the same number

// The result of a search, and the reason of its end (persistent/__init__.py has the same). `ALL_SHARED`: it is done,
// and its arrays are equal on all partitions.
enum Ending { DONE, NO_ROOM, PART_LOST, ALL_SHARED };

// The note that a partition sends another at a barrier: two numbers below 2^48. Above them is the barrier's number, by
// which the waiting partition detects the note.
struct Note {
  u64 first, second;
};
constexpr int TAG_AT = 48;
constexpr u64 NUMBER = (1ull << TAG_AT) - 1;

struct WindowHead {
  u64 turn;                   // barriers of the partitions so far, private to this partition
  Note notes[2][MAX_PARTS];  // of partition p, written by it: by turns, as it may be ahead by one barrier
};
static_assert(sizeof(WindowHead) <= ROWS_AT, "rows of numbers come behind");

// The state that the blocks of a partition share, all zero at first. Counters of a kind rotate: this step's, the next
// one's, and one that is being set to zero.
struct PartState {
  u64 found[3][2];          // members of this partition in the output of a step, and the arcs that leave them
  u64 reached[3][2];        // the vertices that a push has reached. The second is not used
  u64 sent[3][MAX_PARTS];  // of it, to each partition
  u64 num_pieces[3];        // of long lists
  u64 num_rest[3];          // vertices that a pull deferred
  u64 num_listed[3];        // members of a bitmap that were listed
  u64 received[MAX_PARTS]; // pairs in the message of each partition
  Note totals;              // members of all partitions, and the arcs that leave them
  u64 ending;
  u64 arrived, released;    // at barriers
};
constexpr int STATE_NUMBERS = 154;
static_assert(sizeof(PartState) == STATE_NUMBERS * sizeof(u64), "STATE_NUMBERS is what Python makes room for");

// A list whose arcs are not counted.
struct BareList {
  typedef VID Item;
  VID* vertices;

  __device__ u64 put(const View&, u64 at, VID v) const {
    vertices[at] = v;
    return 0;
  }
};

// The windows of all partitions.
struct Windows {
  char* const* of;
  int rank, parts;
  i64 words;         // of a bitmap
  i64 message_bytes;
  const volatile u64* abandoned;

  __device__ WindowHead* head(int p) const { return (WindowHead*)of[p]; }
  __device__ u32* bits(int p, int which) const { return (u32*)(of[p] + HEAD_BYTES) + which * words; }
  // In the window of `to`.
  __device__ char* message(int to, int from) const { return (char*)bits(to, 2) + from * message_bytes; }

  // By one thread: sends each partition its note, and waits for the notes of all other partitions, which `take`
  // receives. Returns false if a partition does not come.
  template <class NoteFor, class Take>
  __device__ bool meet(i64 patience, NoteFor note_for, Take take) const {
    WindowHead* own = head(rank);
    u64 turn = own->turn + 1, tag = turn << TAG_AT;
    own->turn = turn;
    for (int p = 0; p < parts; ++p) {
      if (p == rank) continue;
      volatile Note* note = &head(p)->notes[turn & 1][rank];
      Note mine = note_for(p);
      note->first = tag | mine.first;
      note->second = tag | mine.second;
    }
    for (int p = 0; p < parts; ++p) {
      if (p == rank) continue;
      volatile Note* note = &own->notes[turn & 1][p];
      Note theirs;
      do {
        theirs.first = note->first;
        theirs.second = note->second;
        if (--patience < 0 || is_abandoned(abandoned, patience)) return false;
      } while (((theirs.first ^ tag) | (theirs.second ^ tag)) >> TAG_AT);
      take(p, Note{theirs.first & NUMBER, theirs.second & NUMBER});
    }
    return true;
  }
};

// A barrier for all blocks of the grid, within which one thread calls `between`. It orders the memory of all GPUs.
template <class Between>
__device__ void barrier_around(PartState* state, u32& target, Between between) {
  u32 *arrived = (u32*)&state->arrived, *released = (u32*)&state->released;
  target += gridDim.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    atomicAdd(arrived, 1u);
    if (blockIdx.x == 0) {
      while (int(*(volatile u32*)arrived - target) < 0) {}  // the counts may wrap around
      __threadfence_system();
      between();
      __threadfence_system();
      *(volatile u32*)released = target;
    } else {
      while (int(*(volatile u32*)released - target) < 0) {}
      __threadfence();
    }
  }
  __syncthreads();
}

// Advances, until no partition has members, `max_steps` are made, or a partition has reached more vertices of another
// partition than fit in a message. Then `reached` has the reached vertices, and the host continues from there. If it
// has returned at least `share_from` vertices, all partitions get all entries of its arrays.
//
// A step pulls if all frontiers together have at least `pull_from` members and more than `pull_above` arcs. `entering`
// is the graph whose arcs lead back to them, and `owned` lists this partition's vertices. All lists and `rest` have
// capacity for all vertices, `everyone` for a bitmap.
//
// outcome: this partition's members, the arcs that leave them, which list they are in (the first is `spare`), the
// steps, the members of all partitions, the reason of the end, the number of vertices in `reached`, the pairs that this
// partition has sent, and the bitmaps that it has read.
extern "C" __global__ void __launch_bounds__(BLOCK, MAX_BLOCKS) advance_over_parts(
    i64, View view, i64 count, const VID* in, VID* spare, VID* out, VID* reached, int* stamps, int epoch,
    volatile u64* outcome, PartState* state, u64* pieces, u32 max_pieces, View entering, u32* everyone, VID* rest,
    i64 pull_from, i64 pull_above, i64 num_owned, const i64* owned, const u8* owners, char* const* window_of, int rank,
    int parts, i64 room, i64 message_bytes, i64 share_from, i64 num_vertices, i64 max_steps, i64 patience,
    const volatile u64* abandoned, COLUMN_PARAMS ARG_PARAMS) {
  Columns columns = COLUMNS;
  i64 words = (num_vertices + 31) / 32;
  Windows windows{window_of, rank, parts, words, message_bytes, abandoned};
  bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
  u32 target = 0;
  i64 steps = 0, put_out = 0, lists = 0, pairs_sent = 0, bitmaps_read = 0;  // those sent are known to one thread
  auto member = [&](i64 i) { return __ldcg(in + i); };
  auto take_output = [&] {  // as the frontier
    VID* swap = spare;
    spare = out;
    in = out;
    out = swap;
    ++lists;
  };
  auto sync = [&] { grid_barrier((u32*)&state->arrived, target); };
  auto meet = [&] {
    barrier_around(state, target, [&] {
      if (!windows.meet(patience, [](int) { return Note{0, 0}; }, [](int, Note) {})) state->ending = PART_LOST;
    });
  };
  // Sends `found` to all partitions, and adds up theirs.
  auto sum_up = [&](const u64* found) {
    barrier_around(state, target, [&] {
      Note mine{*(volatile const u64*)found, *(volatile const u64*)(found + 1)}, sum = mine;
      bool all = windows.meet(patience, [&](int) { return mine; }, [&](int, Note note) {
        sum.first += note.first;
        sum.second += note.second;
      });
      state->totals = sum;
      if (!all) state->ending = PART_LOST;
    });
  };

  u64 arcs = 0;
  GRID_STRIDE(i, count) arcs += u64(view.degree(member(i)));
  add_up(state->found[2] + 1, arcs);
  if (is_first) state->found[2][0] = u64(count);
  sum_up(state->found[2]);
  i64 total = i64(*(volatile u64*)&state->totals.first), total_arcs = i64(*(volatile u64*)&state->totals.second);
#ifdef HAS_CONDITION
  int which = 0;           // of the two bitmaps
  bool is_bitmap = false;  // this partition's members are in it, not in `in`
#endif
  u64 ending = *(volatile u64*)&state->ending;
  while (ending == DONE && total > 0 && steps < max_steps) {
    int now = steps % 3, then = (steps + 1) % 3;
    u64* found = state->found[now];
    if (is_first) {
      state->found[then][0] = state->found[then][1] = state->reached[then][0] = 0;
      state->num_pieces[then] = state->num_rest[then] = state->num_listed[then] = 0;
      for (int p = 0; p < parts; ++p) state->sent[then][p] = 0;
    }
#ifdef HAS_CONDITION
    bool pulls = total >= pull_from && total_arcs > pull_above;
    if (pulls) {
      if (!is_bitmap) {
        u32* bits = windows.bits(rank, which);
        GRID_STRIDE(word, words) bits[word] = 0;
        sync();
        GRID_STRIDE(i, count) set_bit(bits, member(i));
        meet();
        is_bitmap = true;
      }
      u32 *bits = windows.bits(rank, which ^ 1), *num_rest = (u32*)(state->num_rest + now);
      GRID_STRIDE(word, words) {
        u32 members = 0;
        bits[word] = 0;
        for (int p = 0; p < parts; ++p) members |= *(volatile u32*)(windows.bits(p, which) + word);
        everyone[word] = members;
      }
      sync();
      bitmaps_read += parts - 1;
      which ^= 1;
      ListedVertices mine{num_owned, owned};
      pull_from_each(mine, entering, view, everyone, bits, found, rest, num_rest ARG_NAMES);
      sync();
      if (u32 waiting = *(volatile u32*)num_rest) {
        pull_from_rest(entering, view, everyone, bits, found, rest, waiting ARG_NAMES);
        // Its counts are seen by all after the next barrier.
      }
    } else if (is_bitmap) {
      list_bits(words, windows.bits(rank, which), out, state->num_listed + now);
      take_output();
      is_bitmap = false;
      sync();
    }
    if (!pulls)
#endif
    {
      u64* num_reached = state->reached[now];
      {
        MAKE_OUTPUT(output, BareList, BareList{reached}, num_reached);
        PUSH_BODY;
        auto walk_some = [&](const ExpandTile& tile, i64 item, VID u, i64 s, i64 end, i64 step, bool) {
          for (; s < end; s += step) walk(view, tile, item, u, s, body);
        };
        auto prepared = [&](i64 i) {
          VID u = member(i);
          PREPARE(u);
          return u;
        };
        auto flush = [&] { output.flush(view); };
        PieceQueue queue{pieces, (u32*)(state->num_pieces + now), max_pieces};
        i64 items = (count + gridDim.x - 1) / gridDim.x;
        share_out(view, count, int(items < BLOCK ? items : BLOCK), prepared, queue, walk_some, flush);
        sync();
        if (*(volatile u32*)queue.size) {  // equal for all: nothing changes it before the next barrier
          share_out_queue(view, member, queue, walk_some, flush, [&] { return output.is_filling(); });
          sync();
        }
      }
      u64 arcs = 0, *sent = state->sent[now];
      auto owner_of = [&](VID v) { return int(owners[v]); };
      auto cursor_of = [&](int p) { return p == rank ? found : sent + p; };
      auto take = [&](int p, i64 place, VID v) {
        if (p == rank) {
          out[place] = v;
          arcs += u64(view.degree(v));
        } else if (place < room) {
          put_pair(columns, windows.message(p, rank), room, place, v);
        }
      };
      distribute(i64(*(volatile u64*)num_reached), reached, parts, owner_of, cursor_of, take);
      barrier_around(state, target, [&] {
        u64 full = 0, pairs = 0;
        for (int p = 0; p < parts; ++p) {
          full |= *(volatile u64*)(sent + p) > u64(room);
          pairs += *(volatile u64*)(sent + p);
        }
        auto note_for = [&](int p) { return Note{*(volatile u64*)(sent + p), full}; };
        bool all = windows.meet(patience, note_for, [&](int p, Note note) {
          state->received[p] = note.first;
          full |= note.second;
        });
        if (full) state->ending = NO_ROOM;
        else pairs_sent += i64(pairs);
        if (!all) state->ending = PART_LOST;
      });
      ending = *(volatile u64*)&state->ending;
      if (ending != DONE) break;
      // One partition after another: a vertex that several have sent is combined in their order.
      for (int p = 0; p < parts; ++p) {
        if (p == rank) continue;
        i64 pairs = i64(*(volatile u64*)(state->received + p));
        arcs += combine_all(view, columns, windows.message(rank, p), room, pairs, stamps, epoch, out, found);
        if (parts > 2) sync();
      }
      add_up(found + 1, arcs);
      take_output();
      ++epoch;
    }
    sum_up(found);
    count = i64(*(volatile u64*)found);
    total = i64(*(volatile u64*)&state->totals.first);
    total_arcs = i64(*(volatile u64*)&state->totals.second);
    ending = *(volatile u64*)&state->ending;
    put_out += total;
    ++steps;
    NEXT_STEP;
  }
  if (ending == DONE && put_out >= share_from) {
    auto room_of = [&](int p) { return windows.message(p, 0); };
    auto all_met = [&] {
      meet();
      return *(volatile u64*)&state->ending == DONE;
    };
    bool shared = share_entries(columns, owners, num_vertices, rank, parts, parts * message_bytes, room_of, all_met);
    ending = shared ? ALL_SHARED : PART_LOST;
  }
#ifdef HAS_CONDITION
  if (is_bitmap) list_bits(words, windows.bits(rank, which), out, state->num_listed + steps % 3), take_output();
#endif
  if (!is_first) return;
  u64 own_arcs = *(volatile u64*)(state->found[(steps + 2) % 3] + 1);
  u64 num_reached = *(volatile u64*)state->reached[steps % 3];
  u64 numbers[OUTCOMES] = {
      u64(count), own_arcs, u64(lists & 1), u64(steps), u64(total), ending, num_reached, u64(pairs_sent),
      u64(bitmaps_read)};
  for (int i = 0; i < OUTCOMES; ++i) outcome[i] = numbers[i];
}
