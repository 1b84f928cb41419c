// CUDA kernels of bitmaps. Macro: VID.
#pragma once
#include "frontier/cuda/scan.cuh"

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
