"""Loops over neighbors in CPU kernels: compiled, and as Python runs them."""

import functools
from itertools import chain, pairwise

import numpy as np
import pytest

from frontier.operators.dispatch.kernels import iterator_of
from frontier.operators.dispatch.neighbor_loop import ALL, neighbor_loop
from frontier.runtime import cpu_kernel


@functools.cache
def make_walks(iterator):
    each, each_of_share, start, step, _prefetch = neighbor_loop(iterator)

    @cpu_kernel
    def walks(u, view, share, cut, listed, slots, part, before, found):
        """All neighbors and slots, the slots of a share, the slots before `cut`, by a loop that ends there, and by
        steps."""
        at = 0
        for v, slot in each(view, u):
            listed[at] = v
            slots[at] = slot
            at += 1
        count = 0
        for v, _slot in each_of_share(view, u, share):
            part[count] = v
            count += 1
        stopped = 0
        for v, _slot in each(view, u):
            if stopped == cut:
                break
            for w, _ in each(view, u):  # a nested loop has separate state
                if w != v:
                    continue
                before[stopped] = w
                stopped += 1
        state = start(view, u)
        for i in range(at):
            more, v, _slot, state = step(view, u, state)
            found[i] = v if more else -2
        return at, count, step(view, u, state)[0]

    return walks


def walked(kernel, *args, size):
    arrays = [np.full(size, -1, np.int64) for _ in range(5)]
    counts = kernel(*args, *arrays)
    listed, slots, part, before, found = arrays
    at, count, more = map(int, counts)
    assert not more and (found[:at] == listed[:at]).all() and (found[at:] == -1).all()
    return listed[:at].tolist(), slots[:at].tolist(), part[:count].tolist(), before[before >= 0].tolist()


@pytest.fixture
def lists(structure):
    """Three lists with gaps: none, a few neighbors, and many."""
    dst = np.concatenate([np.arange(2, 12), np.arange(300)])
    src = np.repeat([400, 401], [10, 300])
    graph = structure.from_edges(src, dst, num_vertices=403, directed=True, device="cpu")
    graph.delete_edges(src[1::3], dst[1::3])
    return graph, {
        400: set(dst[:10]) - set(dst[1:10:3]),
        401: set(range(300)) - set(dst[10:][(np.arange(310) % 3 == 1)[10:]]),
    }


def test_loops_find_each_neighbor_once(lists):
    graph, expected = lists
    view, iterator = graph.store.bare_view(), iterator_of(graph.package)
    kernel = make_walks(iterator)
    for u in (400, 401, 402):
        pieces = int(iterator.segments(view, u))
        args = u, view, (0, pieces, 0, ALL), 3
        listed, slots, part, before = walked(kernel, *args, size=310)
        assert walked(kernel.py_func, *args, size=310) == (listed, slots, part, before)
        assert sorted(listed) == sorted(expected.get(u, ())) and part == listed and before == listed[:3]
        assert view.neighbors[slots].tolist() == listed


def test_shares_make_up_the_list(lists):
    graph, _ = lists
    view, iterator = graph.store.bare_view(), iterator_of(graph.package)
    kernel = make_walks(iterator)
    for u in (400, 401):
        pieces = int(iterator.segments(view, u))
        whole = walked(kernel, u, view, (0, pieces, 0, ALL), 0, size=310)[0]
        for ends in ([0, 100, 101, 5000], [0, 5, 5, 9, 5000]):
            parts = [walked(kernel, u, view, (0, pieces, *slots), 0, size=310)[2] for slots in pairwise(ends)]
            assert list(chain(*parts)) == whole
        ends = [0, pieces // 2, pieces]
        parts = [walked(kernel, u, view, (*segments, 0, ALL), 0, size=310)[2] for segments in pairwise(ends)]
        assert list(chain(*parts)) == whole
