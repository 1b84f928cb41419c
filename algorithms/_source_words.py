"""Breadth-first search from up to 64 sources at once, a bit each, for algorithms that start from many vertices.

Each vertex has a word with a bit for every source. One visit of an edge passes on all sources that reached its start in
the last step. While few vertices have news they push it, as in `bfs`. When a large share of all edges leaves them, the
vertices that miss sources pull. Distributed graphs are searched from one source after another.

    seen[v]          sources that have found v
    coming[p n + v]  sources that find v in a step of parity p, until the next one starts
    arrived[v]       sources that found v in the last step
    deepest[0]       the largest distance so far

Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

WORD = 64
"""Sources of one search."""
FEW = 8
"""Fewer sources are faster one after another."""
DEEP = 64
"""On a CPU single searches are faster if the sources reach vertices at this many different levels: where paths are that
long, two sources hardly ever reach a vertex in the same step. A GPU then has more work per step, and fewer launches."""
PULL_ABOVE = 1 / 8
"""Vertices pull if the vertices with news have more than this fraction of all arcs."""
MAX_STEPS = 2**31 - 2
ALL = np.uint64(2**64 - 1)
DISTANCES, PREDECESSORS, SUMS = 1, 2, 4


class Wanted(NamedTuple):
    """The arrays that a search writes, by source and vertex (`distance`, `predecessor`) or by vertex.

    Entries of `distance` (int32) for unreached vertices are not written. The search adds the sum of the distances from
    all sources to `total` (int64), and the number of other sources that find the vertex to `number` (int64).
    """

    distance: Any = None
    predecessor: Any = None
    total: Any = None
    number: Any = None


class Search(NamedTuple):
    """A search: its words, and the results that it writes, with dummies for unwanted ones.

    If several threads find a vertex, each bit belongs to the thread that sets it first.
    """

    seen: Any
    arrived: Any
    coming: Any
    n: Any
    deepest: Any
    distance: Any
    predecessor: Any
    total: Any
    number: Any
    row: Any
    """The row of the first source."""
    wanted: Any
    """A mask of the wanted results."""


def words_of(graph: fr.Graph, sources: Sequence[int]) -> Iterator[tuple[int, Sequence[int]]]:
    """Sources in groups to search from at once, or singly if that is faster, each with the position of its first."""
    together = None
    for i in range(0, len(sources), WORD):
        part = sources[i : i + WORD]
        if together is None and len(part) >= FEW:
            together = not graph.in_parts and not is_deep(graph, part[0])
        if together and len(part) >= FEW:
            yield i, part
        else:
            yield from ((i + at, [source]) for at, source in enumerate(part))


def is_deep(graph: fr.Graph, source: int) -> bool:
    """Whether paths from a vertex are so long that a CPU searches faster from one source after another."""
    return not graph.device.is_gpu and search(graph, [source], Wanted(), depth_limit=DEEP) >= DEEP


def search(
    graph: fr.Graph, sources: Sequence[int], wanted: Wanted, row: int = 0, depth_limit: int | None = None
) -> int:
    """Search from up to 64 vertices, possibly equal, whose rows in arrays start at `row`. Return the largest distance.

    O((V + E) (levels + 1)) work at most, O(V) memory. In directed graphs without in-edges vertices always push.
    """
    xp, n = graph.xp, graph.num_vertices
    bits: dict[int, int] = {}
    for i, source in enumerate(sources):
        bits[source] = bits.get(source, 0) | 1 << i
    starts = xp.asarray(np.fromiter(bits, np.int64))
    seen, arrived, coming = xp.zeros(n, np.uint64), xp.zeros(n, np.uint64), xp.zeros(2 * n, np.uint64)
    seen[starts] = coming[starts] = xp.asarray(np.fromiter(bits.values(), np.uint64))
    deepest, alive = xp.zeros(1, np.int32), xp.full(2, ALL, np.uint64)
    limit = MAX_STEPS if depth_limit is None else depth_limit
    most = int(graph.num_arcs * PULL_ABOVE) if graph.has_in_edges else graph.num_arcs
    state = Search(seen, arrived, coming, n, deepest, *_results(graph, wanted, row))
    everyone = fr.Frontier.all(graph)
    members, step = fr.Frontier(graph, starts), 0
    while members and step < limit:
        if members.num_arcs > most:
            alive[step & 1] = 0
            missing = fr.filter(everyone, _arrive_and_miss, np.int32(step), alive, *state)
            fr.advance(graph, missing, _pull, np.int32(step), *state, edges="in")
            most = min(most, missing.num_arcs // 2)
            step += 1
        else:
            step += fr.traverse(
                graph, members, _push, fr.advanced.StepCounter(step), *state, prepare=_arrive, max_steps=limit - step,
                max_arcs=most,
            )  # fmt: skip
        members = fr.filter(everyone, _has_news, coming, n, np.int32(step))
    if members:
        fr.compute(members, _arrive, np.int32(step), *state)
    return int(deepest[0])


def _results(graph: fr.Graph, wanted: Wanted, row: int) -> tuple[Any, ...]:
    """The last fields of a search."""
    xp = graph.xp
    kinds = np.int32, graph.vertex_dtype, np.int64, np.int64
    arrays = (xp.empty(1, kind) if array is None else array for array, kind in zip(wanted, kinds, strict=True))
    distance, tree, sums = (array is not None for array in wanted[:3])
    return *arrays, row, DISTANCES * distance + PREDECESSORS * tree + SUMS * sums


def _has_news(v, coming, n, step):
    return coming[(step & 1) * n + v] != 0


def _arrive(src, step, *args):
    _take_news(Search(*args), src, step)


def _take_news(search, v, step):
    """Store the results of the sources that find v in this step."""
    here = (step & 1) * search.n + v
    bits = search.coming[here]
    search.arrived[v] = bits
    if bits == 0:
        return
    search.coming[here] = 0
    if search.deepest[0] < step:
        search.deepest[0] = step
    if search.wanted & SUMS and step > 0:
        found = count_bits(bits)
        search.total[v] += found * step
        search.number[v] += found
    if search.wanted & DISTANCES:
        while bits != 0:
            search.distance[(search.row + lowest_bit(bits)) * search.n + v] = step
            bits &= bits - np.uint64(1)


def _arrive_and_miss(v, step, alive, *args):
    search = Search(*args)
    _take_news(search, v, step)
    now = step & 1
    if search.arrived[v] & ~alive[now] != 0:
        fr.atomic_or(alive, now, search.arrived[v])
    return alive[1 - now] & ~search.seen[v] != 0  # sources without news in the last step find no more vertices


def _push(src, dst, edge, weight, step, *args):
    return _find(Search(*args), dst, src, step)


def _pull(src, dst, edge, weight, step, *args):
    _find(Search(*args), src, dst, step)
    return False


def _find(search, v, before, step):
    """Sources find v through the vertex before it. Return whether any source did so first."""
    bits = search.arrived[before] & ~search.seen[v]
    if bits == 0:
        return False
    bits &= ~fr.atomic_or(search.seen, v, bits)
    if bits == 0:
        return False
    fr.atomic_or(search.coming, ((step + 1) & 1) * search.n + v, bits)
    if search.wanted & PREDECESSORS:
        while bits != 0:
            search.predecessor[(search.row + lowest_bit(bits)) * search.n + v] = before
            bits &= bits - np.uint64(1)
    return True


def lowest_bit(bits):
    """The position of the lowest set bit, for use in functors."""
    return count_bits((bits & (~bits + np.uint64(1))) - np.uint64(1))


def count_bits(bits):
    """The number of set bits, for use in functors."""
    low = np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    bits -= (bits >> np.uint64(1)) & low
    bits = (bits & pairs) + ((bits >> np.uint64(2)) & pairs)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))
