// The whole array from CSR, and to CSR. Eight lanes work on a leaf.
#pragma once
#include "structures/packed/move.cuh"

// Spreads CSR arrays of `vertices` rows evenly over all `count` leaves, with `entries` arcs and guards. Guard r has the
// rank offsets[r] + r.
extern "C" __global__ void fill(i64 count, View view, i64 entries, i64 vertices, i64 rows, const i64* offsets,
                                const VID* indices, const WEIGHT* weights) {
  Tile<8> tile;
  i64 tiles = i64(gridDim.x) * blockDim.x / 8;
  auto start = [&](i64 row) { return offsets[row < vertices ? row : vertices]; };
  for (i64 i = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 8; i < count; i += tiles) {
    i64 low = (entries * i + count - 1) / count, high = (entries * (i + 1) + count - 1) / count;
    // The first guard that is not before the leaf's first entry, searched eight ways at a time.
    i64 row = 0;
    for (i64 end = rows + 1; row < end;) {
      i64 step = (end - row + 7) / 8, at = row + tile.lane * step;
      int before = __popc(tile.ballot(at < end && start(at) + at < low));
      if (before == 0) break;
      i64 last = row + (before - 1) * step;
      if (last + step < end) end = last + step;
      row = last + 1;
    }
    u32 guards = 0;  // bit k: the entry of rank low + k is a guard
    for (i64 first = row, place = 0; place < LEAF; first += 8) {
      i64 guard = first + tile.lane, mine = guard <= rows ? start(guard) + guard - low : i64(LEAF);
      guards |= tile.reduce(mine < LEAF ? 1u << mine : 0u, [](u32 a, u32 b) { return a | b; });
      place = tile.shfl(mine, 7);
    }
    i64 p = view.leaf_at(i), separator = END;
    for (int k = tile.lane; k < LEAF; k += 8) {
      i64 rank = low + k, slot = (p << LEAF_BITS) + k;
      VID column = EMPTY;
      if (rank < high || (rank == low && rank < entries)) {
        i64 guard = row + __popc(guards & ((1u << k) - 1));  // the first that is not before this entry
        bool is_guard = guards >> k & 1;
        column = is_guard ? VID(GUARD) : indices[rank - guard];
        if (rank == low) separator = is_guard ? guard << KEY_SHIFT : (guard - 1) << KEY_SHIFT | (i64(column) + 1);
        if (rank >= high) {
          column = EMPTY;
        } else if (is_guard) {
          view.offsets[guard] = slot;
          if (guard < rows) view.row_degrees[guard] = VID(start(guard + 1) - start(guard));
        } else if (weights) {
          view.weights[slot] = weights[rank - guard];
        }
      }
      view.neighbors[slot] = column;
    }
    if (tile.lane) continue;
    view.counts[p] = int(high - low);
    view.separators[p] = i ? separator : 0;
  }
}

// The leaves' numbers of entries, in order.
extern "C" __global__ void order_counts(i64 count, View view, i64* counts) {
  GRID_STRIDE(i, count) counts[i] = view.counts[view.leaf_at(i)];
}

// All arcs as CSR. ends[i] is the number of entries in the leaves up to the i-th in order.
extern "C" __global__ void export_rows(i64 count, View view, const i64* ends, i64 vertices, i64* offsets, VID* indices,
                                       WEIGHT* weights) {
  Team<8, 4> team;
  i64 teams = i64(gridDim.x) * blockDim.x / 8;
  for (i64 i = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 8; i < count; i += teams) {
    i64 p = view.leaf_at(i), base = (p << LEAF_BITS) + team.lane * 4;
    VID item[4];
    load_slots(item, view.neighbors + base);
    i64 separator = view.separators[p];
    u64 sum = 0, total;
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += u64(item[k] == GUARD) << 32 | u64(item[k] != EMPTY);
    sum = team.exclusive(sum, total);
    i64 row = (separator >> KEY_SHIFT) - ((separator & COLUMN_MASK) == 0) + i64(sum >> 32);
    i64 rank = (i ? ends[i - 1] : 0) + i64(sum & 0xffffffffu);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (item[k] == EMPTY) continue;
      if (item[k] == GUARD) {
        if (++row <= vertices) offsets[row] = rank - row;
      } else {
        indices[rank - row - 1] = item[k];
        if (weights) weights[rank - row - 1] = view.weights[base + k];
      }
      ++rank;
    }
  }
}
