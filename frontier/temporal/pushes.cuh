// A batch of records with edge data, and what leaves the window with it, on a GPU: kernels that pass on to each other what the
// host would have to wait for. pushes.py is the host side, and says in which order they run. Macro: VID.
#pragma once
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/edge_data/claims.cuh"

constexpr i64 LOWEST = -0x7fffffffffffffffll - 1;
constexpr i64 DEFERRED_ARC = LOWEST;  // the slot of an arc that was not inserted for want of room
constexpr int PIECES = 3;

// The fields of PUSH of pushes.py, in order.
struct Push {
  const void* src;  // as the user has them
  const void* dst;
  i64 wide;         // whether ids are int64
  i64 directed, num_vertices;
  const bool* absent;
  const i64* times;  // null: record i has the time first_time + time_step * i
  i64 first_time, time_step;
  i64 timed, earliest, keep;
  i64 windowed;      // whether records may be late
  i64 has_clock, clock, reach, lateness;  // the window begins `reach` before the clock
  const VID* free_ids;
  i64 free_count, top;
  VID* ids;     // by record: that of its edge, or -1
  i64* logged;  // by record: its time; null if nothing is logged
  VID* new_src;  // the edges that are new, for observers, and those that leave; null if there are none
  VID* new_dst;
  VID* gone_src;
  VID* gone_dst;

  __device__ VID source(u64 i) const { return VID(at(src, i)); }
  __device__ VID target(u64 i) const { return VID(at(dst, i)); }
  __device__ i64 time(u64 i) const { return times ? times[i] : first_time + time_step * i64(i); }
  __device__ i64 at(const void* ids, u64 i) const { return wide ? ((const i64*)ids)[i] : i64(((const int*)ids)[i]); }
};

// Places of what kernels find out (FOUND of pushes.py).
enum Found { BAD, LOW, HIGH, UNORDERED, KEPT, KNOWN, DEFERRED, FREED, DECLINED, TAKEN, NEXT = TAKEN + PIECES, NUMBERS = NEXT + PIECES };

__device__ inline u64 flipped(i64 time) { return u64(time) ^ 1ull << 63; }  // numbers without a sign, in the same order
__device__ inline i64 unflipped(u64 time) { return i64(time ^ 1ull << 63); }
__device__ inline i64 less(i64 time, i64 span) { return time < LOWEST + span ? LOWEST : time - span; }

// The clock after the batch, and where its window begins. `numbers` hold the bounds of the times.
__device__ inline i64 clock_after(const Push& push, const u64* numbers) {
  i64 last = unflipped(numbers[HIGH]);
  return push.has_clock && push.clock > last ? push.clock : last;
}
__device__ inline i64 window_begin(const Push& push, const u64* numbers) {
  return less(clock_after(push, numbers), push.reach);
}

// Whether the batch is left to the general way: it is invalid, or has records that are late.
__device__ inline bool is_declined(const Push& push, const u64* numbers) {
  if (numbers[BAD]) return true;
  if (!push.windowed) return false;
  i64 late_before = window_begin(push, numbers);
  if (push.has_clock) {
    i64 allowed = less(push.clock, push.lateness);
    if (allowed > late_before) late_before = allowed;
  }
  return unflipped(~numbers[LOW]) < late_before;
}

// Checks records, finds the bounds of their times, and enters them into the table of those that count.
extern "C" __global__ void claim_records(i64 count, Push push, u64* table, i64 entries, i64* places, u64* numbers) {
  u64 low = 0, high = 0;  // of complements, and of times
  bool unordered = false;
  GRID_STRIDE(i, count) {
    i64 u = push.at(push.src, i), v = push.at(push.dst, i), place = -1;
    bool good = u >= 0 && u < push.num_vertices && v >= 0 && v < push.num_vertices;
    if (good && push.absent) good = !push.absent[u] && !push.absent[v];
    if (!good) numbers[BAD] = 1;
    if (push.timed) {
      i64 time = push.time(i);
      low = ~flipped(time) > low ? ~flipped(time) : low;
      high = flipped(time) > high ? flipped(time) : high;
      if (i > 0 && time < push.time(i - 1)) unordered = true;
    }
    if (good && u != v)
      place = claim(
          u64(i), VID(u), VID(v), push.directed, push.timed, push.earliest, table, entries,
          [&](u64 j) {
            i64 a = push.at(push.src, j), b = push.at(push.dst, j);
            return (a == u && b == v) || (!push.directed && a == v && b == u);
          },
          [&](u64 j) { return push.time(j); });
    places[i] = place;
  }
  __shared__ u64 bounds[2];
  if (threadIdx.x < 2) bounds[threadIdx.x] = 0;
  int any = __syncthreads_or(unordered);
  if (low) atomicMax(bounds, low);
  if (high) atomicMax(bounds + 1, high);
  __syncthreads();
  if (threadIdx.x >= 2) return;
  if (bounds[threadIdx.x]) atomicMax(numbers + LOW + threadIdx.x, bounds[threadIdx.x]);
  if (any) numbers[UNORDERED] = 1;
}

// Counts the records that count, by tile.
extern "C" __global__ void __launch_bounds__(TILE) keep_records(i64 count, i64* places, const u64* table, i64* sums) {
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    i64 place = i < count ? places[i] : -1;
    bool kept = place >= 0 && table[place] == u64(i);
    if (place >= 0 && !kept) places[i] = -1;
    int here = __syncthreads_count(kept);
    if (threadIdx.x == 0) sums[tile] = here;
  }
}

// Gives the records that count new ids, as if all their edges were new, makes arcs of them, and empties the table.
extern "C" __global__ void __launch_bounds__(TILE) number_records(
    i64 count, Push push, const i64* places, const i64* sums, u64* table, VID* src, VID* dst, VID* stored, u64* numbers) {
  bool declined = is_declined(push, numbers);
  TILES(tile, count) {
    i64 before = sum_over(sums, 0, tile), here;
    i64 i = tile * TILE + threadIdx.x;
    i64 place = i < count ? places[i] : -1;
    if (place >= 0) table[place] = FREE;
    bool kept = place >= 0 && !declined;
    i64 rank = before + block_exclusive(i64(kept), here);
    VID id = -1;
    if (kept) id = rank < push.free_count ? push.free_ids[push.free_count - 1 - rank] : VID(push.top + rank - push.free_count);
    if (i < count) {
      put_arcs(i, kept ? push.source(i) : VID(-1), kept ? push.target(i) : VID(-1), push.directed, src, dst);
      push.ids[i] = id;
      if (push.directed) stored[i] = id;
      else stored[2 * i] = stored[2 * i + 1] = id;
    }
    if (threadIdx.x == 0 && (tile + 1) * TILE >= count) {
      numbers[KEPT] = u64(before + here);
      numbers[DECLINED] = declined;
    }
  }
}

// Counts of records by what became of their edges, in one number: those that were there before, and above them new ones.
constexpr int NEW_SHIFT = 32;

__device__ inline i64 outcome(i64 slot) { return slot < -1 ? 1 : slot >= 0 ? i64(1) << NEW_SHIFT : 0; }
__device__ inline i64 count_known(i64 outcomes) { return outcomes & (i64(1) << NEW_SHIFT) - 1; }
__device__ inline i64 count_new(i64 outcomes) { return outcomes >> NEW_SHIFT; }

// Lists an edge for observers, who see undirected ones with the smaller end first.
__device__ inline void list_edge(i64 at, VID u, VID v, bool directed, VID* src, VID* dst) {
  bool swapped = !directed && u > v;
  src[at] = swapped ? v : u;
  dst[at] = swapped ? u : v;
}

// Counts the outcomes of records by tile, and notes arcs that were deferred.
extern "C" __global__ void __launch_bounds__(TILE) count_outcomes(
    i64 count, bool directed, const i64* slots, i64* sums, u64* numbers) {
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    i64 slot = i < count ? slots[directed ? i : 2 * i] : -1;
    bool deferred = slot == DEFERRED_ARC || (i < count && !directed && slots[2 * i + 1] == DEFERRED_ARC);
    if (deferred) numbers[DEFERRED] = 1;
    int known = __syncthreads_count(slot < -1), fresh = __syncthreads_count(slot >= 0);
    if (threadIdx.x == 0) sums[tile] = known + (i64(fresh) << NEW_SHIFT);
  }
}

// How many ids are free once new edges have theirs.
__device__ inline i64 free_before(const Push& push, const u64* numbers) {
  i64 kept = i64(numbers[KEPT]);
  return push.free_count - (kept < push.free_count ? kept : push.free_count);
}

// Records of edges that were there get the ids of these, and free those that were meant for them. Then times are stored, and
// the ends of edges, and new edges are listed. Nothing is done for a batch with arcs that were deferred: the host has these
// inserted, and launches this again.
extern "C" __global__ void __launch_bounds__(TILE) settle_records(
    i64 count, Push push, const i64* slots, const VID* stored, const i64* sums, VID* free_ids, i64* held, VID* src_of,
    VID* dst_of, u64* numbers) {
  if (numbers[DEFERRED]) return;
  i64 first_free = free_before(push, numbers);
  TILES(tile, count) {
    i64 before = sum_over(sums, 0, tile), here;
    i64 i = tile * TILE + threadIdx.x;
    i64 slot = i < count ? slots[push.directed ? i : 2 * i] : -1;
    bool known = slot < -1;
    i64 rank = before + block_exclusive(outcome(slot), here);
    if (threadIdx.x == 0 && (tile + 1) * TILE >= count) numbers[KNOWN] = u64(count_known(before + here));
    if (i >= count) continue;
    VID id = push.ids[i];
    if (push.new_src && slot >= 0)
      list_edge(count_new(rank), push.source(i), push.target(i), push.directed, push.new_src, push.new_dst);
    if (known) {
      free_ids[first_free + count_known(rank)] = id;
      if (src_of) src_of[id] = -1;
      id = push.keep ? VID(-1) : stored[-2 - slot];
    }
    if (push.timed) {
      i64 time = push.time(i);
      if (push.logged) push.logged[i] = time;
      if (id >= 0 && known && (push.earliest ? held[id] <= time : held[id] > time)) id = -1;
      if (id >= 0) {
        held[id] = time;
        if (src_of) {
          src_of[id] = push.source(i);
          dst_of[id] = push.target(i);
        }
      }
    }
    push.ids[i] = id;
  }
}

// The fields of EXPIRY of pushes.py, in order: pieces of the log whose times ascend, and how many entries are in those up to
// each.
struct Expiry {
  const i64* times[PIECES];
  const VID* ids[PIECES];
  i64 ends[PIECES];
};

// The first end of an edge that is there, for the one thread that gets to take it; -1 for all others. Of an edge that was
// inserted several times there are several entries, and one of them is to delete it.
__device__ inline VID take_edge(VID* src_of, VID id) {
  if constexpr (sizeof(VID) == 8) return VID(atomicExch((unsigned long long*)src_of + id, ~0ull));
  else return VID(atomicExch((int*)src_of + id, -1));
}

// Takes the entries before the window: the arcs of edges that are there with such a time, or none. Counts them by tile.
extern "C" __global__ void __launch_bounds__(TILE) take_expired(
    i64 count, Push push, Expiry log, const i64* held, VID* src_of, const VID* dst_of, VID* src, VID* dst, VID* ids,
    i64* sums, u64* numbers) {
  bool idle = numbers[DECLINED] || numbers[DEFERRED];
  i64 before = window_begin(push, numbers);
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    VID id = -1, u = -1;
    if (i < count) {
      int piece = 0;
      while (i >= log.ends[piece]) ++piece;
      i64 at = i - (piece ? log.ends[piece - 1] : 0), time = log.times[piece][at];
      bool taken = !idle && time < before, first = at == 0 || log.times[piece][at - 1] < before;
      if (!taken && first) {
        numbers[TAKEN + piece] = u64(idle ? 0 : at);
        numbers[NEXT + piece] = u64(time);
      } else if (taken && i + 1 == log.ends[piece]) {
        numbers[TAKEN + piece] = u64(at + 1);
      }
      if (taken) id = log.ids[piece][at];
      if (id >= 0 && held[id] < before) u = take_edge(src_of, id);
      put_arcs(i, u, u >= 0 ? dst_of[id] : VID(-1), push.directed, src, dst);
      ids[i] = u >= 0 ? id : VID(-1);
    }
    int here = __syncthreads_count(u >= 0);
    if (threadIdx.x == 0) sums[tile] = here;
  }
}

// Frees the ids of the edges that were taken, and lists these.
extern "C" __global__ void __launch_bounds__(TILE) free_expired(
    i64 count, Push push, const VID* src, const VID* dst, const VID* ids, const i64* sums, VID* free_ids, u64* numbers) {
  i64 first_free = free_before(push, numbers) + i64(numbers[KNOWN]);
  TILES(tile, count) {
    i64 before = sum_over(sums, 0, tile), here;
    i64 i = tile * TILE + threadIdx.x;
    VID id = i < count ? ids[i] : VID(-1);
    i64 rank = before + block_exclusive(i64(id >= 0), here);
    if (id >= 0) {
      i64 arc = push.directed ? i : 2 * i;
      free_ids[first_free + rank] = id;
      if (push.gone_src) list_edge(rank, src[arc], dst[arc], push.directed, push.gone_src, push.gone_dst);
    }
    if (threadIdx.x == 0 && (tile + 1) * TILE >= count) numbers[FREED] = u64(before + here);
  }
}

// Hands the numbers to the host, and sets them to zero for the next batch.
extern "C" __global__ void tell_host(i64 count, u64* numbers, volatile u64* published) {
  GRID_STRIDE(i, count) {
    published[i] = numbers[i];
    numbers[i] = 0;
  }
}
