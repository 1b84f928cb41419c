// CUDA kernels that list the neighbors which operations of a mixed batch ask for. lists_on_gpu.py describes them.
#pragma once
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/types.cuh"

__device__ inline i64 low_bits(i64 number, i64 bits) { return number & ((i64(1) << bits) - 1); }

// The first query for a vertex at a position or after it. Queries are sorted keys: vertices, and positions in the low `bits`.
__device__ inline i64 first_query(const i64* queries, i64 size, i64 bits, i64 vertex, i64 position) {
  return first_place<false>(queries, size, (vertex << bits) + position);
}

__device__ inline bool is_asked(const i64* queries, i64 size, i64 bits, i64 vertex) {
  i64 at = first_query(queries, size, bits, vertex, 0);
  return at < size && queries[at] >> bits == vertex;
}

// The vertices whose neighbors are requested, -1 for other operations, and the numbers of neighbors, behind a 0.
extern "C" __global__ void find_listed(
    i64 count, const u8* ops, const VID* src, const i64* answers, int what, VID* vertices, i64* lengths) {
  GRID_STRIDE(i, count) {
    bool listed = ops[i] == what;
    vertices[i] = listed ? src[i] : VID(-1);
    lengths[i + 1] = listed ? answers[i] : 0;
    if (i == 0) lengths[0] = 0;
  }
}

extern "C" __global__ void query_keys(i64 count, const i64* listed, const VID* src, i64 bits, i64* queries) {
  GRID_STRIDE(i, count) queries[i] = i64(src[listed[i]]) << bits | listed[i];
}

extern "C" __global__ void query_vertices(i64 count, const i64* queries, i64 bits, i64* vertices) {
  GRID_STRIDE(i, count) vertices[i] = queries[i] >> bits;
}

// Not negative for operations that have changed an edge of a vertex that is asked for.
extern "C" __global__ void find_touching(
    i64 count, const i8* changes, const VID* src, const VID* dst, bool directed, const i64* queries, i64 queried, i64 bits,
    VID* touching) {
  GRID_STRIDE(i, count) {
    bool wanted = changes[i] && (is_asked(queries, queried, bits, src[i]) ||
                                 (!directed && is_asked(queries, queried, bits, dst[i])));
    touching[i] = wanted ? src[i] : VID(-1);
  }
}

// The arcs that some operations have changed, and the positions of these, ascending: an undirected edge is listed in both
// directions by turns.
extern "C" __global__ void effect_keys(
    i64 count, const i64* touching, const VID* src, const VID* dst, bool directed, i64 shift, i64* keys, i64* positions) {
  GRID_STRIDE(i, count) {
    i64 at = touching[directed ? i : i >> 1], u = src[at], v = dst[at];
    bool back = !directed && (i & 1);
    keys[i] = back ? v << shift | u : u << shift | v;
    positions[i] = at;
  }
}

// The queries that see an arc: the first of them, and their number. Arcs exist in intervals of positions. Intervals of
// inserted arcs start with one of the `effects`, sorted by arc and then by position, and end with the next one on the
// same arc. Intervals of arcs from before the batch end with the arc's first effect, or not at all. Then the arcs are
// among the neighbors `dst`, in the rows of `vertices`, that follow the effects.
extern "C" __global__ void count_covered(
    i64 count, i64 effects, const i64* keys, const i64* positions, const i8* changes, i64 size, i64 shift, const VID* vertices,
    i64 rows, const i64* offsets, const VID* dst, const i64* queries, i64 queried, i64 bits, i64* first, i64* covered) {
  GRID_STRIDE(i, count) {
    i64 begin = 0, end = size, key;
    bool there = true;
    if (i < effects) {
      key = keys[i];
      bool comes = changes[positions[i]] > 0;
      if (comes) {
        begin = positions[i];
        if (i + 1 < effects && keys[i + 1] == key) end = positions[i + 1];
      } else {
        end = positions[i];
        there = i == 0 || keys[i - 1] != key;
      }
    } else {
      i64 at = i - effects, row = first_place<true>(offsets, rows + 1, at) - 1;
      key = i64(vertices[row]) << shift | dst[at];
      i64 effect = first_place<false>(keys, effects, key);
      there = effect == effects || keys[effect] != key;  // else its first effect specifies until when it exists
    }
    i64 low = there ? first_query(queries, queried, bits, key >> shift, begin) : 0;
    i64 high = there ? first_query(queries, queried, bits, key >> shift, end) : 0;
    first[i] = low;
    covered[i] = high - low;
  }
}

// A key for each neighbor that a query sees: the query's position, and the neighbor in the low `shift` bits. `covered` are
// running sums.
extern "C" __global__ void list_covered(
    i64 count, i64 intervals, const i64* covered, const i64* first, i64 effects, const i64* keys, i64 shift, const VID* dst,
    const i64* queries, i64 bits, i64* out) {
  GRID_STRIDE(i, count) {
    i64 arc = first_place<true>(covered, intervals, i), query = first[arc] + i - (arc ? covered[arc - 1] : 0);
    i64 neighbor = arc < effects ? low_bits(keys[arc], shift) : i64(dst[arc - effects]);
    out[i] = low_bits(queries[query], bits) << shift | neighbor;
  }
}

extern "C" __global__ void neighbor_ids(i64 count, const i64* keys, i64 shift, VID* ids) {
  GRID_STRIDE(i, count) ids[i] = VID(low_bits(keys[i], shift));
}
