"""CPU kernels of sample_neighbors."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from frontier.functor import cpu_functor
from frontier.functor.intrinsics.random import random
from frontier.runtime import nonnegative, parallel_kernel
from frontier.runtime.compile.cpu import is_compiling

from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.weights import edge_at, weight_at


def make_sample(iterator: ModuleType, op: Any, typed: bool, weighted: bool) -> Any:
    """A functor called for the first neighbors of each vertex of a list, by edges of a type, or of positive weight."""
    loop = neighbor_loop(iterator)
    each_neighbor, prefetch = loop.each, loop.prefetch

    @parallel_kernel
    def sample(begin, end, limit, types, kind, view, weights, stored, vertices, args):
        for i in range(begin, end):
            u = nonnegative(vertices[nonnegative(i)])
            prefetch(view, vertices, i)
            left = limit
            for v, slot in each_neighbor(view, u):
                if typed and np.int64(types[edge_at(stored, slot)]) != kind:
                    continue
                if weighted and not weight_at(stored, slot) > 0:
                    continue
                weight = weight_at(weights, slot)
                op(u, v, edge_at(weights, slot), weight, *args)
                left -= 1
                if left == 0:
                    break

    return sample


def make_sample_randomly(iterator: ModuleType, op: Any, typed: bool, weighted: bool) -> Any:
    """A functor called for those neighbors of each vertex of a list whose random keys are lowest.

    A key depends on the two ends, so a sample is independent of the arcs' positions. With weights, keys follow
    Efraimidis and Spirakis (2006): waiting times, the shorter on average the larger the weight. With types, only edges
    of one type have keys.
    """
    each_neighbor = neighbor_loop(iterator).each
    draw = cpu_functor(random) if is_compiling() else random

    @parallel_kernel
    def sample_randomly(begin, end, limit, seed, types, kind, view, weights, stored, vertices, args):
        # The arcs drawn so far, in ascending order of their keys, and then of their ends.
        keys = np.empty(limit, np.float64)
        drawn = np.empty(limit, view.neighbors.dtype)
        slots = np.empty(limit, np.int64)
        for i in range(begin, end):
            u = nonnegative(vertices[i])
            held = 0
            for v, slot in each_neighbor(view, u):
                if typed and np.int64(types[edge_at(stored, slot)]) != kind:
                    continue
                key = draw(seed, u, v)
                if weighted:
                    share = np.float64(weight_at(stored, slot))
                    if not share > 0:
                        continue
                    key = -math.log(1 - key) / share
                if held == limit and (key > keys[held - 1] or (key == keys[held - 1] and v > drawn[held - 1])):
                    continue
                at = held if held < limit else held - 1
                while at > 0 and (key < keys[at - 1] or (key == keys[at - 1] and v < drawn[at - 1])):
                    keys[at] = keys[at - 1]
                    drawn[at] = drawn[at - 1]
                    slots[at] = slots[at - 1]
                    at -= 1
                keys[at] = key
                drawn[at] = v
                slots[at] = slot
                held = min(held + 1, limit)
            for k in range(held):
                weight = weight_at(weights, slots[k])
                op(u, drawn[k], edge_at(weights, slots[k]), weight, *args)

    return sample_randomly
