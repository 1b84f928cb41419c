// The layout of a window: memory of a partition that the kernels of all partitions read and write. windows.py has the
// same numbers.
#pragma once
#include "frontier/cuda/types.cuh"

constexpr i64 ROWS_AT = 2048;      // rows of numbers (windows.cuh), behind the notes of searches (persistent.cuh)
constexpr i64 HEAD_BYTES = 24576;  // the bytes of all that, followed by bitmaps and messages, or arcs

// Whether the host has given up the other partitions. It is read only now and then, as its memory is far away.
__device__ __forceinline__ bool is_abandoned(const volatile u64* abandoned, i64 looks) {
  return (looks & 1023) == 0 && *abandoned;
}
