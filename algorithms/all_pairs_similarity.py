"""Similarity of all pairs of vertices that have a common neighbor, or the pairs of highest similarity.

From each source, paths of two edges lead to the vertices with which it has a neighbor in common, once for each common
neighbor. They are listed for some sources at a time, within a bound on memory, and sorted and counted. Each pair is
found from its first vertex only. On a CPU, one thread counts them in an array instead.

If only the best pairs are wanted, the lowest coefficient among the best pairs so far prunes the rest. A pair above the
bound has many common neighbors, so one is among the first neighbors of the source, ordered by the number of vertices
that share them. Its degrees are similar. An intersection then counts the candidates that a prefix of a list yields. The
sources come in order, so a later pair must exceed the bound, not equal it. Hubs are often the first vertices and have
few similar ones. A sample of the sources with the fewest paths yields a bound to start from.

    mids[e]       the neighbors of each vertex, ordered by the number of vertices that share
                  them
    ends[e]       the vertices with each neighbor, by degree and then by id
    owner[e]      the source of arc e of a block
    low[e]        the first vertex in `ends` that arc e may lead to
    last[e]       the number of paths up to arc e
    keys[p]       the source of path p, by its position in the chunk, and its last vertex

Bayardo, Ma and Srikant, "Scaling Up All Pairs Similarity Search", WWW 2007; Xiao, Wang, Lin and Yu, "Efficient
Similarity Joins for Near Duplicate Detection", WWW 2008.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import places
from ._events import prefix_sums
from .result import Result
from .similarity import COSINE, JACCARD, OVERLAP, SORENSEN, Measure

PATHS = {"cpu": 1 << 20, "gpu": 1 << 25}
"""Paths of two edges in memory at a time, more if one source has more."""
ARCS = {"cpu": 1 << 20, "gpu": 1 << 24}
"""Arcs of the sources whose paths are counted at a time."""
PIECE = 32
"""Paths that one call of a functor lists."""
ROUNDING = 1e-9
"""Relative slack of bounds. The coefficients themselves decide."""


@dataclass(frozen=True, repr=False)
class AllPairsSimilarityResult(Result):
    """Result of `all_pairs_jaccard` and its like. Arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (m,)
        The pairs, each once: as ``src < dst`` if `vertices` is absent, or contains both. Without `topk` sorted, with it
        by descending coefficient and then sorted.
    coefficient : array of float64, shape (m,)
        Above 0, up to 1.

    See Also
    --------
    all_pairs_cosine : Computes it.
    all_pairs_jaccard : Computes it.
    all_pairs_overlap : Computes it.
    all_pairs_sorensen : Computes it.
    """

    src: Any
    dst: Any
    coefficient: Any


@fr.advanced.reads
def all_pairs_jaccard(graph: fr.Graph, *, topk: int | None = None, vertices: Any = None) -> AllPairsSimilarityResult:
    """The Jaccard coefficients of all pairs of vertices with a common neighbor, or the highest ones.

    Parameters
    ----------
    graph : Graph
        In a directed graph, neighbors are successors. Weights are ignored.
    topk : int, optional
        The number of pairs to return: the pairs of the highest coefficients, and of equal coefficients the lowest ids.
        By default all pairs.
    vertices : array-like of int, optional
        One vertex of each pair, `src`, is one of these. By default any vertex.

    Raises
    ------
    TypeError, ValueError
        `topk` is not a positive integer, or an id is not a vertex of the graph.
    NotImplementedError
        The graph is distributed.

    See Also
    --------
    jaccard : The same for listed pairs.

    Notes
    -----
    Without `topk`, all paths of two edges from the lower to the higher vertex are listed and sorted: half the sum over
    all vertices of the squared degree. With it, the work falls with the number of pairs that can be among the best. O(V
    + E) memory, and the pairs that are returned.

    Examples
    --------
    >>> from algorithms import all_pairs_jaccard
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> best = all_pairs_jaccard(graph, topk=2)
    >>> best.src, best.dst, best.coefficient
    (array([0, 0], dtype=int32), array([1, 3], dtype=int32), array([0.33333333, 0.33333333]))
    """
    return _all_pairs(graph, topk, vertices, JACCARD, "all_pairs_jaccard")


@fr.advanced.reads
def all_pairs_sorensen(graph: fr.Graph, *, topk: int | None = None, vertices: Any = None) -> AllPairsSimilarityResult:
    """The Sorensen coefficients of all pairs of vertices with a common neighbor, or the highest ones.

    Parameters
    ----------
    graph, topk, vertices
        As in `all_pairs_jaccard`, like the errors.

    See Also
    --------
    sorensen : The same for listed pairs.

    Notes
    -----
    The same work as `all_pairs_jaccard`.

    Examples
    --------
    >>> from algorithms import all_pairs_sorensen
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> all_pairs_sorensen(graph, topk=2).coefficient
    array([0.5, 0.5])
    """
    return _all_pairs(graph, topk, vertices, SORENSEN, "all_pairs_sorensen")


@fr.advanced.reads
def all_pairs_cosine(graph: fr.Graph, *, topk: int | None = None, vertices: Any = None) -> AllPairsSimilarityResult:
    """The cosine coefficients of all pairs of vertices with a common neighbor, or the highest ones.

    Parameters
    ----------
    graph, topk, vertices
        As in `all_pairs_jaccard`, like the errors.

    See Also
    --------
    cosine : The same for listed pairs.

    Notes
    -----
    The same work as `all_pairs_jaccard`. See `cosine` for cuGraph's definition.

    Examples
    --------
    >>> from algorithms import all_pairs_cosine
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> all_pairs_cosine(graph, topk=2).coefficient
    array([0.57735027, 0.5       ])
    """
    return _all_pairs(graph, topk, vertices, COSINE, "all_pairs_cosine")


@fr.advanced.reads
def all_pairs_overlap(graph: fr.Graph, *, topk: int | None = None, vertices: Any = None) -> AllPairsSimilarityResult:
    """The overlap coefficients of all pairs of vertices with a common neighbor, or the highest ones.

    Parameters
    ----------
    graph, topk, vertices
        As in `all_pairs_jaccard`, like the errors.

    See Also
    --------
    overlap : The same for listed pairs.

    Notes
    -----
    The work of `all_pairs_jaccard` without `topk`, until `topk` pairs have the coefficient 1.

    Examples
    --------
    >>> from algorithms import all_pairs_overlap
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> best = all_pairs_overlap(graph, topk=1)
    >>> best.src, best.dst, best.coefficient
    (array([2], dtype=int32), array([4], dtype=int32), array([1.]))
    """
    return _all_pairs(graph, topk, vertices, OVERLAP, "all_pairs_overlap")


# ---- the search -----------------------------------------------------------------------------------------------------


class _Lists(NamedTuple):
    """The graph as a sorted static copy, and its arcs in the orders of the search. See the top of the file.

    `ends` is sorted by `size`: degrees if bounds on them prune, else ids.
    """

    graph: Any
    degrees: Any
    mids: Any
    into: Any
    ends: Any
    size: Any


def _all_pairs(graph: fr.Graph, topk: Any, vertices: Any, measure: Measure, name: str) -> AllPairsSimilarityResult:
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.check_one_device(graph, name)
    xp = graph.xp
    if topk is not None:
        topk = fr.advanced.arguments.integer(topk, "topk", 1)
    wanted = xp.ones(graph.num_vertices, bool)
    if vertices is not None:
        wanted[:] = False
        wanted[fr.advanced.arguments.vertex_ids(graph, vertices, "vertices")] = True
    lists = _lists_of(graph, by_degree=topk is not None)
    sources, floor = xp.flatnonzero(wanted), 0.0
    if topk is not None:
        paths = prefix_sums(xp.diff(lists.into)[lists.mids], xp)
        offsets = lists.graph.offsets
        paths = (paths[offsets[1:]] - paths[offsets[:-1]])[sources]
        order = xp.argsort(paths, kind="stable")
        few = order[(xp.cumsum(paths[order]) <= PATHS[graph.device.kind]) & (paths[order] > 0)]
        sample = xp.sort(sources[few])
        in_sample = xp.zeros_like(wanted)
        in_sample[sample] = True
        found = _search(lists, sample, in_sample, topk, 0.0, measure)
        if found[2].size == topk:
            floor = float(found[2][-1])
    return AllPairsSimilarityResult(*_search(lists, sources, wanted, topk, floor, measure))


def _lists_of(graph: fr.Graph, *, by_degree: bool) -> _Lists:
    xp, n = graph.xp, graph.num_vertices
    copy = graph.to_csr()
    arcs = fr.EdgeFrontier.all(copy)
    src, dst = arcs.src, arcs.dst
    degrees, sharing = copy.degrees().astype(np.int64), xp.bincount(dst, minlength=n)
    into = prefix_sums(sharing, xp)
    size = degrees if by_degree else xp.arange(n)
    ends = _sorted_lists(graph, dst, src, size)
    mids = _sorted_lists(graph, src, dst, sharing) if by_degree else copy.indices
    return _Lists(copy, degrees, mids, into, ends, size)


def _sorted_lists(graph: fr.Graph, heads: Any, members: Any, value: Any) -> Any:
    """Members by head, by their values, and by id."""
    xp = graph.xp
    order = xp.argsort(value, kind="stable")
    rank = xp.empty(graph.num_vertices, graph.vertex_dtype)
    rank[order] = xp.arange(order.size, dtype=rank.dtype)
    keys = fr.advanced.keys.sort(graph, fr.advanced.keys.pack(graph, heads, rank[members]))
    return order.astype(graph.vertex_dtype)[fr.advanced.keys.unpack(graph, keys)[1]]


def _search(
    lists: _Lists, sources: Any, wanted: Any, topk: int | None, floor: float, measure: Measure
) -> tuple[Any, Any, Any]:
    """The pairs from these sources, ascending, whose coefficients reach `floor`: all, or the best `topk`.

    `wanted` marks the sources.
    """
    graph, xp = lists.graph, lists.graph.xp
    found = [(xp.empty(0, graph.vertex_dtype), xp.empty(0, graph.vertex_dtype), xp.empty(0, np.float64))]
    above = 0.0  # the lowest coefficient of the best pairs, once `topk` are found
    for block in _cut(graph, xp.cumsum(lists.degrees[sources]), ARCS[graph.device.kind]):
        for src, dst, common, is_exact in _paths(lists, sources[block], wanted, measure.share(max(above, floor))):
            score, one, other = measure.score(xp, common, lists.degrees[src], lists.degrees[dst]), src, dst
            if topk is not None:
                best = xp.flatnonzero((score > above) & (score >= floor))
                one, other, score = src[best], dst[best], score[best]
                if not is_exact:
                    common = fr.intersect(graph, one, other)
                    score = measure.score(xp, common, lists.degrees[one], lists.degrees[other])
                    best = xp.flatnonzero((score > above) & (score >= floor))
                    one, other, score = one[best], other[best], score[best]
            if not graph.device.is_gpu:
                keys, score = fr.advanced.keys.sort(graph, fr.advanced.keys.pack(graph, one, other), score)
                one, other = fr.advanced.keys.unpack(graph, keys)
            found.append((one, other, score))
            if topk is not None and score.size:
                found = [tuple(xp.concatenate(parts) for parts in zip(*found, strict=True))]
                best = xp.argsort(-found[0][2], kind="stable")[:topk]
                found = [tuple(part[best] for part in found[0])]
                if best.size == topk:
                    above = float(found[0][2][-1])
                if above >= 1:
                    return found[0]
    return tuple(xp.concatenate(parts) for parts in zip(*found, strict=True))


def _cut(graph: fr.Graph, totals: Any, most: int) -> Iterator[slice]:
    """Cut items, given by their running totals, into slices of at most this total, or of one item."""
    totals = graph.device.to_host(totals)
    begin, before = 0, 0
    while begin < totals.size:
        end = max(int(np.searchsorted(totals, before + most, side="right")), begin + 1)
        yield slice(begin, end)
        begin, before = end, int(totals[end - 1])


def _paths(lists: _Lists, sources: Any, wanted: Any, share: float) -> Iterator[tuple[Any, Any, Any, bool]]:
    """Pairs from these sources that may have `share` of their neighbors in common, in chunks of sources.

    Yields both ends, a number of common neighbors, and whether it is exact or an upper bound.
    """
    graph, xp = lists.graph, lists.graph.xp
    degrees = lists.degrees[sources]
    need = xp.maximum(xp.ceil(share * (1 - ROUNDING) * degrees).astype(np.int64), 1)
    if share:
        highest = xp.minimum(xp.floor(degrees / share * (1 + ROUNDING)), graph.num_vertices).astype(np.int64)
        lowest = need
    else:
        everything = bool(wanted.all()) and lists.size is not lists.degrees
        lowest = sources + 1 if everything else xp.zeros_like(sources)
        highest = xp.full_like(sources, graph.num_vertices)
    starts = prefix_sums(xp.maximum(degrees - need + 1, 0), xp)
    arcs = int(starts[-1])
    owner, low, count = xp.empty(arcs, np.int32), xp.empty(arcs, np.int64), xp.empty(arcs, np.int64)
    fr.compute(places(graph, int(sources.size)), _own, starts, owner)
    bounds = _Bounds(
        owner, sources, starts, graph.offsets, lists.mids, lists.into, lists.ends, lists.size, lowest, highest, low,
        count,
    )  # fmt: skip
    fr.compute(places(graph, arcs), _bound, *bounds)
    last = prefix_sums(count, xp)
    n = 0 if graph.device.is_gpu else graph.num_vertices
    one_thread = xp.zeros(n, np.int32), xp.empty(n, graph.vertex_dtype)
    found = _Paths(sources, wanted, starts, owner, low, last, lists.ends, *one_thread)
    count_in = _count_sorted if graph.device.is_gpu else _count_in_order
    for chunk in _cut(graph, last[starts[1:]], PATHS[graph.device.kind]):
        source, dst, common = count_in(graph, found, chunk)
        if share:
            common = xp.minimum(common + need[source] - 1, lists.degrees[dst])
        yield sources[source].astype(graph.vertex_dtype), dst, common, not share


class _Bounds(NamedTuple):
    """Paths from the sources of a block, by arc, and the bounds on the `size` of their last vertices, by source."""

    owner: Any
    sources: Any
    starts: Any
    offsets: Any
    mids: Any
    into: Any
    ends: Any
    size: Any
    lowest: Any
    highest: Any
    low: Any
    count: Any


class _Paths(NamedTuple):
    """Paths from the sources of a block, by arc.

    `starts` has the first arc of each source, and `low` the position in `ends` of the first vertex that an arc leads
    to. One thread counts in `number`, which is zero between chunks, and lists in `members`.
    """

    sources: Any
    wanted: Any
    starts: Any
    owner: Any
    low: Any
    last: Any
    ends: Any
    number: Any
    members: Any


def _count_sorted(graph: Any, paths: _Paths, chunk: slice) -> tuple[Any, Any, Any]:
    """The positions of sources, the last vertices, and the number of paths between them, sorted, by sorting paths."""
    xp = graph.xp
    begin, end = (int(arc) for arc in graph.device.to_host(paths.starts[xp.asarray([chunk.start, chunk.stop])]))
    last = paths.last[begin : end + 1]
    paths = paths._replace(owner=paths.owner[begin:end], low=paths.low[begin:end], last=last)
    pieces = prefix_sums((xp.diff(last) + PIECE - 1) // PIECE, xp)
    first, beyond, number = (int(total) for total in graph.device.to_host(xp.stack([last[0], last[-1], pieces[-1]])))
    arc_of, keys = xp.empty(number, np.int32), xp.empty(beyond - first, np.int64)
    stride = fr.advanced.keys.stride(graph)
    nothing = (chunk.stop - chunk.start) * stride
    fr.compute(places(graph, end - begin), _own, pieces, arc_of)
    fr.compute(places(graph, number), _list, arc_of, pieces, chunk.start, stride, nothing, keys, *paths)
    keys, common = fr.advanced.keys.sums(graph, keys)
    real = int(keys.searchsorted(xp.asarray(nothing)))
    keys, common = keys[:real], common[:real]
    return keys // stride + chunk.start, (keys % stride).astype(graph.vertex_dtype), common


def _count_in_order(graph: Any, paths: _Paths, chunk: slice) -> tuple[Any, Any, Any]:
    """The same by one thread with a counter for each vertex, sorted by source."""
    room = int(paths.last[paths.starts[chunk.stop]] - paths.last[paths.starts[chunk.start]])
    source, dst = np.empty(room, np.int64), np.empty(room, graph.vertex_dtype)
    common, size = np.empty(room, np.int32), np.zeros(1, np.int64)
    fr.compute(places(graph, 1), _count, chunk.start, chunk.stop, source, dst, common, size, *paths)
    return source[: size[0]], dst[: size[0]], common[: size[0]]


def _own(i, starts, owner):
    for arc in range(starts[i], starts[i + 1]):
        owner[arc] = i


def _first_from(ends, size, low, high, value):
    """The first position of a list sorted by size with this size or more."""
    while low < high:
        middle = (low + high) >> 1
        if size[ends[middle]] < value:
            low = middle + 1
        else:
            high = middle
    return low


def _bound(arc, *args):
    bounds = _Bounds(*args)
    ends = bounds.ends
    size = bounds.size
    i = bounds.owner[arc]
    mid = bounds.mids[bounds.offsets[bounds.sources[i]] + arc - bounds.starts[i]]
    end = bounds.into[mid + 1]
    begin = _first_from(ends, size, bounds.into[mid], end, bounds.lowest[i])
    bounds.low[arc] = begin
    bounds.count[arc] = _first_from(ends, size, begin, end, bounds.highest[i] + 1) - begin


def _list(piece, arc_of, pieces, first_source, stride, nothing, keys, *args):
    paths = _Paths(*args)
    last = paths.last
    arc = arc_of[piece]
    i = paths.owner[arc]
    u = paths.sources[i]
    listed = last[arc] - last[0]
    skipped = (piece - pieces[arc]) * PIECE
    for k in range(skipped, min(skipped + PIECE, last[arc + 1] - last[arc])):
        v = paths.ends[paths.low[arc] + k]
        keys[listed + k] = (i - first_source) * stride + v if _is_first(paths, u, v) else nothing


def _is_first(paths, u, v):
    """Whether the pair of u and v is listed at u."""
    return v != u and (v > u or not paths.wanted[v])


def _count(_, begin, end, source, dst, common, size, *args):
    paths = _Paths(*args)
    last = paths.last
    low = paths.low
    ends = paths.ends
    number = paths.number
    members = paths.members
    total = 0
    for i in range(begin, end):
        u = paths.sources[i]
        held = 0
        for arc in range(paths.starts[i], paths.starts[i + 1]):
            for k in range(low[arc], low[arc] + last[arc + 1] - last[arc]):
                v = ends[k]
                if number[v] == 0:
                    members[held] = v
                    held += 1
                number[v] += 1
        for k in range(held):
            v = members[k]
            if _is_first(paths, u, v):
                source[total] = i
                dst[total] = v
                common[total] = number[v]
                total += 1
            number[v] = 0
    size[0] = total
