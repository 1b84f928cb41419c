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

// Makes all blocks of block-arrays free; `count` words in all, `each` of a block-array. words, counts: by class, those of one
// that is all free.
extern "C" __global__ void open_arrays(
    i64 count, i64 each, const i64* units, const i64* classes, const u32* words, const int* counts, u32* free_bits,
    int* free_counts) {
  GRID_STRIDE(i, count) {
    i64 array = i / each, word = i % each, unit = units[array], k = classes[array];
    free_bits[unit * each + word] = words[k * each + word];
    if (word == 0) free_counts[unit] = counts[k];
  }
}

// Takes the blocks that each class must supply, in the order of the directory: a thread block to each block-array
// writes the first slots of the blocks it takes, and clears their bits. `fresh` holds those of class 0, then of class
// 1, and so on.
extern "C" __global__ void __launch_bounds__(1024) take_blocks(
    i64 count, const int* directory, const int* class_first, const i64* prefix, const signed char* array_classes,
    int* free_counts, u32* free_bits, i64 unit_bits, const i64* counters, i64* fresh) {
  __shared__ i64 offsets[CLASSES];
  class_offsets(counters, offsets);
  i64 words_per_unit = unit_bits > 5 ? i64(1) << (unit_bits - 5) : 1;
  for (i64 entry = blockIdx.x; entry < count; entry += gridDim.x) {
    i64 unit = directory[entry];
    int k = array_classes[unit];
    i64 before = prefix[entry] - prefix[class_first[k]], free = prefix[entry + 1] - prefix[entry];
    i64 take = counters[REQUESTS + k] - before;
    if (take > free) take = free;
    if (take <= 0) continue;
    i64* out = fresh + offsets[k] + before;
    i64 words = k + 5 < unit_bits ? i64(1) << (unit_bits - 5 - k) : 1;
    i64 found = 0;
    for (i64 base = 0; base < words && found < take; base += blockDim.x) {
      i64 word = base + threadIdx.x;
      u32 bits = word < words ? free_bits[unit * words_per_unit + word] : 0, left = bits;
      int total;
      i64 rank = found + block_exclusive(__popc(bits), total);
      for (; left && rank < take; ++rank) {
        out[rank] = (unit << unit_bits) + ((word * 32 + __ffs(left) - 1) << k);
        left &= left - 1;
      }
      if (left != bits) free_bits[unit * words_per_unit + word] = left;
      found += total;
    }
    if (threadIdx.x == 0) free_counts[unit] -= int(take);
  }
}
