// CUDA kernels that fill, copy and convert arrays, for all types at once: the name of each ends in the types' (C_TYPES).
#pragma once
#include "frontier/cuda/types.cuh"

// out[i] = i
#define COUNT_UP(T) \
  extern "C" __global__ void count_up_##T(i64 count, T* out) { GRID_STRIDE(i, count) out[i] = T(i); }
COUNT_UP(int)
COUNT_UP(i64)

// out[i] = value
#define FILL(T) \
  extern "C" __global__ void fill_##T(i64 count, T value, T* out) { GRID_STRIDE(i, count) out[i] = value; }
FILL(u64)

// out[i] = from[at[i]], of elements that are as long as those of type T
#define TAKE(T, ID) \
  extern "C" __global__ void take_##T##_##ID(i64 count, const T* from, const ID* at, T* out) { \
    GRID_STRIDE(i, count) out[i] = from[at[i]]; \
  }
TAKE(u8, int)
TAKE(u8, i64)
TAKE(u32, int)
TAKE(u32, i64)
TAKE(u64, int)
TAKE(u64, i64)

// out[i] = values[i]
#define CONVERT(FROM, TO) \
  extern "C" __global__ void convert_##FROM##_##TO(i64 count, const FROM* values, TO* out) { \
    GRID_STRIDE(i, count) out[i] = TO(values[i]); \
  }
CONVERT(int, i64)
CONVERT(i64, int)
CONVERT(int, double)
CONVERT(i64, double)
CONVERT(float, double)
