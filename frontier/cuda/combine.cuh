// Reductions into memory that several threads share, for all their result types.
#pragma once
#include "frontier/cuda/tile.cuh"

struct Or {
  template <class T>
  __device__ T operator()(T a, T b) const { return a | b; }
};
struct And {
  template <class T>
  __device__ T operator()(T a, T b) const { return a & b; }
};
struct Any {
  __device__ bool operator()(bool a, bool b) const { return a || b; }
};
struct All {
  __device__ bool operator()(bool a, bool b) const { return a && b; }
};

// Combine a value into memory that other threads combine into.
__device__ __forceinline__ void combine_shared(int* at, int v, Sum) { atomicAdd(at, v); }
__device__ __forceinline__ void combine_shared(int* at, int v, Min) { atomicMin(at, v); }
__device__ __forceinline__ void combine_shared(int* at, int v, Max) { atomicMax(at, v); }
__device__ __forceinline__ void combine_shared(i64* at, i64 v, Sum) { atomicAdd((u64*)at, u64(v)); }
__device__ __forceinline__ void combine_shared(i64* at, i64 v, Min) { atomicMin(at, v); }
__device__ __forceinline__ void combine_shared(i64* at, i64 v, Max) { atomicMax(at, v); }
__device__ __forceinline__ void combine_shared(int* at, int v, Or) { atomicOr(at, v); }
__device__ __forceinline__ void combine_shared(int* at, int v, And) { atomicAnd(at, v); }
__device__ __forceinline__ void combine_shared(i64* at, i64 v, Or) { atomicOr((u64*)at, u64(v)); }
__device__ __forceinline__ void combine_shared(i64* at, i64 v, And) { atomicAnd((u64*)at, u64(v)); }
__device__ __forceinline__ void combine_shared(u32* at, u32 v, Min) { atomicMin(at, v); }
__device__ __forceinline__ void combine_shared(u64* at, u64 v, Min) { atomicMin(at, v); }
__device__ __forceinline__ void combine_shared(bool* at, bool v, Any) { if (v) *at = true; }
__device__ __forceinline__ void combine_shared(bool* at, bool v, All) { if (!v) *at = false; }
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
template <class Combine>
__device__ __forceinline__ void combine_shared(int* at, int v, Combine combine) {
  int old = *at, seen;
  do {
    seen = old;
    int merged = combine(seen, v);
    if (merged == seen) return;
    old = atomicCAS(at, seen, merged);
  } while (old != seen);
}
template <class Combine>
__device__ __forceinline__ void combine_shared(i64* at, i64 v, Combine combine) {
  i64 old = *at, seen;
  do {
    seen = old;
    i64 merged = combine(seen, v);
    if (merged == seen) return;
    old = compare_and_swap(at, seen, merged);
  } while (old != seen);
}
