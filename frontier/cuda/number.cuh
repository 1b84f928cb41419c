// The number of members of a frontier, if the host does not know it (`frontier/operators/frontiers/deferred.py`).
#pragma once
#include "frontier/cuda/types.cuh"

// Sets `count` if the host did not know it: `number` vertices were listed then, with a capacity of `room`. Returns
// whether the list overflowed, so all of the graph's `everyone` vertices are members.
__device__ __forceinline__ bool take_number(i64& count, const u64* number, i64 room, i64 everyone) {
  if (!number) return false;
  count = i64(*number);
  if (count <= room) return false;
  count = everyone;
  return true;
}
