// Small batches, which the host does not plan (structures/small_batches).
#pragma once
#include "structures/hornet/layout.cuh"

// Whether a batch needs memory first: for blocks of a class that lacks some, or for more than `room` edges in the
// staging area. Launched with one block of 64.
extern "C" __global__ void __launch_bounds__(64) decide(i64 count, i64 room, u64* counters) {
  int k = threadIdx.x;
  bool lacking = k < CLASSES && counters[REQUESTS + k] > counters[FREE + k];
  lacking |= i64(counters[STAGED]) > room;
  if (!__syncthreads_or(lacking)) return;
  if (k < CLASSES) counters[REQUESTS + k] = counters[RETURNED + k] = 0;
  if (k == 0) {
    counters[LARGE] = counters[STAGED] = 0;
    decline(counters);
  }
}
