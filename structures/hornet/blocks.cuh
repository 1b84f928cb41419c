// Finding free blocks.
#pragma once
#include "structures/hornet/layout.cuh"

// Adds up the free blocks before each of `count` block-arrays of the directory, and of each class. One thread block.
extern "C" __global__ void __launch_bounds__(1024)
count_free(i64 count, const int* directory, const int* class_first, const int* free_counts, i64* prefix,
           i64* counters) {
  i64 before = 0;
  for (i64 base = 0; base < count; base += blockDim.x) {
    i64 entry = base + threadIdx.x, total;
    i64 blocks = entry < count ? free_counts[directory[entry]] : 0;
    i64 sum = before + block_exclusive(blocks, total);
    if (entry < count) prefix[entry] = sum;
    before += total;
  }
  if (threadIdx.x == 0) prefix[count] = before;
  __syncthreads();
  for (int k = threadIdx.x; k < CLASSES; k += blockDim.x)
    counters[FREE + k] = prefix[class_first[k + 1]] - prefix[class_first[k]];
}

// Makes all blocks of block-arrays free, with `count` words in total, `each` of a block-array. words, counts: by class,
// of a block-array that is all free.
extern "C" __global__ void open_arrays(
    i64 count, i64 each, const i64* units, const i64* classes, const u32* words, const int* counts, u32* free_bits,
    int* free_counts) {
  GRID_STRIDE(i, count) {
    i64 array = i / each, word = i % each, unit = units[array], k = classes[array];
    free_bits[unit * each + word] = words[k * each + word];
    if (word == 0) free_counts[unit] = counts[k];
  }
}

// The supply of a block-array of the directory: `take` blocks of class k, the first of which is number `before` of all that
// its class must supply.
struct Supply {
  i64 unit, before, take;
  int k;

  __device__ Supply(i64 entry, const int* directory, const int* class_first, const i64* prefix,
                    const signed char* array_classes, const i64* counters) {
    unit = directory[entry];
    k = array_classes[unit];
    before = prefix[entry] - prefix[class_first[k]];
    i64 free = prefix[entry + 1] - prefix[entry], left = counters[REQUESTS + k] - before;
    take = left < free ? left : free;
  }
};

// Allocates the blocks that each class must supply, in the order of the directory. Each block-array that supplies some
// has a thread block, which writes their first slots and clears their bits. `fresh` contains the blocks of class 0,
// then of class 1, and so on. A warp writes the blocks of a word at a time, next to each other.
extern "C" __global__ void __launch_bounds__(1024) take_blocks(
    i64 count, const int* directory, const int* class_first, const i64* prefix, const signed char* array_classes,
    int* free_counts, u32* free_bits, i64 unit_bits, const i64* counters, i64* fresh) {
  constexpr u32 ALL = 0xffffffffu;
  __shared__ i64 offsets[CLASSES];
  __shared__ int suppliers[1024], number;
  class_offsets(counters, offsets);
  int lane = threadIdx.x & 31;
  i64 words_per_unit = unit_bits > 5 ? i64(1) << (unit_bits - 5) : 1;
  for (i64 first = blockIdx.x; first < count; first += i64(gridDim.x) * blockDim.x) {
    // Most supply nothing, which the threads find out at the same time.
    if (threadIdx.x == 0) number = 0;
    __syncthreads();
    i64 mine = first + i64(threadIdx.x) * gridDim.x;
    if (mine < count && Supply(mine, directory, class_first, prefix, array_classes, counters).take > 0)
      suppliers[atomicAdd(&number, 1)] = int(mine);
    __syncthreads();
    for (int s = 0; s < number; ++s) {
      Supply supply(suppliers[s], directory, class_first, prefix, array_classes, counters);
      i64 unit = supply.unit, take = supply.take, found = 0;
      int k = supply.k;
      i64* out = fresh + offsets[k] + supply.before;
      i64 words = k + 5 < unit_bits ? i64(1) << (unit_bits - 5 - k) : 1;
      for (i64 base = 0; base < words && found < take; base += blockDim.x) {
        i64 word = base + threadIdx.x;
        u32 bits = word < words ? free_bits[unit * words_per_unit + word] : 0, taken = 0;
        int total;
        i64 rank = found + block_exclusive(__popc(bits), total);
        for (u32 left = __ballot_sync(ALL, bits && rank < take); left; left &= left - 1) {
          int of = __ffs(left) - 1;
          u32 theirs = __shfl_sync(ALL, bits, of);
          i64 at = __shfl_sync(ALL, rank, of) + __popc(theirs & ((1u << lane) - 1));
          bool takes = (theirs >> lane & 1) && at < take;
          if (takes) out[at] = (unit << unit_bits) + (((word - lane + of) * 32 + lane) << k);
          u32 gone = __ballot_sync(ALL, takes);
          if (lane == of) taken = gone;
        }
        if (taken) free_bits[unit * words_per_unit + word] = bits & ~taken;
        found += total;
      }
      if (threadIdx.x == 0) free_counts[unit] -= int(take);
    }
    __syncthreads();
  }
}
