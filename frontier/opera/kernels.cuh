// CUDA kernel that answers the operations on pairs of vertices; cpu.py describes it. A thread for each pair.
#pragma once
#include "frontier/cuda/types.cuh"

enum { INSERT, DELETE, HAS_EDGE, WEIGHT };  // operations.py has the same numbers
enum { NET_INSERT = 1, NET_DELETE = 2 };

extern "C" __global__ void resolve_pairs(
    i64 count, const i64* keys, const i64* records, const u8* ops, const i64* slots, bool timed, bool earliest,
    bool plain, const i64* times, const i64* held, i64* answers, i8* changes, i64* origins, u8* net, i64* tally) {
  i64 inserted = 0, replaced = 0, deleted = 0;
  GRID_STRIDE(i, count) {
    i64 key = keys[i];
    if (i > 0 && keys[i - 1] == key) continue;
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
      } else if (op == WEIGHT) {
        answers[record] = present;
        if (present) origins[record] = winner >= 0 ? winner : -2 - i;
      }
    }
    if (present && winner >= 0 && !(plain && before)) net[winner] = NET_INSERT;
    else if (before && !present) net[records[i]] = NET_DELETE;
  }
  if (inserted) atomicAdd((u64*)tally, u64(inserted));
  if (replaced) atomicAdd((u64*)tally + 1, u64(replaced));
  if (deleted) atomicAdd((u64*)tally + 2, u64(deleted));
}
