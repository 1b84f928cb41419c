// CUDA kernels that answer the operations on pairs of vertices. cpu.py describes `resolve_pairs`, on_gpu.py the others.
// Macros: ID, the type of users' ids; VID, of the graph's; VALUE, of weights.
#pragma once
#include "frontier/cuda/types.cuh"

enum { INSERT, DELETE, HAS_EDGE, WEIGHT_OF, DEGREE, NEIGHBORS };        // operations.py has the same
enum { INSERTED, REPLACED, DELETED, ASKED, LISTED, WEIGHED, UNKNOWN };  // numbers

// Adds up a number of each thread of a warp, all of whose threads are here.
__device__ inline void add_up(i64* tally, int what, u32 mine) {
  u32 sum = __reduce_add_sync(0xffffffffu, mine);
  if ((threadIdx.x & 31) == 0 && sum) atomicAdd((u64*)tally + what, u64(sum));
}

extern "C" __global__ void take_operations(
    i64 count, const i64* given, const ID* src, const ID* dst, const VALUE* weights, u8* ops, ID* ends, VALUE* values,
    i64* tally) {
  u32 unknown = 0;
  GRID_STRIDE(i, count) {
    i64 op = given[i];
    unknown += op < 0 || op > NEIGHBORS;
    ops[i] = u8(op);
    ends[i] = op >= DEGREE ? src[i] : dst[i];
    if (weights) values[i] = op == INSERT ? weights[i] : VALUE(1);
  }
  __syncwarp();
  add_up(tally, UNKNOWN, unknown);
}

extern "C" __global__ void pair_keys(
    i64 count, const u8* ops, const VID* src, const VID* dst, bool directed, i64 bits, i64* keys, i64* tally) {
  u32 asked = 0, listed = 0, weighed = 0;
  GRID_STRIDE(i, count) {
    int op = ops[i];
    asked += op >= DEGREE;
    listed += op == NEIGHBORS;
    weighed += op == WEIGHT_OF;
    i64 u = src[i], v = dst[i], low = directed || u < v ? u : v, high = directed || u < v ? v : u;
    keys[i] = op < DEGREE && u != v ? low << bits | high : i64((u64(1) << 2 * bits) - 1);
  }
  __syncwarp();
  add_up(tally, ASKED, asked);
  add_up(tally, LISTED, listed);
  add_up(tally, WEIGHED, weighed);
}

extern "C" __global__ void pair_ends(i64 count, const i64* keys, i64 bits, VID* src, VID* dst) {
  i64 mask = (i64(1) << bits) - 1, none = i64((u64(1) << 2 * bits) - 1);
  GRID_STRIDE(i, count) {
    i64 key = keys[i];
    src[i] = key == none ? VID(-1) : VID(key >> bits);
    dst[i] = key == none ? VID(-1) : VID(key & mask);
  }
}

extern "C" __global__ void resolve_pairs(
    i64 count, const i64* keys, i64 none, const i64* records, const u8* ops, const i64* slots, bool timed, bool earliest,
    bool plain, const i64* times, const i64* held, i64* answers, i8* changes, i64* origins, int* to_insert,
    int* to_delete, i64* tally) {
  u32 inserted = 0, replaced = 0, deleted = 0;
  GRID_STRIDE(i, count) {
    i64 key = keys[i];
    if (key == none || (i > 0 && keys[i - 1] == key)) continue;
    bool present = slots[i] >= 0, before = present;
    i64 time = timed && present ? held[i] : 0, winner = -1;
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
        if (present) origins[record] = winner >= 0 ? winner : -2 - i;
      }
    }
    if (present && winner >= 0 && !(plain && before)) to_insert[winner] = 0;
    else if (before && !present) to_delete[records[i]] = 0;
  }
  __syncwarp();
  add_up(tally, INSERTED, inserted);
  add_up(tally, REPLACED, replaced);
  add_up(tally, DELETED, deleted);
}
