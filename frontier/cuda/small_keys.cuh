// Shared by the kernels of a small batch, for structures that sort theirs. The first check the batch and sort it
// (structures/small_batches), the last lists the effective edges and reports (small_report.cuh), and the structure's
// own kernels run in between. None of them needs a host synchronization, and their grids fit the largest batch, so the
// launches are always the same. Only the first receives the batch, since arguments that change between launches cost
// the host time. Macros: VID, WEIGHT.
#pragma once
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/small_batch.cuh"

// The fields of KEYS of structures/small_batches, in order, eight bytes each.
struct SmallKeys {
  i64* keys;    // sorted, and END behind the last, up to the size of the grid
  i64* order;   // the arc that each key is of
  int* ends;    // by arc: the position of the last key that equals its own << 1 | whether it is the first of these arcs
  WEIGHT* weights;  // by arc, or null
  VID* src;     // the arcs in the batch's order, -1 for ignored ones, for kernels that use no keys
  VID* dst;
  i64 shift;    // of a key's source
  u64* counters;
  u64* published;  // the counters' address in the host's memory
  i64 num_counters;
  u64* invalid;       // the counter at SMALL_INVALID
  SmallBatch* batch;  // where the first kernel leaves the batch for the later ones
};
