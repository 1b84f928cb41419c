// CUDA kernels of bitmaps. Macro: VID.
#pragma once
#include "frontier/cuda/bits.cuh"
#include "frontier/cuda/tile.cuh"

// Sets the bits of a list's vertices.
extern "C" __global__ void from_list(i64 count, const VID* vertices, u32* bits) {
  GRID_STRIDE(i, count) set_bit(bits, vertices[i]);
}

// The vertices whose bits are set. `count` is the number of words.
extern "C" __global__ void to_list(i64 count, const u32* bits, VID* out, u64* counter) {
  list_bits(count, bits, out, counter);
}

// A set operation (OR, AND, MINUS, XOR in frontier/bitmap) on two bitmaps, whose members are counted.
extern "C" __global__ void combine(i64 count, i64 operation, const u32* left, const u32* right, u32* out, u64* counter) {
  u64 members = 0;
  GRID_STRIDE(i, count) {
    u32 a = left[i], b = right[i];
    u32 word = operation == 0 ? a | b : operation == 1 ? a & b : operation == 2 ? a & ~b : a ^ b;
    out[i] = word;
    members += __popc(word);
  }
  members = Tile<32>().reduce(members, Sum());
  if ((threadIdx.x & 31) == 0 && members) atomicAdd(counter, members);
}
