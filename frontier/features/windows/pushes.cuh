// A batch of rows with edge data, and the edges that leave the window with it, on a GPU, in few launches. check_records
// checks the rows and makes arcs of them, which the structure inserts. finish_records resolves the result of each.
// Kernels pass each other the numbers that the host would otherwise synchronize for. pushes.py is the host side. Macro:
// VID.
//
// All rows get ids, as if each were a new edge. In most batches they all are. Rows of existing edges, or of edges
// that the batch repeats, meet in a table afterwards, and their ids are freed.
#pragma once
#include "frontier/cuda/grid_barrier.cuh"
#include "frontier/cuda/last_block.cuh"
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/core/batch/slot_filter.cuh"
#include "frontier/features/edge_data/claims.cuh"

constexpr i64 LOWEST = -0x7fffffffffffffffll - 1;
constexpr i64 DEFERRED_ARC = LOWEST;  // the slot of an arc that was not inserted for lack of capacity
constexpr int PIECES = 3;

// The fields of PUSH and RULES of pushes.py, in order.
struct Push {
  const void* src;  // as the user has them
  const void* dst;
  const void* weights;  // to check: numbers of `weight_width` bytes, none of which may be NaN, or null
  const i64* times;  // null: row i has the time first_time + time_step * i
  i64 first_time;
  i64 has_clock, clock;  // the window starts `reach` before the clock
  const VID* free_ids;
  i64 free_count, top;
  VID* ids;     // by row: the id of its edge, or -1
  i64* logged;  // by row: its time, or null if the log stores no array of times
  VID* new_src;  // the new edges, for observers, and the leaving ones. Null without any
  VID* new_dst;
  VID* gone_src;
  VID* gone_dst;

  i64 wide;  // whether the user's ids are int64
  i64 directed, num_vertices;
  const bool* absent;
  i64 weight_width, time_step;
  i64 timed, earliest, keep;
  i64 windowed;  // whether rows may be late
  i64 reach, lateness;

  __device__ VID source(i64 i) const { return VID(at(src, i)); }
  __device__ VID target(i64 i) const { return VID(at(dst, i)); }
  __device__ i64 time(i64 i) const { return times ? times[i] : first_time + time_step * i; }
  __device__ i64 at(const void* ids, i64 i) const { return wide ? ((const i64*)ids)[i] : i64(((const int*)ids)[i]); }
  __device__ VID new_id(i64 i) const { return i < free_count ? free_ids[free_count - 1 - i] : VID(top + i - free_count); }
  __device__ bool is_nan(i64 i) const {
    if (!weights) return false;
    if (weight_width == 8) return (((const u64*)weights)[i] << 1) > 0x7ffull << 53;
    return (((const u32*)weights)[i] << 1) > 0xffu << 24;
  }
  // Whether row j, with or without a mark, is of the edge of u and v.
  __device__ bool is_of(u64 j, VID u, VID v) const;
};

constexpr int COLUMNS = 4;  // pushes.py has the same number

// The fields of WRITES of pushes.py, in order: columns of edge data that are written as rows are settled.
struct Writes {
  i64 count;
  const void* given[COLUMNS];  // by row
  void* held[COLUMNS];         // by id
  i64 width[COLUMNS];

  __device__ void write(i64 i, VID id) const {
    for (int c = 0; c < count; ++c) {
      if (width[c] == 8) ((u64*)held[c])[id] = ((const u64*)given[c])[i];
      else if (width[c] == 4) ((u32*)held[c])[id] = ((const u32*)given[c])[i];
      else ((u8*)held[c])[id] = ((const u8*)given[c])[i];
    }
  }
};

// Positions of the kernels' results (pushes.py has the same names). If one of the first three is not zero, the
// structure inserts nothing: only the first is set by then.
enum Found {
  DECLINED, DEFERRED, KNOWN, BAD, LOW, HIGH, UNORDERED, REPEATED, FRESH, FREED, TAKEN, NEXT = TAKEN + PIECES,
  FINISHED = NEXT + PIECES, ARRIVED, NUMBERS
};

constexpr u64 IS_NEW = 1ull << 62;  // marks an entry of the table whose edge came with this batch

__device__ inline bool Push::is_of(u64 j, VID u, VID v) const {
  VID a = source(i64(j & ~IS_NEW)), b = target(i64(j & ~IS_NEW));
  return (a == u && b == v) || (!directed && a == v && b == u);
}

__device__ inline u64 flipped(i64 time) { return u64(time) ^ 1ull << 63; }  // numbers without a sign, in the same order
__device__ inline i64 unflipped(u64 time) { return i64(time ^ 1ull << 63); }
__device__ inline i64 less(i64 time, i64 span) { return time < LOWEST + span ? LOWEST : time - span; }

// The clock after the batch, and the start of its window. `numbers` contain the bounds of the times.
__device__ inline i64 clock_after(const Push& push, const u64* numbers) {
  i64 last = unflipped(__ldcg(numbers + HIGH));
  return push.has_clock && push.clock > last ? push.clock : last;
}
__device__ inline i64 window_begin(const Push& push, const u64* numbers) {
  return less(clock_after(push, numbers), push.reach);
}

// Whether the batch is left to the general way: it is invalid, or has rows that are late.
__device__ inline bool is_declined(const Push& push, const u64* numbers) {
  if (__ldcg(numbers + BAD)) return true;
  if (!push.windowed) return false;
  i64 late_before = window_begin(push, numbers);
  if (push.has_clock) {
    i64 allowed = less(push.clock, push.lateness);
    if (allowed > late_before) late_before = allowed;
  }
  return unflipped(~__ldcg(numbers + LOW)) < late_before;
}

// Checks rows, finds the bounds of their times, and makes arcs of them, each with a new id.
extern "C" __global__ void check_records(i64 count, Push push, VID* src, VID* dst, VID* stored, u64* numbers) {
  u64 low = 0, high = 0;  // of complements, and of times
  bool unordered = false;
  GRID_STRIDE(i, count) {
    i64 u = push.at(push.src, i), v = push.at(push.dst, i);
    bool good = u >= 0 && u < push.num_vertices && v >= 0 && v < push.num_vertices && !push.is_nan(i);
    if (good && push.absent) good = !push.absent[u] && !push.absent[v];
    if (!good) numbers[BAD] = 1;
    if (push.timed) {
      i64 time = push.time(i);
      low = ~flipped(time) > low ? ~flipped(time) : low;
      high = flipped(time) > high ? flipped(time) : high;
      if (i > 0 && time < push.time(i - 1)) unordered = true;
    }
    bool is_edge = good && u != v;
    put_arcs(i, is_edge ? VID(u) : VID(-1), is_edge ? VID(v) : VID(-1), push.directed, src, dst);
    VID id = push.new_id(i);
    if (push.directed) stored[i] = id;
    else stored[2 * i] = stored[2 * i + 1] = id;
  }
  __shared__ u64 bounds[2];
  if (threadIdx.x < 2) bounds[threadIdx.x] = 0;
  int any = __syncthreads_or(unordered);
  if (low) atomicMax(bounds, low);
  if (high) atomicMax(bounds + 1, high);
  __syncthreads();
  if (threadIdx.x < 2) {
    if (bounds[threadIdx.x]) atomicMax(numbers + LOW + threadIdx.x, bounds[threadIdx.x]);
    if (any) numbers[UNORDERED] = 1;
  }
  if (!is_last_block(numbers + FINISHED) || threadIdx.x) return;
  numbers[DECLINED] = is_declined(push, numbers);
  numbers[FINISHED] = 0;
}

// The items of a thread block, which are consecutive: so one sum counts the items before them.
struct Share {
  i64 begin, end;

  __device__ explicit Share(i64 count) {
    i64 tiles = (count + TILE - 1) / TILE, each = (tiles + gridDim.x - 1) / gridDim.x;
    begin = blockIdx.x * each * TILE;
    end = begin + each * TILE < count ? begin + each * TILE : count;
  }
};

// for (first = the start of each tile of this block's share)
#define SHARED_TILES(first, share) for (i64 first = (share).begin; first < (share).end; first += TILE)

// Adds up a number of each thread of a block, and writes the block's sum.
__device__ inline void put_sum(i64 mine, i64* sums) {
  i64 total;
  block_exclusive(mine, total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// The result of the arcs of a row: the slot of each new one, -2 - slot of an existing one, -1 for none.
struct Slots {
  i64 own;    // of the arc from the smaller end, or the only one: it determines the id of the edge
  i64 other;  // of the opposite arc

  __device__ Slots(const Push& push, const i64* slots, i64 i) {
    if (push.directed) {
      own = other = slots[i];
    } else {  // both at once: it is known later which is which
      longlong2 pair = reinterpret_cast<const longlong2*>(slots)[i];
      bool swapped = push.source(i) > push.target(i);
      own = swapped ? pair.y : pair.x;
      other = swapped ? pair.x : pair.y;
    }
  }
  // In no order, which is enough for the next two.
  __device__ Slots(bool directed, const i64* slots, i64 i) {
    own = slots[directed ? i : 2 * i];
    other = slots[directed ? i : 2 * i + 1];
  }
  __device__ bool deferred() const { return own == DEFERRED_ARC || other == DEFERRED_ARC; }
  __device__ bool repeats() const { return own < -1 || other < -1; }  // whether some arc was not new
  __device__ bool is_new() const { return own >= 0; }  // whether the edge came with this very row
};

// The data that all steps of finish_records use.
struct Finish {
  const Push& push;
  i64 count;
  const i64* slots;
  u64* table;
  i64 entries;
  u32* filter;  // of the slots of rows in the table
  i64* places;  // by row that may have one: its entry in the table, or -1
  i64* sums;    // by block
  u64* numbers;

  // Enters rows that repeat an edge into the table, and counts new edges by block.
  __device__ void find_repeats() const {
    i64 fresh = 0;
    bool deferred = false, repeated = false;
    Share share(count);
    SHARED_TILES(first, share) {
      i64 i = first + threadIdx.x;
      if (i >= share.end) continue;
      Slots of(push, slots, i);
      fresh += of.is_new();
      if (of.deferred()) {
        deferred = true;
      } else if (of.repeats()) {
        repeated = true;
        VID u = push.source(i), v = push.target(i);
        places[i] = claim(
            u64(i), u, v, push.directed, push.timed, push.earliest, table, entries,
            [&](u64 j) { return push.is_of(j, u, v); }, [&](u64 j) { return push.time(i64(j)); });
        if (!of.is_new()) filter_add(filter, -2 - of.own);
      }
    }
    put_sum(fresh, sums);
    if (deferred) numbers[DEFERRED] = 1;
    if (repeated) numbers[REPEATED] = 1;
  }

  // Whether the row may have an entry in the table, and so something in `places`.
  __device__ bool may_repeat(const Slots& of) const {
    return of.repeats() || (of.is_new() && filter_may_hold(filter, of.own));
  }

  // Joins the rows that inserted edges with the rows that repeat them.
  __device__ void join_new_edges() const {
    Share share(count);
    SHARED_TILES(first, share) {
      i64 i = first + threadIdx.x;
      if (i >= share.end) continue;
      Slots of(push, slots, i);
      if (!of.is_new() || !may_repeat(of)) continue;
      if (!of.repeats()) {
        VID u = push.source(i), v = push.target(i);
        places[i] = find_claim(u, v, push.directed, table, entries, [&](u64 j) { return push.is_of(j, u, v); });
      }
      i64 place = places[i];
      if (place < 0) continue;
      u64 held = __ldcg(table + place);  // which no other thread changes: an edge comes with one row
      bool counts = counts_more(u64(i), held, push.timed, push.earliest, [&](u64 j) { return push.time(i64(j)); });
      table[place] = (counts ? u64(i) : held) | IS_NEW;
    }
  }

  // Gives all rows the id -1, so nothing is written.
  __device__ void skip_all() const {
    Share share(count);
    SHARED_TILES(first, share)
      if (first + threadIdx.x < share.end) push.ids[first + threadIdx.x] = -1;
  }

  // Empties the table, whose entries were made by the rows that repeat an edge. It may be called after the numbers
  // are published: it does not read the user's arrays, which may have changed by then.
  __device__ void clear() const {
    Share share(count);
    SHARED_TILES(first, share) {
      i64 i = first + threadIdx.x;
      if (i >= share.end) continue;
      Slots of(push.directed, slots, i);
      if (of.repeats() && !of.deferred()) table[places[i]] = FREE;
    }
  }

  // The number of free ids once the batch has its own: the ids of rows without a new edge follow.
  __device__ i64 free_before() const { return push.free_count > count ? push.free_count - count : 0; }
};

// Lists an edge for observers, who see undirected ones with the smaller end first.
__device__ inline void list_edge(i64 at, VID u, VID v, bool directed, VID* src, VID* dst) {
  bool swapped = !directed && u > v;
  src[at] = swapped ? v : u;
  dst[at] = swapped ? u : v;
}

// Sets the id of each row's edge, or -1 if it does not count, and frees the ids of rows without a new edge. Both
// arcs of an edge get its id. Stores times, columns and the ends of edges, and lists new ones.
__device__ inline void settle(
    const Finish& work, const Writes& writes, bool repeated, const VID* given, VID* stored, VID* free_ids, i64* held,
    VID* src_of, VID* dst_of) {
  const Push& push = work.push;
  i64 rank = sum_over(work.sums, 0, blockIdx.x), here;  // new edges before
  u32 known = 0;
  Share share(work.count);
  SHARED_TILES(first, share) {
    i64 i = first + threadIdx.x;
    bool there = i < share.end;
    i64 slot = -1, other = -1, place = -1;
    if (there) {
      Slots of(push, work.slots, i);
      slot = of.own;
      other = of.other;
      if (repeated && work.may_repeat(of)) place = work.places[i];
    }
    i64 before = rank + block_exclusive(i64(slot >= 0), here);
    rank += here;
    if (!there) continue;
    VID id = given[push.directed ? i : 2 * i], edge = slot >= 0 ? id : slot < -1 ? stored[-2 - slot] : VID(-1);
    if (slot < 0) {
      free_ids[work.free_before() + i - before] = id;
      if (src_of) src_of[id] = -1;
      if (edge >= 0 && other >= 0) stored[other] = edge;
    } else if (push.new_src) {
      list_edge(before, push.source(i), push.target(i), push.directed, push.new_src, push.new_dst);
    }
    u64 entry = place < 0 ? u64(i) | IS_NEW : __ldcg(work.table + place);
    bool counts = edge >= 0 && (entry & ~IS_NEW) == u64(i), was_there = !(entry & IS_NEW);
    known += counts && was_there;
    id = counts && !(was_there && push.keep) ? edge : VID(-1);
    if (push.timed) {
      i64 time = push.time(i);
      if (push.logged) push.logged[i] = time;
      if (id >= 0 && was_there && (push.earliest ? held[id] <= time : held[id] > time)) id = -1;
      if (id >= 0) {
        held[id] = time;
        if (src_of) {
          src_of[id] = push.source(i);
          dst_of[id] = push.target(i);
        }
      }
    }
    push.ids[i] = id;
    if (id >= 0) writes.write(i, id);
  }
  known = __reduce_add_sync(0xffffffffu, known);
  if ((threadIdx.x & 31) == 0 && known) atomicAdd(work.numbers + KNOWN, u64(known));
  if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) work.numbers[FRESH] = u64(rank);
}

// The fields of EXPIRY of pushes.py, in order: pieces of the log whose times ascend, and the number of entries in the
// pieces up to each.
struct Expiry {
  const i64* times[PIECES];  // null: entry i of the piece has the time first + step * i
  i64 first[PIECES], step[PIECES];
  const VID* ids[PIECES];
  i64 ends[PIECES];

  __device__ i64 time(int piece, i64 at) const {
    return times[piece] ? times[piece][at] : first[piece] + step[piece] * at;
  }
};

// The first end of an existing edge, for the one thread that acquires it. -1 for all others. An edge that was inserted
// several times has several entries, and one of them must delete it.
__device__ inline VID take_edge(VID* src_of, VID id) {
  if constexpr (sizeof(VID) == 8) return VID(atomicExch((unsigned long long*)src_of + id, ~0ull));
  else return VID(atomicExch((int*)src_of + id, -1));
}

// Removes the entries before the window: the arcs of existing edges with such a time, or none. Counts them by block.
__device__ inline void take_expired(
    const Finish& work, const Expiry& log, const i64* held, VID* src_of, const VID* dst_of, VID* src, VID* dst, VID* ids) {
  i64 begin = window_begin(work.push, work.numbers), taken_here = 0;
  Share share(log.ends[PIECES - 1]);
  SHARED_TILES(first, share) {
    i64 i = first + threadIdx.x;
    if (i >= share.end) continue;
    int piece = 0;
    while (i >= log.ends[piece]) ++piece;
    i64 at = i - (piece ? log.ends[piece - 1] : 0), time = log.time(piece, at);
    bool taken = time < begin, is_first = at == 0 || log.time(piece, at - 1) < begin;
    if (!taken && is_first) {
      work.numbers[TAKEN + piece] = u64(at);
      work.numbers[NEXT + piece] = u64(time);
    } else if (taken && i + 1 == log.ends[piece]) {
      work.numbers[TAKEN + piece] = u64(at + 1);
    }
    VID id = taken ? log.ids[piece][at] : VID(-1), u = -1;
    if (id >= 0 && held[id] < begin) u = take_edge(src_of, id);
    put_arcs(i, u, u >= 0 ? dst_of[id] : VID(-1), work.push.directed, src, dst);
    ids[i] = u >= 0 ? id : VID(-1);
    taken_here += u >= 0;
  }
  put_sum(taken_here, work.sums);
}

// Frees the ids of the removed edges, and lists them.
__device__ inline void free_expired(
    const Finish& work, i64 entries, const VID* src, const VID* dst, const VID* ids, VID* free_ids) {
  const Push& push = work.push;
  i64 rank = sum_over(work.sums, 0, blockIdx.x), here;
  i64 first_free = work.free_before() + work.count - i64(__ldcg(work.numbers + FRESH));
  Share share(entries);
  SHARED_TILES(first, share) {
    i64 i = first + threadIdx.x;
    VID id = i < share.end ? ids[i] : VID(-1);
    i64 at = rank + block_exclusive(i64(id >= 0), here);
    rank += here;
    if (id < 0) continue;
    i64 arc = push.directed ? i : 2 * i;
    free_ids[first_free + at] = id;
    if (push.gone_src) list_edge(at, src[arc], dst[arc], push.directed, push.gone_src, push.gone_dst);
  }
  if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) work.numbers[FREED] = u64(rank);
}

__device__ inline void publish(const u64* numbers, volatile u64* published) {
  if (threadIdx.x < NUMBERS) published[threadIdx.x] = __ldcg(numbers + threadIdx.x);
}

// Resolves the rows once their arcs are inserted, and the edges that leave the window. Then it publishes the numbers
// to the host, and zeroes them for the next batch. If arcs of a batch were deferred, it reports only that: the host
// inserts them, and launches this again, without entries of the log. Grid-cooperative. `given` are the ids that arcs
// came with, `stored` the graph's ids, by slot. `sums` have space for two numbers a block. The table and the filter are
// empty before and afterwards.
extern "C" __global__ void __launch_bounds__(TILE, 2) finish_records(
    i64 count, Push push, Writes writes, Expiry log, const i64* slots, const VID* given, VID* stored, u64* table, i64 table_size,
    u32* filter, i64* places, i64* sums, VID* free_ids, i64* held, VID* src_of, VID* dst_of, VID* gone_src,
    VID* gone_dst, VID* gone_ids, u64* numbers, volatile u64* published) {
  u32* arrived = (u32*)(numbers + ARRIVED);
  u32 barrier = 0;
  bool is_published = false;
  Finish work{push, count, slots, table, table_size, filter, places, sums, numbers};
  if (__ldcg(numbers + DECLINED)) {
    work.skip_all();
  } else {
    work.find_repeats();
    grid_barrier(arrived, barrier);
    bool whole = !__ldcg(numbers + DEFERRED), repeated = __ldcg(numbers + REPEATED);
    if (whole && repeated) {
      work.join_new_edges();
      grid_barrier(arrived, barrier);
    }
    if (whole) settle(work, writes, repeated, given, stored, free_ids, held, src_of, dst_of);
    else work.skip_all();
    i64 entries = whole ? log.ends[PIECES - 1] : 0;
    if (repeated || entries) grid_barrier(arrived, barrier);
    is_published = repeated && !entries;  // already, since the rest does not concern the host
    if (is_published && blockIdx.x == 0) publish(numbers, published);
    if (repeated) work.clear();
    if (entries) {
      work.sums += gridDim.x;
      take_expired(work, log, held, src_of, dst_of, gone_src, gone_dst, gone_ids);
      grid_barrier(arrived, barrier);
      free_expired(work, entries, gone_src, gone_dst, gone_ids, free_ids);
    }
  }
  if (!is_last_block(numbers + FINISHED)) return;
  if (__ldcg(numbers + REPEATED)) filter_clear(filter);
  if (!is_published) publish(numbers, published);
  __syncthreads();
  if (threadIdx.x < NUMBERS) numbers[threadIdx.x] = 0;
}
