// Bitmaps of vertices: bit `v & 31` of word `v >> 5` stands for v. All threads of a grid call the functions over many
// vertices.
#pragma once
#include "frontier/cuda/scan.cuh"

__device__ __forceinline__ bool has_bit(const u32* bits, VID v) { return bits[v >> 5] >> (v & 31) & 1; }

__device__ __forceinline__ void set_bit(u32* bits, VID v) { atomicOr(bits + (v >> 5), 1u << (v & 31)); }

// Appends the vertices whose bits are set. Each warp reserves a range for 32 words' vertices at once.
__device__ __forceinline__ void list_bits(i64 words, const u32* bits, VID* out, u64* counter) {
  int lane = threadIdx.x & 31;
  i64 rounded = (words + 31) / 32 * 32;
  GRID_STRIDE(word, rounded) {
    u32 members = word < words ? bits[word] : 0;
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
