// How many members a frontier has, where the host does not know it (`frontier/operators/frontiers/deferred.py`).
#pragma once
#include "frontier/cuda/types.cuh"

// Sets `count` where the host did not know it: `number` vertices were listed then, and there was room for `room` of them.
// Returns whether there were more, so that all of the graph's `everyone` vertices are members.
__device__ __forceinline__ bool take_number(i64& count, const u64* number, i64 room, i64 everyone) {
  if (!number) return false;
  count = i64(*number);
  if (count <= room) return false;
  count = everyone;
  return true;
}
