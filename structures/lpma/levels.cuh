// Levels that are appended.
#pragma once
#include "structures/packed/layout.cuh"

// Makes the last `count` leaves, which were just appended, empty ones that no key is searched in: each has the separator
// of the old leaf that comes next in order.
extern "C" __global__ void append_leaves(i64 count, View view, i64 old_levels) {
  i64 shift = view.levels - old_levels;
  GRID_STRIDE(k, count) {
    i64 p = view.leaves - count + k, following = ((view.order_of(p) >> shift) + 1) << shift;
    view.separators[p] = following < view.leaves ? view.separators[view.leaf_at(following)] : END;
    view.counts[p] = 0;
  }
}
