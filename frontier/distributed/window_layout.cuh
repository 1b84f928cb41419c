// What is where in a window: memory of a part that the kernels of all parts read and write. windows.py has the same numbers.
#pragma once

constexpr long long ROWS_AT = 2048;      // rows of numbers (windows.cuh), behind the notes of searches (persistent.cuh)
constexpr long long HEAD_BYTES = 24576;  // all of that; behind it are bitmaps and messages, or arcs

// Whether the host has given the other parts up; to be asked now and then, as its memory is far away.
__device__ __forceinline__ bool is_abandoned(const volatile unsigned long long* abandoned, long long looks) {
  return (looks & 1023) == 0 && *abandoned;
}
