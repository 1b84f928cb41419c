"""CPU kernels that convert a packed memory array from and to CSR arrays."""

import numpy as np

from frontier.core.sort import END
from frontier.runtime import jit, parallel_kernel

from .cpu_view import leaf_at
from .layout import COLUMN_MASK, EMPTY, FEW, GUARD, KEY_SHIFT, LEAF, LEAF_BITS


@jit
def _fill_leaf(view, i, entries, vertices, rows, offsets, indices, weights):
    """Put a share of CSR arrays into the i-th leaf."""
    low = (entries * i + view.leaves - 1) // view.leaves
    high = (entries * (i + 1) + view.leaves - 1) // view.leaves
    # The first row whose guard is not before the first entry: guard r has the rank offsets[r] + r.
    row = np.int64(0)
    end = rows + 1
    while row < end:
        middle = (row + end) >> 1
        if offsets[min(middle, vertices)] + middle < low:
            row = middle + 1
        else:
            end = middle
    p = leaf_at(view, i)
    base = p << LEAF_BITS
    first = np.int64(END)
    if low < entries:
        first = row << KEY_SHIFT
        if row > rows or offsets[min(row, vertices)] + row > low:
            first = ((row - 1) << KEY_SHIFT) | (np.int64(indices[low - row]) + 1)
    for rank in range(low, high):
        slot = base + rank - low
        begin = offsets[min(row, vertices)]
        if row <= rows and begin + row == rank:
            view.neighbors[slot] = GUARD
            view.offsets[row] = slot
            if row < rows:
                view.row_degrees[row] = offsets[min(row + 1, vertices)] - begin
            row += 1
        else:
            view.neighbors[slot] = indices[rank - row]
            if weights is not None:
                view.weights[slot] = weights[rank - row]
    for slot in range(base + high - low, base + LEAF):
        view.neighbors[slot] = EMPTY
    view.counts[p] = high - low
    view.separators[p] = first if i else 0


@parallel_kernel(few=FEW)
def fill(begin, end, view, entries, vertices, rows, offsets, indices, weights):
    """Spread CSR arrays of `vertices` rows evenly over all leaves; there are `entries` arcs and guards."""
    for i in range(begin, end):
        _fill_leaf(view, i, entries, vertices, rows, offsets, indices, weights)


@jit
def _export_leaf(view, i, ends, vertices, offsets, indices, weights):
    p = leaf_at(view, i)
    separator = view.separators[p]
    row = (separator >> KEY_SHIFT) - (1 if separator & COLUMN_MASK == 0 else 0)
    rank = ends[i] - view.counts[p]
    for slot in range(p << LEAF_BITS, (p + 1) << LEAF_BITS):
        neighbor = view.neighbors[slot]
        if neighbor == EMPTY:
            continue
        if neighbor == GUARD:
            row += 1
            if row <= vertices:
                offsets[row] = rank - row
        else:
            indices[rank - row - 1] = neighbor
            if weights is not None:
                weights[rank - row - 1] = view.weights[slot]
        rank += 1


@parallel_kernel(few=FEW)
def export_rows(begin, end, view, ends, vertices, offsets, indices, weights):
    """All arcs as CSR; ``ends[i]`` is the number of entries in the leaves up to the i-th in order."""
    for i in range(begin, end):
        _export_leaf(view, i, ends, vertices, offsets, indices, weights)


@parallel_kernel(few=FEW)
def order_counts(begin, end, view, counts):
    for i in range(begin, end):
        counts[i] = view.counts[leaf_at(view, i)]
