// A row of numbers of each partition for all partitions, by kernels that see each other's windows. Within a host this
// costs some microseconds, and the host launches one kernel for it.
#pragma once
#include "frontier/cuda/types.cuh"
#include "frontier/distributed/transport/window_layout.cuh"

// windows.py has the same numbers.
constexpr int MAX_WINDOWS = 32;
constexpr int MAX_NUMBERS = 34;  // of a row
constexpr int FROM_HOST = 8;      // that are parameters
enum Operation { NONE, SUM, LEAST, GREATEST };

// The numbers that a partition has sent, and in which exchange.
struct Row {
  u64 turn;
  i64 numbers[MAX_NUMBERS];
};

struct RowsHead {
  u64 turn;                   // exchanges so far, private to this partition
  Row rows[2][MAX_WINDOWS];  // by turns, as a partition may be ahead by one exchange
};
static_assert(ROWS_AT + sizeof(RowsHead) <= HEAD_BYTES, "the head has room");

__device__ __forceinline__ i64 combined(int operation, i64 a, i64 b) {
  if (operation == LEAST) return b < a ? b : a;
  if (operation == GREATEST) return b > a ? b : a;
  return a + b;
}

// The numbers that all partitions have sent in an exchange.
struct Received {
  RowsHead* own;
  const i64* mine;
  u64 which;
  int rank;
  bool all_came;

  // If the partitions are abandoned meanwhile, all numbers are 1, which batches treat as an error.
  __device__ i64 number(int p, int k) const {
    return !all_came ? 1 : p == rank ? mine[k] : *(volatile i64*)(own->rows[which][p].numbers + k);
  }
};

// By one block: sends `count` numbers, which its threads share, to all partitions, and waits for theirs, and for all
// their earlier writes.
__device__ Received
exchange(i64 count, const i64* mine, char* const* window_of, int rank, int parts, const volatile u64* abandoned) {
  auto head = [&](int p) { return (RowsHead*)(window_of[p] + ROWS_AT); };
  RowsHead* own = head(rank);
  u64 turn = own->turn + 1, which = turn & 1;
  int size = int(parts * count);
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    int p = i / int(count), k = i % int(count);
    if (p != rank) head(p)->rows[which][rank].numbers[k] = mine[k];
  }
  __threadfence_system();
  __syncthreads();
  bool has_peer = threadIdx.x < parts && threadIdx.x != rank, all_came = true;
  if (has_peer) {
    __threadfence_system();
    *(volatile u64*)&head(threadIdx.x)->rows[which][rank].turn = turn;
  }
  __syncthreads();  // all are sent before any thread waits
  if (has_peer) {
    for (i64 looks = 1; all_came && *(volatile u64*)&own->rows[which][threadIdx.x].turn != turn; ++looks)
      all_came = !is_abandoned(abandoned, looks);
    __threadfence_system();
  }
  all_came = __syncthreads_and(all_came);
  if (threadIdx.x == 0) own->turn = turn;
  return {own, mine, which, rank, all_came};
}

// By one block: an exchange of `count` numbers, which are in `row`, or follow it. All rows go to `rows`, if it is
// given. `received` reports FROM_HOST combined numbers to the host.
extern "C" __global__ void exchange_rows(
    i64 count, const i64* row, i64 n0, i64 n1, i64 n2, i64 n3, i64 n4, i64 n5, i64 n6, i64 n7, char* const* window_of,
    int rank, int parts, i64* rows, int operation, volatile i64* received, const volatile u64* abandoned) {
  __shared__ i64 mine[MAX_NUMBERS];
  i64 given[FROM_HOST] = {n0, n1, n2, n3, n4, n5, n6, n7};
  for (int k = threadIdx.x; k < count; k += blockDim.x) mine[k] = row ? row[k] : given[k];
  __syncthreads();
  Received found = exchange(count, mine, window_of, rank, parts, abandoned);
  int size = int(parts * count);
  for (int i = threadIdx.x; rows && i < size; i += blockDim.x) rows[i] = found.number(i / int(count), i % int(count));
  if (received && threadIdx.x < FROM_HOST) {
    int k = threadIdx.x;
    i64 total = 0;
    for (int p = 0; k < count && p < parts; ++p) {
      i64 here = found.number(p, k);
      total = p ? combined(operation, total, here) : here;
    }
    received[k] = total;
  }
}
