// Sum, minimum and maximum into memory that several threads share, for all result types of reductions.
#pragma once
#include "frontier/cuda/tile.cuh"

// Combine a value into memory that other threads combine into.
__device__ __forceinline__ void combine_shared(int* at, int v, Sum) { atomicAdd(at, v); }
__device__ __forceinline__ void combine_shared(int* at, int v, Min) { atomicMin(at, v); }
__device__ __forceinline__ void combine_shared(int* at, int v, Max) { atomicMax(at, v); }
__device__ __forceinline__ void combine_shared(i64* at, i64 v, Sum) { atomicAdd((u64*)at, u64(v)); }
__device__ __forceinline__ void combine_shared(i64* at, i64 v, Min) { atomicMin(at, v); }
__device__ __forceinline__ void combine_shared(i64* at, i64 v, Max) { atomicMax(at, v); }
__device__ __forceinline__ void combine_shared(float* at, float v, Sum) { atomicAdd(at, v); }
__device__ __forceinline__ void combine_shared(double* at, double v, Sum) { atomicAdd(at, v); }
template <class Combine>
__device__ __forceinline__ void combine_shared(float* at, float v, Combine combine) {
  int old = *(int*)at, seen;
  do {
    seen = old;
    float merged = combine(__int_as_float(seen), v);
    if (__float_as_int(merged) == seen) return;
    old = atomicCAS((int*)at, seen, __float_as_int(merged));
  } while (old != seen);
}
template <class Combine>
__device__ __forceinline__ void combine_shared(double* at, double v, Combine combine) {
  u64 old = *(u64*)at, seen;
  do {
    seen = old;
    double merged = combine(__longlong_as_double(i64(seen)), v);
    if (u64(__double_as_longlong(merged)) == seen) return;
    old = atomicCAS((u64*)at, seen, u64(__double_as_longlong(merged)));
  } while (old != seen);
}
