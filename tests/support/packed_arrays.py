"""Invariants of packed memory arrays."""

from __future__ import annotations

import math

import numpy as np
from model import to_host

from frontier.core.sort import END
from structures.packed.layout import COLUMN_MASK, EMPTY, GUARD, KEY_SHIFT, LEAF


def check_array(graph):
    """All invariants of the arrays in ``structures/packed/array.py``."""
    pool, offsets, degrees, separators, counts = (
        to_host(graph, array).tolist()
        for array in (
            graph.store.neighbors,
            graph.store.offsets,
            graph.store.row_degrees,
            graph.store.separators,
            graph.store.counts,
        )
    )
    assert len(pool) == LEAF * graph.store.leaves == LEAF * len(counts) == LEAF * len(separators)
    assert len(degrees) + 1 == len(offsets) > graph.num_vertices
    assert separators[0] == 0
    row, last_key, found = -1, -1, [0] * len(degrees)
    for i, (low, high) in enumerate(zip(separators, [*separators[1:], END], strict=True)):
        assert low <= high, f"separators {i} and {i + 1} are not in order"
        entries = [(slot, pool[slot]) for slot in range(LEAF * i, LEAF * (i + 1)) if pool[slot] != EMPTY]
        assert len(entries) == counts[i], f"leaf {i} has another number of entries than it says"
        told = (low >> KEY_SHIFT) - (low & COLUMN_MASK == 0)  # the row, as kernels find it
        for slot, entry in entries:
            if entry == GUARD:
                row, told, key = row + 1, told + 1, (row + 1) << KEY_SHIFT
                assert offsets[row] == slot, f"guard {row} is not where its offset says"
            else:
                assert entry >= 0
                key = row << KEY_SHIFT | (entry + 1)
                found[row] += 1
            assert told == row
            assert last_key < key, f"slot {slot} is out of order"
            assert low <= key < high, f"slot {slot} is in another leaf than searches look into"
            last_key = key
    assert row == len(degrees), "a guard is missing"
    assert found == degrees
    assert graph.num_arcs == sum(found)


def level_and_number(i, levels):
    """Equation 2 of the paper, the other way round."""
    if i == 0:
        return 0, 0
    divisor = math.gcd(i, 1 << levels)
    return levels - (divisor.bit_length() - 1), (i // divisor - 1) // 2


def physical(i, levels):
    """The position of a segment: levels one after the other, the x-th from 2**(x - 1) on."""
    level, number = level_and_number(i, levels)
    return 0 if level == 0 else (1 << (level - 1)) + number


def leaves_in_order(graph):
    levels = graph.store.levels
    return np.array([physical(i, levels) for i in range(1 << levels)])


def check_layout(graph):
    """Every invariant of the array, and that it contains the arcs that the graph reports."""
    n = graph.num_vertices
    order = leaves_in_order(graph)
    neighbors = to_host(graph, graph.store.neighbors)
    assert neighbors.size == LEAF * order.size
    assert sorted(order.tolist()) == list(range(order.size))
    counts, separators = to_host(graph, graph.store.counts), to_host(graph, graph.store.separators)
    offsets, degrees = to_host(graph, graph.store.offsets), to_host(graph, graph.store.row_degrees)
    slots = (order[:, None] * LEAF + np.arange(LEAF)).ravel()
    values = neighbors[slots]
    assert ((values >= 0) | (values == EMPTY) | (values == GUARD)).all()
    assert (counts[order] == (values != EMPTY).reshape(-1, LEAF).sum(axis=1)).all()
    used = values != EMPTY
    slots, values = slots[used], values[used]
    is_guard = values == GUARD
    rows = np.cumsum(is_guard) - 1
    assert (rows >= 0).all(), "an entry before the first guard"
    assert is_guard.sum() == offsets.size >= n + 1
    assert (slots[is_guard] == offsets).all()
    assert (np.bincount(rows[~is_guard], minlength=offsets.size)[:n] == degrees[:n]).all()
    keys = rows.astype(np.int64) << 32 | np.where(is_guard, 0, values.astype(np.int64) + 1)
    assert (np.diff(keys) > 0).all(), "entries are not in order"
    bounds = separators[order]
    assert bounds[0] == 0
    assert (np.diff(bounds) >= 0).all(), "separators are not in order"
    assert (order[np.searchsorted(bounds, keys, side="right") - 1] == slots // LEAF).all(), "an entry in a wrong leaf"
    assert int((~is_guard).sum()) == graph.num_arcs
