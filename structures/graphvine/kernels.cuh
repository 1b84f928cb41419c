// CUDA kernels of GraphVine, in the order in which an update runs them. Macros: VID, WEIGHT.
#pragma once
#include "structures/graphvine/view.cuh"
#include "structures/blocks/kernels.cuh"

#define BLOCKS 4  // index in the counters: blocks to allocate from the queue, or to free

// The change of one list: sign +1 for insertions, -1 for deletions.
struct Growth {
  i64 v;
  Record old;
  i64 old_blocks, new_blocks;
  int degree;

  __device__ Growth(const Record* records, i64 bits, const VID* group_vertex, const i64* group_start, i64 sign, i64 g) {
    v = group_vertex ? i64(group_vertex[g]) : g;
    old = load_record(records, v);
    degree = old.degree + int(sign * (group_start[g + 1] - group_start[g]));
    i64 more = (i64(1) << bits) - 1;
    old_blocks = (old.degree + more) >> bits;
    new_blocks = (degree + more) >> bits;
  }
  __device__ i64 difference() const { return new_blocks > old_blocks ? new_blocks - old_blocks : old_blocks - new_blocks; }
};

// The number of blocks that each tile of groups allocates, or frees. Changes nothing of the graph.
extern "C" __global__ void __launch_bounds__(TILE) plan(
    i64 count, const Record* records, i64 bits, const VID* group_vertex, const i64* group_start, i64 sign, i64* sums,
    u64* counters) {
  i64 groups = group_vertex && i64(counters[GROUPS]) < count ? i64(counters[GROUPS]) : count;
  TILES(tile, count) {
    i64 g = tile * TILE + threadIdx.x, total;
    i64 blocks = g < groups ? Growth(records, bits, group_vertex, group_start, sign, g).difference() : 0;
    block_exclusive(blocks, total);
    if (threadIdx.x == 0) {
      sums[tile] = total;
      if (total) atomicAdd(counters + BLOCKS, u64(total));
    }
  }
}

// The queue of free blocks, a ring.
struct Queue {
  int* blocks;
  i64 size, front;
  __device__ int& at(i64 place) const {
    i64 i = front + place;
    return blocks[i < size ? i : i - size];
  }
};

// The group of a tile that item k belongs to: the last with firsts[group] <= k.
__device__ inline int owner_of(const i64* firsts, i64 k) {
  int low = 0;
#pragma unroll
  for (int step = TILE / 2; step > 0; step /= 2)
    if (firsts[low + step] <= k) low += step;
  return low;
}

// First kernel of an insertion: allocates blocks from the queue, attaches them to the trees, and sets the records to
// their final values. The threads of a thread block share the new blocks of its groups. The counters contain the number
// of groups. If they are null, it is `count`.
extern "C" __global__ void __launch_bounds__(TILE) link_blocks(
    i64 count, Record* records, int2* children, i64 bits, const VID* group_vertex, const i64* group_start,
    const i64* sums, bool summed, int* queue, i64 queue_size, i64 front, const u64* counters) {
  __shared__ i64 firsts[TILE];
  __shared__ Record olds[TILE];
  __shared__ int straight[TILE];
  if (counters) count = at_most(count, counters[GROUPS]);
  TILES(tile, count) {
    Queue taken{queue, queue_size, front + sum_before(sums, summed, tile)};
    if (taken.front >= queue_size) taken.front -= queue_size;
    i64 g = tile * TILE + threadIdx.x, total, fresh = 0;
    Record next{};
    i64 v = -1;
    if (g < count) {
      Growth growth(records, bits, group_vertex, group_start, 1, g);
      v = growth.v;
      olds[threadIdx.x] = next = growth.old;
      next.degree = growth.degree;
      fresh = growth.difference();
      straight[threadIdx.x] = int(next.straight == growth.old_blocks ? growth.new_blocks : next.straight);
    }
    i64 first = block_exclusive(fresh, total);
    firsts[threadIdx.x] = first;
    __syncthreads();
    for (i64 k = threadIdx.x; k < total; k += TILE) {
      int owner = owner_of(firsts, k);
      Record old = olds[owner];
      i64 old_blocks = (old.degree + (i64(1) << bits) - 1) >> bits, i = old_blocks + k - firsts[owner];
      if (i == 0) continue;
      int block = taken.at(k);
      int before = i > old_blocks ? taken.at(k - 1) : old.last;
      if (block != before + 1) atomicMin(straight + owner, int(i));
      i64 parent = ((i + 1) >> 1) - 1;
      i64 above = parent >= old_blocks ? i64(taken.at(k - (i - parent))) : block_of(children, old, parent);
      reinterpret_cast<int*>(children)[2 * above + ((i + 1) & 1)] = block;
    }
    __syncthreads();
    if (v >= 0) {
      if (fresh) {
        if (olds[threadIdx.x].degree == 0) next.root = taken.at(first);
        next.last = taken.at(first + fresh - 1);
        next.straight = straight[threadIdx.x];
      }
      reinterpret_cast<int4*>(records)[v] = make_int4(next.root, next.last, next.degree, next.straight);
    }
    __syncthreads();
  }
}

// Last kernel of a deletion: returns the blocks behind the ends of lists to the queue, from position `front` on, and
// sets the records.
extern "C" __global__ void __launch_bounds__(TILE) return_blocks(
    i64 count, Record* records, const int2* children, i64 bits, const VID* group_vertex, const i64* group_start,
    const i64* sums, bool summed, int* queue, i64 queue_size, i64 front, const u64* counters) {
  __shared__ i64 firsts[TILE];
  __shared__ Record olds[TILE];
  __shared__ i64 kept[TILE];
  if (counters) count = at_most(count, counters[GROUPS]);
  TILES(tile, count) {
    Queue given{queue, queue_size, front + sum_before(sums, summed, tile)};
    if (given.front >= queue_size) given.front -= queue_size;
    i64 g = tile * TILE + threadIdx.x, total, left = 0;
    Record next{};
    i64 v = -1;
    if (g < count) {
      Growth growth(records, bits, group_vertex, group_start, -1, g);
      v = growth.v;
      olds[threadIdx.x] = next = growth.old;
      kept[threadIdx.x] = growth.new_blocks;
      left = growth.difference();
      next.degree = growth.degree;
      if (left) {
        next.last = int(block_of(children, next, growth.new_blocks ? growth.new_blocks - 1 : 0));
        if (next.straight > growth.new_blocks) next.straight = int(growth.new_blocks);
      }
      if (next.degree == 0) next = Record{};
    }
    firsts[threadIdx.x] = block_exclusive(left, total);
    __syncthreads();
    for (i64 k = threadIdx.x; k < total; k += TILE) {
      int owner = owner_of(firsts, k);
      given.at(k) = int(block_of(children, olds[owner], kept[owner] + k - firsts[owner]));
    }
    if (v >= 0) reinterpret_cast<int4*>(records)[v] = make_int4(next.root, next.last, next.degree, next.straight);
    __syncthreads();
  }
}
