// The list that a kernel puts vertices into: gathered in shared memory, appended to global memory a block at a time.
#pragma once
#include "frontier/cuda/expand.cuh"

constexpr int OUTPUT_BUFFER = 2048;

// counters[0]: vertices appended; counters[1]: arcs that leave them.
struct Output {
  VID* list;
  u64* counters;
  VID* buffer;  // shared, OUTPUT_BUFFER
  u32* held;    // shared

  __device__ void append(const View& view, VID v) {
    u32 at = atomicAdd(held, 1u);
    if (at < OUTPUT_BUFFER) {
      buffer[at] = v;
    } else {
      list[atomicAdd(counters, 1ull)] = v;
      atomicAdd(counters + 1, u64(view.degree(v)));
    }
  }
  // By all threads of the block, between barriers.
  __device__ void flush(const View& view) {
    u32 count = *held < OUTPUT_BUFFER ? *held : OUTPUT_BUFFER;
    if (count == 0) return;
    __shared__ u64 start;
    if (threadIdx.x == 0) start = atomicAdd(counters, u64(count));
    __syncthreads();
    u64 arcs = 0;
    for (u32 i = threadIdx.x; i < count; i += blockDim.x) {
      VID v = buffer[i];
      list[start + i] = v;
      arcs += u64(view.degree(v));
    }
    arcs = Tile<32>().reduce(arcs, Sum());
    if ((threadIdx.x & 31) == 0 && arcs) atomicAdd(counters + 1, arcs);
    if (threadIdx.x == 0) *held = 0;
  }
};

#define MAKE_OUTPUT(name, list, counters)              \
  __shared__ VID name##_buffer[OUTPUT_BUFFER];         \
  __shared__ u32 name##_held;                          \
  if (threadIdx.x == 0) name##_held = 0;               \
  __syncthreads();                                     \
  Output name{list, counters, name##_buffer, &name##_held}
