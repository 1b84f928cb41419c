// Random numbers by counter: Philox-4x32 with ten rounds, the same bits as frontier/functor/intrinsics/random.py.
#pragma once
#include "frontier/cuda/types.cuh"

// The four words of a seed and a position (i, j).
struct Philox {
  u32 c0, c1, c2, c3;

  __device__ __forceinline__ Philox(i64 seed, i64 i, i64 j)
      : c0(u32(i)), c1(u32(u64(i) >> 32)), c2(u32(j)), c3(u32(u64(j) >> 32)) {
    u32 k0 = u32(seed), k1 = u32(u64(seed) >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      u64 first = u64(0xD2511F53u) * c0, second = u64(0xCD9E8D57u) * c2;
      c0 = u32(second >> 32) ^ c1 ^ k0;
      c1 = u32(second);
      c2 = u32(first >> 32) ^ c3 ^ k1;
      c3 = u32(first);
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
  }
};

// From 0 up to, but not including, 1.
__device__ __forceinline__ double random_at(i64 seed, i64 i, i64 j) {
  Philox words(seed, i, j);
  return double(u64(words.c0 >> 5) * 67108864ull + (words.c1 >> 6)) * 1.1102230246251565e-16;  // 2 ** -53
}

// One of two integers from 0 to 2 ** 64 - 1.
__device__ __forceinline__ u64 random_pair_at(i64 seed, i64 i, i64 j, bool second) {
  Philox words(seed, i, j);
  return second ? words.c2 | u64(words.c3) << 32 : words.c0 | u64(words.c1) << 32;
}
