// Small batches, which the host does not plan (structures/small_batches).
#pragma once
#include "structures/changes/changes.cuh"

// Whether a batch needs memory first: the counter at `place`, of blocks to allocate or free, exceeds `room`. Launched
// with one thread.
extern "C" __global__ void decide(i64 count, i64 place, i64 room, u64* counters) {
  if (i64(counters[place]) <= room) return;
  counters[place] = 0;
  decline(counters);
}
