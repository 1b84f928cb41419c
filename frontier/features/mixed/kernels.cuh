// CUDA kernels that answer the operations of a mixed batch. See cpu.py for `resolve_pairs`, and on_gpu.py for the rest.
// Macros: ID, the type of users' ids. VID, the type of the graph's. VALUE, the type of weights.
#pragma once
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/cuda/types.cuh"
#include "frontier/features/mixed/lists.cuh"

// operations.py has the same numbers.
enum { INSERT, DELETE, HAS_EDGE, WEIGHT_OF, DEGREE, NEIGHBORS };
enum { INSERTED, REPLACED, DELETED, INSERTING, DELETING, ASKED, LISTED, WEIGHED, INSERTIONS, UNKNOWN, OUTSIDE, GONE, NAN_WEIGHTS };

// Adds up a number of each thread of a warp, all of whose threads are here.
__device__ inline void add_to(i64* tally, int what, u32 mine) {
  u32 sum = __reduce_add_sync(0xffffffffu, mine);
  if ((threadIdx.x & 31) == 0 && sum) atomicAdd((u64*)tally + what, u64(sum));
}

// Number i of an array of integers of `width` bytes. Numbers that do not fit become negative.
__device__ inline i64 number_at(const u8* numbers, i64 width, bool is_signed, i64 i) {
  if (width == 1) return is_signed ? i64(((const i8*)numbers)[i]) : i64(numbers[i]);
  if (width == 2) return is_signed ? i64(((const short*)numbers)[i]) : i64(((const unsigned short*)numbers)[i]);
  if (width == 4) return is_signed ? i64(((const int*)numbers)[i]) : i64(((const u32*)numbers)[i]);
  return ((const i64*)numbers)[i];
}

// Converts a user's operations and ids to the graph's types, and counts errors. The source of an invalid operation is
// -1, so no kernel reads out of range.
extern "C" __global__ void take_operations(
    i64 count, const u8* given, i64 width, bool is_signed, const ID* src, const ID* dst, const VALUE* weights,
    i64 num_vertices, const bool* absent, u8* ops, VID* out_src, VID* out_dst, VALUE* values, i64* tally) {
  u32 insertions = 0, unknown = 0, outside = 0, gone = 0, nan = 0;
  GRID_STRIDE(i, count) {
    i64 op = number_at(given, width, is_signed, i), u = src[i], v = op >= DEGREE ? u : i64(dst[i]);
    VALUE weight = weights && op == INSERT ? weights[i] : VALUE(1);
    bool known = op >= 0 && op <= NEIGHBORS, inside = u >= 0 && u < num_vertices && v >= 0 && v < num_vertices;
    bool there = !inside || !absent || !(absent[u] || absent[v]), number = weight == weight;
    insertions += op == INSERT;
    unknown += !known;
    outside += !inside;
    gone += !there;
    nan += !number;
    bool good = known && inside && there && number;
    ops[i] = known ? u8(op) : u8(HAS_EDGE);
    out_src[i] = good ? VID(u) : VID(-1);
    out_dst[i] = good ? VID(v) : VID(-1);
    if (values) values[i] = weight;
  }
  __syncwarp();
  add_to(tally, INSERTIONS, insertions);
  add_to(tally, UNKNOWN, unknown);
  add_to(tally, OUTSIDE, outside);
  add_to(tally, GONE, gone);
  add_to(tally, NAN_WEIGHTS, nan);
}

// The ends of the pair of an operation, in an undirected graph the lower one first. All bits if it has none.
struct PairEnds {
  i64 low, high;

  __device__ PairEnds(int op, i64 u, i64 v, bool directed, i64 shift) {
    bool none = op >= DEGREE || u == v, swap = !directed && v < u;
    i64 all = (i64(1) << shift) - 1;
    low = none ? all : swap ? v : u;
    high = none ? all : swap ? u : v;
  }
};

// The pair of each operation, or only its higher end, with the operation's position in the low `bits`.
extern "C" __global__ void pair_keys(
    i64 count, const u8* ops, const VID* src, const VID* dst, bool directed, i64 shift, i64 bits, bool whole, i64* keys,
    i64* tally) {
  u32 asked = 0, listed = 0, weighed = 0;
  GRID_STRIDE(i, count) {
    int op = ops[i];
    asked += op >= DEGREE;
    listed += op == NEIGHBORS;
    weighed += op == WEIGHT_OF;
    PairEnds ends(op, src[i], dst[i], directed, shift);
    keys[i] = (whole ? ends.low << shift | ends.high : ends.high) << bits | i;
  }
  __syncwarp();
  add_to(tally, ASKED, asked);
  add_to(tally, LISTED, listed);
  add_to(tally, WEIGHED, weighed);
}

// The lower end of the pair of each operation that was sorted by the higher one, with its position in that order.
extern "C" __global__ void low_keys(
    i64 count, const i64* by_high, const u8* ops, const VID* src, const VID* dst, bool directed, i64 shift, i64 bits,
    i64* keys) {
  GRID_STRIDE(i, count) {
    i64 record = low_bits(by_high[i], bits);
    keys[i] = PairEnds(ops[record], src[record], dst[record], directed, shift).low << bits | i;
  }
}

// Separates the parts of sorted keys. The ends are reported at the first key of each pair. `by_high`: the meaning of
// the positions in keys, if pairs were sorted in two steps.
extern "C" __global__ void split_pairs(
    i64 count, const i64* sorted, const i64* by_high, i64 shift, i64 bits, i64 none, i64* keys, i64* records, VID* src,
    VID* dst) {
  auto key_of = [&](i64 i) {
    i64 key = sorted[i] >> bits;
    return by_high ? key << shift | by_high[low_bits(sorted[i], bits)] >> bits : key;
  };
  GRID_STRIDE(i, count) {
    i64 key = key_of(i), place = low_bits(sorted[i], bits);
    bool first = key != none && (i == 0 || key_of(i - 1) != key);
    keys[i] = key;
    records[i] = by_high ? low_bits(by_high[place], bits) : place;
    src[i] = first ? VID(key >> shift) : VID(-1);
    dst[i] = first ? VID(low_bits(key, shift)) : VID(-1);
  }
}

extern "C" __global__ void resolve_pairs(
    i64 count, const i64* keys, i64 none, const i64* records, const u8* ops, const i64* slots, bool timed, bool earliest,
    bool plain, const i64* times, const i64* edges, const i64* held, i64* answers, i8* changes, i64* origins, i8* net,
    i64* tally) {
  u32 inserted = 0, replaced = 0, deleted = 0, inserting = 0, deleting = 0;
  GRID_STRIDE(i, count) {
    i64 key = keys[i];
    if (key == none || (i > 0 && keys[i - 1] == key)) continue;
    bool present = slots[i] >= 0, before = present;
    i64 time = timed && present ? held[edges[i]] : 0, winner = -1;
    for (i64 j = i; j < count && keys[j] == key; j++) {
      i64 record = records[j];
      int op = ops[record];
      if (op == INSERT) {
        bool counts = true;
        if (!present) {
          present = true;
          answers[record] = 1;
          changes[record] = 1;
          inserted++;
        } else {
          if (timed) counts = earliest ? times[record] < time : times[record] >= time;
          replaced++;
        }
        if (counts) {
          winner = record;
          if (timed) time = times[record];
        }
      } else if (op == DELETE) {
        if (present) {
          answers[record] = 1;
          changes[record] = -1;
          deleted++;
        }
        present = false;
        winner = -1;
      } else if (op == HAS_EDGE) {
        answers[record] = present;
      } else if (op == WEIGHT_OF) {
        answers[record] = present;
        origins[record] = winner >= 0 ? winner : -2 - i;
      }
    }
    if (present && winner >= 0 && !(plain && before)) {
      net[winner] = 1;
      inserting++;
    } else if (before && !present) {
      net[records[i]] = -1;
      deleting++;
    }
  }
  __syncwarp();
  add_to(tally, INSERTED, inserted);
  add_to(tally, REPLACED, replaced);
  add_to(tally, DELETED, deleted);
  add_to(tally, INSERTING, inserting);
  add_to(tally, DELETING, deleting);
}

// `places`: where the weight of each pair is in `held`. Without `weights`, all are 1.
extern "C" __global__ void answer_weights(
    i64 count, const u8* ops, const i64* answers, const i64* origins, const VALUE* weights, const i64* places,
    const VALUE* held, VALUE* found) {
  GRID_STRIDE(i, count) {
    if (ops[i] != WEIGHT_OF || !answers[i]) continue;
    i64 origin = origins[i];
    found[i] = !weights ? VALUE(1) : origin >= 0 ? weights[origin] : held[places[-2 - origin]];
  }
}

// Counts the net insertions and deletions of each tile.
extern "C" __global__ void __launch_bounds__(TILE) count_net(i64 count, const i8* net, i64* inserting, i64* deleting) {
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    int mark = i < count ? net[i] : 0;
    int insertions = __syncthreads_count(mark > 0), deletions = __syncthreads_count(mark < 0);
    if (threadIdx.x == 0) inserting[tile] = insertions, deleting[tile] = deletions;
  }
}

extern "C" __global__ void __launch_bounds__(TILE) list_net(
    i64 count, const i8* net, const i64* inserting, const i64* deleting, bool summed, i64* insert, i64* erase) {
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x, total;
    int mark = i < count ? net[i] : 0;
    i64 at = sum_before(inserting, summed, tile) + block_exclusive(i64(mark > 0), total);
    if (mark > 0) insert[at] = i;
    at = sum_before(deleting, summed, tile) + block_exclusive(i64(mark < 0), total);
    if (mark < 0) erase[at] = i;
  }
}

// The arcs of some edges, followed by the opposite arcs of undirected ones.
extern "C" __global__ void chosen_arcs(
    i64 count, const i64* chosen, const VID* src, const VID* dst, const VALUE* weights, bool directed, VID* out_src,
    VID* out_dst, VALUE* out_weights) {
  GRID_STRIDE(i, count) {
    i64 at = chosen[i];
    VID u = src[at], v = dst[at];
    out_src[i] = u;
    out_dst[i] = v;
    if (!directed) out_src[count + i] = v, out_dst[count + i] = u;
    if (!out_weights) continue;
    out_weights[i] = weights[at];
    if (!directed) out_weights[count + i] = weights[at];
  }
}

// The event at a vertex: a request for its degree, or a change of it, by the operation in the low `bits`. END for
// nothing.
extern "C" __global__ void event_keys(
    i64 count, const u8* ops, const VID* src, const VID* dst, const i8* changes, bool directed, i64 bits, i64* keys) {
  GRID_STRIDE(i, count) {
    bool changed = changes[i];
    keys[i] = changed || ops[i] >= DEGREE ? i64(src[i]) << bits | i : END;
    if (!directed) keys[count + i] = changed ? i64(dst[i]) << bits | i : END;
  }
}

extern "C" __global__ void event_changes(i64 count, const i64* keys, i64 bits, const i8* changes, i64* sums) {
  GRID_STRIDE(i, count) sums[i] = keys[i] == END ? 0 : i64(changes[low_bits(keys[i], bits)]);
}

// The degrees before the batch, by operation, and the changes. `sums` are running, of all events in order. Without
// `keys`, nothing changes.
extern "C" __global__ void answer_degrees(
    i64 count, const i64* keys, const i64* sums, i64 bits, const u8* ops, const i64* degrees, i64* answers) {
  GRID_STRIDE(i, count) {
    if (keys && keys[i] == END) continue;
    i64 record = keys ? low_bits(keys[i], bits) : i, effect = 0;
    if (ops[record] < DEGREE) continue;
    if (keys) {
      i64 first = first_place<false>(keys, i, keys[i] >> bits << bits);
      effect = sums[i] - (first ? sums[first - 1] : 0);
    }
    answers[record] = degrees[record] + effect;
  }
}
