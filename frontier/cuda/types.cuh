// Short names for integer types, and the loop that every kernel over work items has.
#pragma once

typedef long long i64;
typedef unsigned long long u64;
typedef unsigned int u32;
typedef signed char i8;
typedef unsigned char u8;

// Slots with a negative key have no neighbor. EMPTY marks a slot that has had none since it was last cleared, a
// TOMBSTONE a slot that has.
#define EMPTY (-1)
#define TOMBSTONE (-2)

// for (i = this thread; i < count; i += all threads)
#define GRID_STRIDE(i, count)                                                     \
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x, stride_ = i64(gridDim.x) * blockDim.x; i < (count); \
       i += stride_)

// atomicCAS for both widths of vertex id.
__device__ __forceinline__ int compare_and_swap(int* at, int expected, int value) { return atomicCAS(at, expected, value); }
__device__ __forceinline__ i64 compare_and_swap(i64* at, i64 expected, i64 value) {
  return i64(atomicCAS((u64*)at, u64(expected), u64(value)));
}
