// Which lists move to other blocks, and which are large.
#pragma once
#include "structures/hornet/locate.cuh"

// The smallest k with 2**k >= degree.
__device__ inline int class_of(i64 degree) { return degree <= 1 ? 0 : 64 - __clzll(degree - 1); }

// The changes of one list. All vertices are groups if group_vertex is null. Nothing changes if group_start is null, and
// all lists are empty if delta_pos is null.
struct Group {
  i64 v, low, high;  // vertex, and changes low..high-1
  Record old;
  i64 move;          // STAY, DROP or the new block
  i64 first, tail;   // the list moves from this position on, and its number of neighbors
  i64 work;          // neighbors to write

  __device__ Group(i64 g, const Record* records, const VID* group_vertex, const i64* group_start) {
    v = group_vertex ? i64(group_vertex[g]) : g;
    low = group_start ? group_start[g] : 0;
    high = group_start ? group_start[g + 1] : 0;
    old = load_record(records, v);
  }
  __device__ i64 changes() const { return high - low; }
  __device__ i64 new_degree(i64 mode) const { return old.degree() + (mode == DELETE ? -changes() : changes()); }
  __device__ void set_move(i64 decision, i64 mode, const VID* delta_pos) {
    move = decision;
    first = move != STAY ? 0 : changes() && delta_pos ? i64(delta_pos[low]) : 0;
    tail = move == DROP || (move == STAY && !changes()) ? 0 : old.degree() - first;
    work = tail + (mode == INSERT ? changes() : 0);
  }
};

// Decides which blocks move, and counts the blocks that each class must supply and gets back. It lists the large lists:
// (group, first chunk, position in the staging area or -1) each. Changes nothing of the graph.
extern "C" __global__ void plan(
    i64 count, const Record* records, const VID* group_vertex, const i64* group_start, i64 mode, i64 unit_bits,
    const bool* leaving, i64* moves, u64* counters, const VID* delta_pos, i64* large) {
  __shared__ u32 requests[CLASSES], returned[CLASSES];
  __shared__ u64 first_rank[CLASSES];
  if (group_vertex && i64(counters[GROUPS]) < count) count = i64(counters[GROUPS]);
  for (i64 base = i64(blockIdx.x) * blockDim.x; base < count; base += i64(gridDim.x) * blockDim.x) {
    for (int k = threadIdx.x; k < CLASSES; k += blockDim.x) requests[k] = returned[k] = 0;
    __syncthreads();
    i64 g = base + threadIdx.x;
    i64 move = STAY;
    u32 rank = 0;
    if (g < count) {
      Group group(g, records, group_vertex, group_start);
      bool has_block = group.old.start >= 0;
      i64 degree = group.new_degree(mode), capacity = has_block ? i64(1) << group.old.block_class() : 0;
      if (degree == 0) {
        if (has_block) move = DROP;
      } else if (mode == TIDY) {
        if (2 * degree <= capacity || (leaving && leaving[group.old.start >> unit_bits])) move = class_of(degree);
      } else if (degree > capacity || (mode == DELETE && group.changes() && 4 * degree <= capacity)) {
        move = class_of(degree);
      }
      if (move != STAY && has_block) atomicAdd(returned + group.old.block_class(), 1u);
      if (move >= 0) rank = atomicAdd(requests + move, 1u);
      group.set_move(move, mode, delta_pos);
      if (group.work > LARGE_LIST) {
        u64 chunks = (group.work + CHUNK - 1) / CHUNK;
        u64 before = atomicAdd(counters + LARGE, u64(1) << 32 | chunks);
        i64* entry = large + 3 * (before >> 32);
        entry[0] = g;
        entry[1] = i64(before & 0xffffffffu);
        entry[2] = move == STAY ? i64(atomicAdd(counters + STAGED, u64(group.tail))) : -1;
      }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < CLASSES; k += blockDim.x) {
      if (requests[k]) first_rank[k] = atomicAdd(counters + REQUESTS + k, u64(requests[k]));
      if (returned[k]) atomicAdd(counters + RETURNED + k, u64(returned[k]));
    }
    __syncthreads();
    if (g < count) moves[g] = move >= 0 ? move << RANK_BITS | i64(first_rank[move] + rank) : move;
    __syncthreads();
  }
}
