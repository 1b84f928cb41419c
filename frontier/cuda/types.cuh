// Short names for integer types, and the loop that every kernel over work items has.
#pragma once

typedef long long i64;
typedef unsigned long long u64;
typedef unsigned int u32;

// Slots whose key is negative hold no neighbor. EMPTY has never held one since the slot was last cleared; a TOMBSTONE has.
#define EMPTY (-1)
#define TOMBSTONE (-2)

// for (i = this thread; i < count; i += all threads)
#define GRID_STRIDE(i, count)                                                     \
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x, stride_ = i64(gridDim.x) * blockDim.x; i < (count); \
       i += stride_)
