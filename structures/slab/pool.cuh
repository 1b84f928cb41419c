// The pool as kernels that change the graph see it: allocating and freeing slabs, and reporting to the host.
#pragma once
#include "frontier/cuda/ticket.cuh"
#include "frontier/cuda/last_block.cuh"
#include "structures/slab/slabs.cuh"

// Indices into Pool::counters. The same names are in cpu_slabs.py.
enum Counter { CHANGED, FOUND, DEFERRED, ALLOCATED, FREED, RECORDED, REPEATED, DONE, OVERFULL, EFFECTIVE, INVALID, COUNTERS };

// The fields of the named tuple Pool of cpu_slabs.py, in order.
struct Pool {
  Record* records;
  VID* neighbors;
  int* ring;
  u64* counters;
  volatile u64* published;  // the counters as the host reads them
  i64 free_head, free_count, ring_size, used, capacity, stride, width;

  // The degree (low half) and the tombstones (high half) of a vertex, to be changed together.
  __device__ u64* counts(VID v) const { return reinterpret_cast<u64*>(records + v) + 1; }
};

constexpr u64 KEY_CAME = 1;
constexpr u64 KEY_LEFT = 0xffffffffull;  // one less in the low half carries one more into the high half

__device__ inline i64 ring_at(const Pool& pool, i64 position) {
  return position >= pool.ring_size ? position - pool.ring_size : position;
}

// The slab that is allocated at a turn, or -1 beyond the last one.
__device__ inline i64 slab_of_turn(const Pool& pool, i64 turn) {
  if (turn < pool.free_count) return pool.ring[ring_at(pool, pool.free_head + turn)];
  i64 slab = pool.used + turn - pool.free_count;
  return slab < pool.capacity ? slab : -1;
}

// An empty slab, or -1.
__device__ inline i64 take_slab(const Pool& pool) { return slab_of_turn(pool, ticket(pool.counters + ALLOCATED)); }

// The slabs that a block allocates at its start, so its threads need not all contend for the pool's one counter. Slabs
// left at its end are returned.
struct Stock {
  i64 first;  // turn of the first
  u32 size;
  u32 taken;  // by threads of the block, may be more than size
};

// By all threads of a block that will process about `arcs` arcs. Ends with a barrier.
__device__ inline void fill_stock(const Pool& pool, Stock& stock, i64 arcs) {
  if (threadIdx.x == 0) {
    i64 available = pool.free_count + pool.capacity - pool.used, share = available / (2 * i64(gridDim.x));
    i64 size = arcs / 2 < share ? arcs / 2 : share;
    stock.size = u32(size);
    stock.taken = 0;
    stock.first = size ? i64(atomicAdd(pool.counters + ALLOCATED, u64(size))) : 0;
  }
  __syncthreads();
}

__device__ inline i64 take_slab(const Pool& pool, Stock& stock) {
  u32 k = atomicAdd(&stock.taken, 1u);
  return k < stock.size ? slab_of_turn(pool, stock.first + k) : take_slab(pool);
}

// By all threads of a block, when none allocates any more.
__device__ inline void return_stock(const Pool& pool, Stock& stock) {
  __shared__ i64 place;
  __syncthreads();
  u32 taken = stock.taken;
  if (taken >= stock.size) return;
  // Later turns than there are slabs have none to give back.
  i64 end = stock.first + stock.size, last = pool.free_count + pool.capacity - pool.used;
  i64 left = (end < last ? end : last) - stock.first - taken;
  if (left <= 0) return;
  if (threadIdx.x == 0) place = i64(atomicAdd(pool.counters + FREED, u64(left)));
  __syncthreads();
  for (i64 j = threadIdx.x; j < left; j += blockDim.x)
    pool.ring[ring_at(pool, pool.free_head + pool.free_count + place + j)] = int(slab_of_turn(pool, stock.first + taken + j));
}

// Gives back a slab that is empty.
__device__ inline void give_slab(const Pool& pool, i64 slab) {
  i64 turn = ticket(pool.counters + FREED);
  pool.ring[ring_at(pool, pool.free_head + pool.free_count + turn)] = int(slab);
}

// Empties the keys and the link. Weights may stay, since the weights of empty words are not read.
__device__ inline void clear_slab(const Pool& pool, i64 slab) {
  int4* vectors = reinterpret_cast<int4*>(pool.neighbors + slab * SLAB_STRIDE);
#pragma unroll
  for (int j = 0; j < SLAB_VECTORS; ++j) vectors[j] = make_int4(EMPTY, EMPTY, EMPTY, EMPTY);
}

// Adds up three numbers of each thread of a block into counters.
__device__ inline void report(const Pool& pool, u32 changed, u32 found, u32 deferred) {
  __shared__ u32 sums[3];
  if (threadIdx.x < 3) sums[threadIdx.x] = 0;
  __syncthreads();
  u32 mine[3] = {changed, found, deferred};
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    u32 sum = __reduce_add_sync(0xffffffffu, mine[k]);
    if ((threadIdx.x & 31) == 0 && sum) atomicAdd(sums + k, sum);
  }
  __syncthreads();
  if (threadIdx.x < 3 && sums[threadIdx.x]) atomicAdd(pool.counters + CHANGED + threadIdx.x, u64(sums[threadIdx.x]));
}

__device__ inline bool is_last_block(const Pool& pool) { return is_last_block(pool.counters + DONE); }

// Publishes the counters to the host, and sets them to zero for the next kernel. By the last block.
__device__ inline void publish(const Pool& pool) {
  __syncthreads();
  if (threadIdx.x >= COUNTERS) return;
  pool.published[threadIdx.x] = __ldcg(pool.counters + threadIdx.x);
  pool.counters[threadIdx.x] = 0;
}

// for (first = the first of the 32 chains of this warp; first < count; first += 32 chains for each warp)
#define WARP_CHAINS(first, count)                                                                \
  for (i64 first = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 32 * 32; first < (count); \
       first += i64(gridDim.x) * blockDim.x)

// The row that contains position `at` of arrays with these offsets, searched from row `low` on.
__device__ inline i64 row_of(const i64* offsets, i64 low, i64 rows, i64 at) {
  i64 step = 1;
  while (low + step < rows && offsets[low + step] <= at) {
    low += step;
    step *= 2;
  }
  i64 high = low + step < rows ? low + step : rows;
  while (high - low > 1) {
    i64 middle = (low + high) >> 1;
    if (offsets[middle] <= at) low = middle; else high = middle;
  }
  return low;
}

// The row of an entry, which all lanes of a warp search together: 32 positions at a time.
__device__ inline i64 row_of_warp(const Tile<32>& warp, const i64* offsets, i64 rows, i64 at) {
  i64 low = 0, high = rows;
  while (high - low > 1) {
    i64 step = (high - low + 31) / 32, probe = low + warp.lane * step;
    u32 before = warp.ballot(probe < high && offsets[probe] <= at);
    low += (__popc(before) - 1) * step;
    high = low + step < high ? low + step : high;
  }
  return low;
}
