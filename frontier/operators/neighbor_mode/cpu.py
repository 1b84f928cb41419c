"""The CPU kernels for the most frequent value of each vertex's edges, and for that of the highest score."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.runtime import jit, parallel_kernel

from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.weights import edge_at, weight_at


@jit(forceinline=True)
def table_width(values):
    """Entries of a hash table for so many values: a power of two, at least twice as many."""
    width = 2
    while width < 2 * values:
        width *= 2
    return width


@jit(forceinline=True)
def place_of(value, mask):
    """Where to look for a value first."""
    return (value ^ value >> 7 ^ value >> 14 ^ value >> 28) & mask


def make_neighbor_mode(iterator: ModuleType, op: Any) -> Any:
    """For each vertex of a list, the most frequent value of a functor over its neighbors; of several the smallest.

    They are counted in a hash table, which is as long as the longest list of neighbors wants, and is cleared where it
    was used. Vertices with many neighbors use more of it.
    """
    each_neighbor, degree = neighbor_loop(iterator).each, iterator.degree

    @parallel_kernel
    def neighbor_mode(begin, end, view, weights, vertices, out, counts, args):
        most = 1
        for i in range(begin, end):
            most = max(most, degree(view, vertices[i]))
        width = table_width(most)
        keys = np.empty(width, out.dtype)
        seen = np.zeros(width, np.int32)
        used = np.empty(most, np.int64)
        for i in range(begin, end):
            u = vertices[i]
            mask = table_width(degree(view, u)) - 1
            num_used = 0
            best = out.dtype.type(-1)
            frequency = np.int32(0)
            for v, slot in each_neighbor(view, u):
                weight = weight_at(weights, slot)
                value = out.dtype.type(op(u, v, edge_at(weights, slot), weight, *args))
                place = place_of(value, mask)
                while seen[place] and keys[place] != value:
                    place = (place + 1) & mask
                if not seen[place]:
                    keys[place] = value
                    used[num_used] = place
                    num_used += 1
                seen[place] += 1
                count = seen[place]
                if count > frequency or (count == frequency and value < best):
                    best = value
                    frequency = count
            for j in range(num_used):
                seen[used[j]] = 0
            out[u] = best
            counts[u] = frequency

    return neighbor_mode


def make_neighbor_choice(iterator: ModuleType, op: Any, score: Any) -> Any:
    """For each vertex of a list, the value of a functor over its neighbors that has the highest score; of several the
    smallest.

    The score depends on the sum of the weights of the edges that have the value, which are added up in a hash table as
    above. Values below 0, of which a free entry holds one, are left out.
    """
    each_neighbor, degree = neighbor_loop(iterator).each, iterator.degree

    @parallel_kernel
    def neighbor_choice(begin, end, view, weights, vertices, out, scores, args):
        most = 1
        for i in range(begin, end):
            most = max(most, degree(view, vertices[i]))
        width = table_width(most)
        keys = np.full(width, -1, out.dtype)
        totals = np.empty(width, np.float64)
        used = np.empty(most, np.int64)
        for i in range(begin, end):
            u = vertices[i]
            mask = table_width(degree(view, u)) - 1
            num_used = 0
            for v, slot in each_neighbor(view, u):
                weight = weight_at(weights, slot)
                value = out.dtype.type(op(u, v, edge_at(weights, slot), weight, *args))
                if value < 0:
                    continue
                place = place_of(value, mask)
                while keys[place] >= 0 and keys[place] != value:
                    place = (place + 1) & mask
                if keys[place] < 0:
                    keys[place] = value
                    totals[place] = 0.0
                    used[num_used] = place
                    num_used += 1
                totals[place] += weight
            chosen = out.dtype.type(-1)
            best = -np.inf
            for j in range(num_used):
                place = used[j]
                value = keys[place]
                found = np.float64(score(u, value, totals[place], *args))
                if found > best or (found == best and value < chosen):
                    chosen = value
                    best = found
                keys[place] = -1
            out[u] = chosen
            scores[u] = best

    return neighbor_choice
