"""Verifiers for graphs with times. `verifiers` lists them by analytic."""

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_right

import numpy as np
from host_graphs import existing, host, neighbor_sets
from scipy.sparse import csr_array, identity
from scipy.sparse.linalg import spsolve

import frontier as fr


def timed_arcs(graph):
    """Each arc at each time at which it was seen: (src, dst, time, weight), as lists of Python numbers."""
    src, dst = (host(part) for part in graph.to_coo()[:2])
    data, ids = graph.edge_data, graph.edge_ids(src, dst)
    if graph.multi_edges == "all":
        data = graph.record_data
        offsets, ids = graph.records(src, dst)
        src, dst = (np.repeat(part, np.diff(host(offsets))) for part in (src, dst))
    times = host(data["time"][ids])
    weights = host(data["weight"][ids]).astype(np.float64) if graph.is_weighted else np.ones(src.size)
    if not graph.directed:
        src, dst = np.append(src, dst), np.append(dst, src)
        times, weights = np.append(times, times), np.append(weights, weights)
    return src.tolist(), dst.tolist(), times.tolist(), weights.tolist()


def verify_earliest_arrival(graph, result, source, start=None, end=None, strict=False):
    """Arrivals equal the result of a search that pops vertices from a heap, one by one. Predecessors form a tree."""
    never, n = np.iinfo(np.int64).max, graph.num_vertices
    begin = -(2**63) if start is None else start
    leaving, events = [[] for _ in range(n)], set()
    for u, v, time, _ in zip(*timed_arcs(graph), strict=True):
        if begin <= time < (never if end is None else end):
            leaving[u].append((time, v))
            events.add((u, v, time))
    expected, queue = [never] * n, [(begin, source)]
    done = set()
    while queue:
        now, u = heapq.heappop(queue)
        if u in done:
            continue
        done.add(u)
        expected[u] = now
        for time, v in leaving[u]:
            if time > now or (time == now and (u == source or not strict)):
                heapq.heappush(queue, (time, v))
    assert host(result.arrival).tolist() == expected
    if result.predecessor is None:
        return
    before = host(result.predecessor).tolist()
    for v in range(n):
        if v == source or expected[v] == never:
            assert before[v] == -1
            continue
        u = before[v]
        assert (u, v, expected[v]) in events
        assert u == source or expected[u] < expected[v] or (expected[u] == expected[v] and not strict)
        steps = 0
        while u != source:
            u, steps = before[u], steps + 1
            assert steps < n, "predecessors go round in a circle"


def verify_temporal_pagerank(
    graph, result, alpha=0.85, tol=1e-5, max_iter=100, half_life=None, decay=None, weighted=True
):  # fmt: skip
    """Ranks equal a walk whose steps are weighted by age. Ages are differences of Python integers."""
    n = graph.num_vertices
    src, dst, times, weights = timed_arcs(graph)
    weights = np.array(weights if weighted else [1.0] * len(src))
    newest = {}
    for u, time, weight in zip(src, times, weights, strict=True):
        newest[u] = max(newest.get(u, time), time) if weight > 0 else newest.get(u, time)
    rate = np.log(2) / half_life if decay is None else decay
    ages = np.array([float(newest[u] - time) for u, time in zip(src, times, strict=True)])
    fading = np.where(weights > 0, weights * np.exp(-rate * np.maximum(ages, 0)), 0)
    src, dst = np.array(src, np.int64), np.array(dst, np.int64)
    totals = np.bincount(src, fading, n)
    steps = csr_array((fading / np.where(totals[src] > 0, totals[src], 1), (dst, src)), shape=(n, n))
    exists = host(graph.has_vertices(graph.xp.arange(n)))
    ranks = spsolve((identity(n, format="csc") - alpha * steps).tocsc(), exists / max(exists.sum(), 1))
    found = host(result.pagerank)
    assert found.shape == (n,) and result.converged and result.error < tol
    assert np.abs(found - ranks / ranks.sum()).sum() <= tol * alpha / (1 - alpha) + 1e-9
    assert (found[~exists] == 0).all()


def verify_temporal_triangles(graph, result, delta):
    """Triangles are found as sets of three neighbors, and their times compared as Python integers, each with each."""
    times_of = {}
    for u, v, time, _ in zip(*timed_arcs(graph), strict=True):
        times_of.setdefault((u, v), []).append(time)
    near = neighbor_sets(graph)
    counts = np.zeros(graph.num_vertices, np.int64)
    for u, v in times_of:
        for w in near[u] & near[v] if u < v else ():
            if v < w:
                found = itertools.product(times_of[u, v], times_of[u, w], times_of[v, w])
                counts[[u, v, w]] += sum(max(times) - min(times) <= delta for times in found)
    assert (host(result.per_vertex) == counts).all() and result.total == counts.sum() // 3


def verify_temporal_motifs(graph, result, delta):
    """The first two events are taken one by one, and times of the third counted by its ends."""
    seconds, thirds = [(3, 2), (2, 3), (3, 1), (1, 3), (2, 1), (1, 2)], [(1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)]
    at, times_of, counts = {}, {}, np.zeros((6, 6), np.int64)
    for u, v, time, _ in zip(*timed_arcs(graph), strict=True):
        times_of.setdefault((u, v), []).append(time)
        for end in (u, v):
            at.setdefault(end, set()).add((u, v))
    for times in times_of.values():
        times.sort()
    for first in times_of:
        for second in at[first[0]] | at[first[1]]:
            three = list(dict.fromkeys(first + second))
            near = set.union(*map(at.get, first)) if len(three) == 2 else set(itertools.permutations(three, 2))
            found = dict.fromkeys(near & times_of.keys(), 0)
            for begin, then in itertools.product(times_of[first], times_of[second]):
                if begin < then <= begin + delta:
                    for third in found:
                        times = times_of[third]
                        found[third] += bisect_right(times, begin + delta) - bisect_right(times, then)
            for third, count in found.items():
                role = {end: i for i, end in enumerate(dict.fromkeys(first + second + third), 1)}
                row, column = (tuple(role[end] for end in edge) for edge in (second, third))
                counts[seconds.index(row), thirds.index(column)] += count
    assert (host(result.counts) == counts).all() and result.total == counts.sum()


def cycles_of(graph, delta, length_bound):
    """All temporal cycles, as lists of events (time, source, destination), by a search forward from each event."""
    leaving, found = {}, []
    for u, v, time, _ in zip(*timed_arcs(graph), strict=True):
        leaving.setdefault(u, []).append((time, u, v))

    def follow(path):
        for event in leaving.get(path[-1][2], ()):
            if path[-1][0] < event[0] <= path[0][0] + delta:
                if event[2] == path[0][1]:
                    found.append([*path, event])
                elif len(path) + 1 < length_bound and all(event[2] != other[2] for other in path):
                    follow([*path, event])

    for event in sorted(itertools.chain.from_iterable(leaving.values())):
        follow([event])
    return found


def verify_temporal_cycle_count(graph, result, delta, length_bound=4):
    """Cycles are found one by one."""
    found = cycles_of(graph, delta, length_bound)
    counts = np.bincount([event[1] for cycle in found for event in cycle], minlength=graph.num_vertices)
    assert result.total == len(found) and (host(result.per_vertex) == counts).all()
    lengths = [len(cycle) for cycle in found]
    assert result.by_length == {length: lengths.count(length) for length in result.by_length}
    assert list(result.by_length) == list(range(2, max(min(length_bound, graph.num_vertices), 2) + 1))


def verify_temporal_cycles(graph, result, delta, length_bound=4):
    """Cycles are found one by one, and their first events are in order."""
    listed = {}
    for number, *event in zip(*(host(part).tolist() for part in (
        result.cycle, result.time, result.src, result.dst
    )), strict=True):  # fmt: skip
        listed.setdefault(number, []).append(tuple(event))
    assert list(listed) == list(range(result.total))
    found = list(listed.values())
    assert [cycle[0] for cycle in found] == sorted(cycle[0] for cycle in found)
    assert sorted(found) == sorted(cycles_of(graph, delta, length_bound))
    data = graph.record_data if graph.multi_edges == "all" else graph.edge_data
    assert (host(data["time"][result.event]) == host(result.time)).all()


def verify_temporal_random_walks(
    graph, result, length=10, seed=0, starts=None, start_times=None, backward=False, strict=True, half_life=None
):  # fmt: skip
    """Each step is the draw among the edges that may follow, whose probabilities are added up one by one."""
    there, leaving = existing(graph), [[] for _ in range(graph.num_vertices)]
    for u, v, time, _ in zip(*timed_arcs(graph), strict=True):
        leaving[v if backward else u].append((-time if backward else time, u if backward else v))
    leaving = [sorted(edges) for edges in leaving]
    starts = np.where(there, np.arange(there.size), -1) if starts is None else np.asarray(starts)
    paths, times, ends = host(result.paths).tolist(), host(result.times).tolist(), host(result.ends).tolist()
    assert result.paths.dtype == result.ends.dtype == graph.vertex_dtype and result.steps.dtype == np.int32
    assert result.paths.shape == (starts.size, length + 1) and result.times.shape == (starts.size, length)
    for walk, count in enumerate(host(result.steps).tolist()):
        path, stamps = paths[walk], times[walk]
        at, now = int(starts[walk]), None
        if start_times is not None:
            now = int(np.broadcast_to(start_times, starts.size)[walk])
            now = -now + 1 if backward else now
        assert path[0] == at and path[count] == ends[walk]
        assert path[count + 1 :] == [-1] * (length - count) and stamps[count:] == [0] * (length - count)
        for step in range(length):
            first = now if step == 0 or not strict or now is None else now + 1
            rest = [] if at < 0 else [edge for edge in leaving[at] if first is None or edge[0] >= first]
            if not rest:
                assert step == count
                break
            taken = (-stamps[step] if backward else stamps[step], path[step + 1])
            chosen, behind = rest.index(taken), rest.index(taken) + rest.count(taken)  # several events may be alike
            if half_life is None or now is None:
                assert chosen <= fr.advanced.random_bits(seed, walk, step) * len(rest) >> 32 < behind
            else:
                weights = np.exp2([-(time - rest[0][0]) / half_life for time, _ in rest])
                beyond = np.append(np.cumsum(weights[::-1])[::-1], 0) / weights.sum()
                chance = 1 - fr.random(seed, walk, step)
                assert beyond[behind] < chance + 1e-9 and chance < beyond[chosen] + 1e-9
            now, at = rest[chosen]
