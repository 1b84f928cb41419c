// CUDA kernels that fill, copy, convert, scale and filter arrays, for all types at once: the name of each ends in the
// types' (C_TYPES).
#pragma once
#include "frontier/cuda/types.cuh"

// out[i] = first + i
#define COUNT_UP(T) \
  extern "C" __global__ void count_up_##T(i64 count, i64 first, T* out) { GRID_STRIDE(i, count) out[i] = T(first + i); }
COUNT_UP(int)
COUNT_UP(i64)

// out[i] = value
#define FILL(T) \
  extern "C" __global__ void fill_##T(i64 count, T value, T* out) { GRID_STRIDE(i, count) out[i] = value; }
FILL(u64)

// rows[i][column] = value. (The driver's fill of a column lasts 20 times as long if rows are short.)
#define FILL_COLUMN(T)                                                                                              \
  extern "C" __global__ void fill_column_##T(i64 count, i64 columns, i64 column, T value, T* rows) {              \
    GRID_STRIDE(i, count) rows[i * columns + column] = value;                                                       \
  }
FILL_COLUMN(u32)
FILL_COLUMN(u64)

// out[i] = from[at[i]], for elements of the size of type T
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

// out[at[i]] = values[i], of such elements
#define PUT(T, ID) \
  extern "C" __global__ void put_##T##_##ID(i64 count, const T* values, const ID* at, T* out) { \
    GRID_STRIDE(i, count) out[at[i]] = values[i]; \
  }
PUT(u8, int)
PUT(u8, i64)
PUT(u32, int)
PUT(u32, i64)
PUT(u64, int)
PUT(u64, i64)

// out[i] = values[i] * by
#define MULTIPLY(T) \
  extern "C" __global__ void multiply_##T(i64 count, const T* values, T by, T* out) { \
    GRID_STRIDE(i, count) out[i] = values[i] * by; \
  }
MULTIPLY(i64)

// out[i] = values[i] / by
#define DIVIDE(T) \
  extern "C" __global__ void divide_##T(i64 count, const T* values, T by, T* out) { \
    GRID_STRIDE(i, count) out[i] = values[i] / by; \
  }
DIVIDE(double)

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

// Appends the ids whose numbers are below `limit`: SplitMix64, as `mixed` in random_vertices.py. `number`, zero before,
// counts them all, and `out` receives the first `capacity` of them.
#define LIST_BELOW(ID) \
  extern "C" __global__ void list_below_##ID( \
      i64 count, const ID* ids, u64 key, u64 limit, i64 capacity, ID* out, u64* number) { \
    GRID_STRIDE(i, count) { \
      u64 h = (u64(ids[i]) ^ key) + 0x9E3779B97F4A7C15ull; \
      h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull; \
      h = (h ^ (h >> 27)) * 0x94D049BB133111EBull; \
      if ((h ^ (h >> 31)) >= limit) continue; \
      u64 at = atomicAdd(number, 1ull); \
      if (at < u64(capacity)) out[at] = ids[i]; \
    } \
  }
LIST_BELOW(int)
LIST_BELOW(i64)
