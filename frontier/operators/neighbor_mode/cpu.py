"""The CPU kernels for the most frequent value of each vertex's edges, and for the value of the highest score."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.runtime import jit, nonnegative, parallel_kernel

from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.weights import edge_at, weight_at

COUNTED_IDS = 2**20  # of vertices: counts of more are not in the cache


@jit(forceinline=True)
def table_width(values):
    """Entries of a hash table for so many values: a power of two, at least twice as many."""
    width = 2
    while width < 2 * values:
        width *= 2
    return width


@jit(forceinline=True)
def place_of(value, mask):
    """The first position at which a value is looked up."""
    return (value ^ value >> 7 ^ value >> 14 ^ value >> 28) & mask


@jit
def take_place(value, keys, seen, mask):
    """The position of a value in a hash table, in which entries that were not seen are free."""
    place = place_of(value, mask)
    while seen[place] and keys[place] != value:
        place = (place + 1) & mask
    keys[place] = value
    return place


@jit(forceinline=True)
def leading(value, count, best, frequency):
    """The most frequent value and how often it was seen, of several the smallest, after another one was counted."""
    tied = min(value, best) if count == frequency else best
    return (value, count) if count > frequency else (tied, frequency)


def make_neighbor_mode(iterator: ModuleType, op: Any) -> Any:
    """For each vertex of a list, the most frequent value of a functor over its neighbors. Ties go to the smallest.

    Values that are ids of vertices, or -1, are counted while the list is walked, in an array over all ids, if they are
    not too many. A list with other values is counted again, with the array as a hash table, of which long lists use
    more. The array is cleared where it was used.
    """
    loop = neighbor_loop(iterator)
    each_neighbor, prefetch, degree = loop.each, loop.prefetch, iterator.degree

    @parallel_kernel
    def neighbor_mode(begin, end, view, weights, vertices, out, counts, args):
        most = 1
        for i in range(begin, end):
            most = max(most, degree(view, vertices[i]))
        ids = np.uint64(min(out.size, COUNTED_IDS))
        found = np.empty(most, out.dtype)  # values, then their positions
        keys = np.empty(table_width(most), out.dtype)
        seen = np.zeros(max(ids + np.uint64(1), np.uint64(keys.size)), np.int32)
        none = out.dtype.type(-1)
        for i in range(begin, end):
            u = nonnegative(vertices[i])
            prefetch(view, vertices, i)
            size = 0
            are_ids = True
            best = none
            frequency = np.int32(0)
            for v, slot in each_neighbor(view, u):
                weight = weight_at(weights, slot)
                value = out.dtype.type(op(u, v, edge_at(weights, slot), weight, *args))
                found[size] = value
                size += 1
                place = np.uint64(np.int64(value) + 1)
                are_ids = are_ids and place <= ids
                if are_ids:
                    count = seen[place] + np.int32(1)
                    seen[place] = count
                    best, frequency = leading(value, count, best, frequency)
            for j in range(size):
                place = np.uint64(np.int64(found[j]) + 1)
                if place <= ids:
                    seen[place] = 0
            if not are_ids:
                best = none
                frequency = np.int32(0)
                mask = table_width(size) - 1
                for j in range(size):
                    value = found[j]
                    place = take_place(value, keys, seen, mask)
                    found[j] = place
                    count = seen[place] + np.int32(1)
                    seen[place] = count
                    best, frequency = leading(value, count, best, frequency)
                for j in range(size):
                    seen[found[j]] = 0
            out[u] = best
            counts[u] = frequency

    return neighbor_mode


def make_neighbor_choice(iterator: ModuleType, op: Any, score: Any) -> Any:
    """For each listed vertex, the value of a functor over its neighbors with the highest score. Ties go to the least.

    The score depends on the sum of the weights of the edges that have the value, which are added up in a hash table. It
    is as long as the longest list of neighbors wants, and is cleared where it was used. Values below 0 are left out,
    since one marks a free entry.
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
            u = nonnegative(vertices[i])
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
