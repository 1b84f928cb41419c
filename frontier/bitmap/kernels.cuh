// CUDA kernels of bitmaps. Macro: VID.
#pragma once
#include "frontier/cuda/scan.cuh"
#include "frontier/cuda/tile.cuh"

// Sets the bits of a list's vertices.
extern "C" __global__ void from_list(i64 count, const VID* vertices, u32* bits) {
  GRID_STRIDE(i, count) {
    VID v = vertices[i];
    atomicOr(bits + (v >> 5), 1u << (v & 31));
  }
}

// The vertices whose bits are set. `count` is the number of words; each warp takes room for 32 words' vertices at once.
extern "C" __global__ void to_list(i64 count, const u32* bits, VID* out, u64* counter) {
  int lane = threadIdx.x & 31;
  i64 rounded = (count + 31) / 32 * 32;
  GRID_STRIDE(word, rounded) {
    u32 members = word < count ? bits[word] : 0;
    u32 mine = __popc(members), before = lanes_inclusive(mine);
    u64 start = 0;
    if (lane == 31 && before) start = atomicAdd(counter, u64(before));
    start = __shfl_sync(0xffffffffu, start, 31) + before - mine;
    while (members) {
      out[start++] = VID(word * 32 + __ffs(members) - 1);
      members &= members - 1;
    }
  }
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
