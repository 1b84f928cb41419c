// Which row of each edge of a batch counts, found by a hash table of rows, and the arcs of a row. Macro: VID.
#pragma once
#include "frontier/cuda/keys.cuh"

constexpr u64 FREE = END;

// Whether row i of an edge counts, rather than row `held`: the last one, or, with times, the one that the times
// determine. `time_of(i)` is the time of row i.
template <class TimeOf>
__device__ inline bool counts_more(u64 i, u64 held, bool timed, bool earliest, TimeOf time_of) {
  i64 mine = timed ? time_of(i) : 0, other = timed ? time_of(held) : 0;
  if (mine == other) return timed && earliest ? i < held : i > held;
  return earliest ? mine < other : mine > other;
}

// The first table entry that the search for an edge reads.
__device__ inline u64 first_entry(VID u, VID v, bool directed, i64 entries) {
  u64 low = directed || u < v ? u : v, high = directed || u < v ? v : u;
  return (low * 0x9E3779B97F4A7C15ull + high) * 0xC2B2AE3D27D4EB4Full >> 20 & u64(entries - 1);
}

// Enters row i, an edge of u and v, into a table with an entry for each edge of the batch, which contains the row
// that counts. Returns the entry. `same(j)` is whether row j is of the same edge.
template <class Same, class TimeOf>
__device__ inline i64 claim(
    u64 i, VID u, VID v, bool directed, bool timed, bool earliest, u64* table, i64 entries, Same same, TimeOf time_of) {
  u64 at = first_entry(u, v, directed, entries);
  while (true) {
    u64 held = atomicCAS(table + at, FREE, i);
    if (held == FREE) break;
    if (same(held)) {  // whichever of the equal rows is there by now
      while (counts_more(i, held, timed, earliest, time_of)) {
        u64 found = atomicCAS(table + at, held, i);
        if (found == held) break;
        held = found;  // another row of the edge came first: compare again
      }
      break;
    }
    at = (at + 1) & u64(entries - 1);
  }
  return i64(at);
}

// The entry that rows of u and v have, or -1 if there is none. `same(held)` as above, for the contents of an entry.
template <class Same>
__device__ inline i64 find_claim(VID u, VID v, bool directed, const u64* table, i64 entries, Same same) {
  u64 at = first_entry(u, v, directed, entries);
  while (true) {
    u64 held = __ldcg(table + at);
    if (held == FREE) return -1;
    if (same(held)) return i64(at);
    at = (at + 1) & u64(entries - 1);
  }
}

// The arcs of row i, or none.
__device__ inline void put_arcs(i64 i, VID u, VID v, bool directed, VID* out_src, VID* out_dst) {
  if (directed) {
    out_src[i] = u;
    out_dst[i] = v;
  } else {
    out_src[2 * i] = out_dst[2 * i + 1] = u;
    out_dst[2 * i] = out_src[2 * i + 1] = v;
  }
}
