// A small batch in the caller's arrays: kernels check it, expand it into arcs and find its effective edges themselves,
// which makes an update one launch. Macros: VID, WEIGHT.
#pragma once
#include "frontier/cuda/scan.cuh"

constexpr int SMALL_BATCH = 4096;  // edges that each block may look at (frontier/core/batch/raw.py has the same number)
constexpr int SMALL_THREADS = 256;  // of a block of such a kernel

// The fields of SmallBatch of frontier/core/batch/raw.py, in order, eight bytes each.
struct SmallBatch {
  const void* src;  // of the user's type of id
  const void* dst;
  const WEIGHT* new_weights;
  i64 count;     // edges
  i64 wide;      // whether the user's ids have 64 bits
  i64 both;      // whether an edge is two arcs: 2 i and 2 i + 1
  i64 num_vertices;
  const bool* absent;
  VID* arc_src;  // the arcs, for observers that accept the unfiltered batch, or null
  VID* arc_dst;
  VID* new_src;  // the effective edges, for exact observers, or null
  VID* new_dst;

  __device__ i64 id(const void* ids, i64 e) const {
    return wide ? static_cast<const i64*>(ids)[e] : i64(static_cast<const int*>(ids)[e]);
  }
  __device__ i64 arcs() const { return both ? 2 * count : count; }
  __device__ i64 edge(i64 k) const { return both ? k >> 1 : k; }
  // Ends of arc k. False for an ignored one.
  __device__ bool arc(i64 k, VID& u, VID& v) const {
    i64 e = edge(k);
    bool reversed = both && (k & 1);
    u = VID(id(reversed ? dst : src, e));
    v = VID(id(reversed ? src : dst, e));
    return u != v;
  }
  __device__ WEIGHT weight(i64 k) const { return new_weights ? new_weights[edge(k)] : WEIGHT(1); }
  // The arc of edge e that observers are notified of, in undirected graphs the ascending one. -1 for a loop.
  __device__ i64 notified(i64 e, VID& u, VID& v) const {
    u = VID(id(src, e));
    v = VID(id(dst, e));
    if (u == v) return -1;
    if (!both) return e;
    if (u < v) return 2 * e;
    VID w = u;
    u = v;
    v = w;
    return 2 * e + 1;
  }

  __device__ bool is_valid(i64 e) const {
    i64 u = id(src, e), v = id(dst, e);
    if (u < 0 || u >= num_vertices || v < 0 || v >= num_vertices) return false;
    if (absent && (absent[u] || absent[v])) return false;
    return !new_weights || new_weights[e] == new_weights[e];
  }
  // Whether the batch is valid. By all threads of a block, each block checking the whole batch: no block changes
  // anything before it has checked all ids, and none waits for another.
  __device__ bool is_valid() const {
    bool good = true;
    for (i64 e = threadIdx.x; e < count; e += blockDim.x) good &= is_valid(e);
    return __syncthreads_and(good);
  }

  // Writes the arcs for observers that accept them, by all threads of all blocks. Ignored ones have negative ends.
  __device__ void write_arcs() const {
    if (!arc_src) return;
    GRID_STRIDE(k, arcs()) {
      VID u, v;
      bool good = arc(k, u, v);
      arc_src[k] = good ? u : VID(-1);
      arc_dst[k] = good ? v : VID(-1);
    }
  }

  // The number of edges from `begin` to `end` for which `kept(e, k, u, v)`, k being their notified arc. By all threads
  // of a block.
  template <class Kept>
  __device__ i64 count_edges(i64 begin, i64 end, Kept kept) const {
    i64 mine = 0, total;
    for (i64 e = begin + threadIdx.x; e < end; e += blockDim.x) {
      VID u, v;
      i64 k = notified(e, u, v);
      mine += k >= 0 && kept(e, k, u, v);
    }
    block_exclusive(mine, total);
    return total;
  }
  // Writes these edges behind `written` others, in their order, and returns their number. By one block of
  // SMALL_THREADS.
  template <class Kept>
  __device__ i64 write_edges(i64 begin, i64 end, i64 written, Kept kept) const {
    i64 before = written;
    for (; begin < end; begin += SMALL_BATCH)
      written += write_piece(begin, begin + SMALL_BATCH < end ? begin + SMALL_BATCH : end, written, kept);
    return written - before;
  }
  // The same of all edges.
  template <class Kept>
  __device__ i64 write_edges(Kept kept) const {
    return write_edges(0, count, 0, kept);
  }

 private:
  // The same of the edges from `begin` to `end`, at most SMALL_BATCH.
  template <class Kept>
  __device__ int write_piece(i64 begin, i64 end, i64 written, Kept kept) const {
    constexpr int MOST = SMALL_BATCH / SMALL_THREADS;
    int each = int((end - begin + SMALL_THREADS - 1) / SMALL_THREADS);
    i64 low = begin + i64(threadIdx.x) * each;
    u32 mine = 0;
#pragma unroll 4
    for (int j = 0; j < MOST; ++j) {
      VID u, v;
      if (j >= each || low + j >= end) break;
      i64 k = notified(low + j, u, v);
      if (k >= 0 && kept(low + j, k, u, v)) mine |= 1u << j;
    }
    int total;
    i64 at = written + block_exclusive(__popc(mine), total);
    for (; mine; mine &= mine - 1) {
      VID u, v;
      notified(low + __ffs(int(mine)) - 1, u, v);
      new_src[at] = u;
      new_dst[at++] = v;
    }
    return total;
  }
};
