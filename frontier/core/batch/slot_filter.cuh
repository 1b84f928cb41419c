// Which of many slots may be among a few: one bit for each of many hashes, which spares nearly all threads the search.
#pragma once
#include "frontier/cuda/types.cuh"

constexpr int FILTER_WORDS = 4096;  // frontier/core/batch/slot_filter.py has the same number

__device__ inline u32 filter_hash(i64 slot) { return u32(u64(slot) * 0x9E3779B97F4A7C15ull >> 32) % (32 * FILTER_WORDS); }

__device__ inline void filter_add(u32* filter, i64 slot) {
  u32 bit = filter_hash(slot);
  atomicOr(filter + bit / 32, 1u << bit % 32);
}

// Not while slots are added.
__device__ inline bool filter_may_hold(const u32* filter, i64 slot) {
  u32 bit = filter_hash(slot);
  return filter[bit / 32] >> bit % 32 & 1;
}

// By all threads of a block.
__device__ inline void filter_clear(u32* filter) {
  for (int k = threadIdx.x; k < FILTER_WORDS; k += blockDim.x) filter[k] = 0;
}
