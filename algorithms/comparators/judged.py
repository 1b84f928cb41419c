"""Results with many valid answers, compared by rules or by a score, and their rules and scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from .base import ROUNDING, Comparator, Digest, EdgeList, Found, Verdict, arrays_of, bucket_sums, other_shapes
from .exact import Edges, Exact


@dataclass(frozen=True)
class Quality(Comparator):
    """Results with many good answers, compared by a score.

    Parameters
    ----------
    score : callable
        A result's quality, larger is better: a function of the graph's edges (`frontier.io.EdgeList`) and the result.
    slack : float
        The amount by which our score may be worse than the peer's. In digests, either may be worse than the other.
    """

    score: Callable[..., float]
    slack: float
    needs_edges: ClassVar[bool] = True

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        one, other = (self.score(edges, *found) for found in (ours, theirs))
        return Verdict(one >= other - self.slack, f"quality {one:.4g} against {other:.4g}")

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        return {} if edges is None else {"quality": float(self.score(edges, *found))}

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        if "quality" not in one or "quality" not in other:
            return True
        return abs(one["quality"] - other["quality"]) <= self.slack


@dataclass(frozen=True)
class Valid(Comparator):
    """Results that are right if they follow a rule, such as independent sets or colorings. Each is checked separately.

    Parameters
    ----------
    check : callable
        A function of the graph's edges (`frontier.io.EdgeList`) and the result that returns the fault, or "".
    """

    check: Callable[..., str]
    needs_edges: ClassVar[bool] = True

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        if fault := _fault(self.check, edges, ours, theirs):
            return fault
        return Verdict(True, "both valid")

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        return {} if edges is None else {"wrong": self.check(edges, *found)}

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        return not one.get("wrong") and not other.get("wrong")


class Forests(Comparator):
    """Spanning forests of lowest or highest weight, of which several may exist: sources, destinations and weights.

    Each is checked, and their weights are compared. An edge may be listed in both directions.
    """

    needs_edges: ClassVar[bool] = True

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        assert edges is not None
        if fault := _fault(spanning_forest, edges, ours, theirs):
            return fault
        one, other = (_forest_edges(found)[2].sum() for found in (ours, theirs))
        agrees = abs(one - other) <= ROUNDING * abs(other)
        return Verdict(bool(agrees), f"both spanning, weights {one:.9g} and {other:.9g}")

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        src, _, weights = _forest_edges(found)
        known = {"edges": int(src.size), "weight": float(weights.sum())}
        return known | ({} if edges is None else {"wrong": spanning_forest(edges, *found)})

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        near = abs(one["weight"] - other["weight"]) <= ROUNDING * abs(other["weight"])
        return one["edges"] == other["edges"] and near and not one.get("wrong") and not other.get("wrong")


@dataclass(frozen=True)
class Walks(Comparator):
    """Random walks, one from every vertex: the edges of each, and its end, -1 for deleted vertices.

    Equal walks agree. Others agree if both have as many edges as they must, and their ends are distributed as expected.

    Parameters
    ----------
    length : int
        Most edges of a walk.
    steps : {"uniform", "weighted", "any"}
        The chances of a vertex's edges: equal, in proportion to the weights, or unknown, so ends are not tested.
    """

    length: int
    steps: Literal["uniform", "weighted", "any"] = "uniform"
    needs_edges: ClassVar[bool] = True

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        one, other = arrays_of(ours), arrays_of(theirs)
        if differ := other_shapes(one, other):
            return differ
        if Exact().compare(ours, theirs).agrees:
            return Verdict(True, "exact")
        assert edges is not None
        if fault := _fault(partial(valid_walks, length=self.length, chances=self.steps), edges, ours, theirs):
            return fault
        return Verdict(True, "both distributed as expected")

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        return Exact().digest(found) | (
            {} if edges is None else {"wrong": valid_walks(edges, *found, length=self.length, chances=self.steps)}
        )

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        if one["sizes"] != other["sizes"]:
            return False
        both_checked = "wrong" in one and "wrong" in other
        return one["crc"] == other["crc"] or (both_checked and not one["wrong"] and not other["wrong"])


@dataclass(frozen=True)
class Best(Comparator):
    """The pairs of vertices with the highest values: sources, destinations and values, in any order.

    Values are compared, and the pairs above the lowest value. Several pairs may have the lowest value, and a result may
    omit some of them.

    Parameters
    ----------
    values : Comparator
        Compares the values, once they are sorted.
    """

    values: Comparator

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        found = self.values.compare((np.sort(ours[-1]),), (np.sort(theirs[-1]),), rounding=rounding)
        if found.agrees and not Edges().compare(_above_lowest(ours), _above_lowest(theirs)).agrees:
            return Verdict(False, "pairs of vertices differ")
        return found

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        return Edges().digest(_above_lowest(found)) | {"values": self.values.digest((np.sort(found[-1]),))}

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        return Edges(self.values).same_digests(one, other, rounding=rounding)


def _above_lowest(found: Found) -> Found:
    """The pairs whose values are clearly above the lowest one."""
    src, dst, values = (np.asarray(part) for part in found)
    above = values > values.min(initial=np.inf) * (1 + ROUNDING)
    return src[above], dst[above]


@dataclass(frozen=True)
class Scores(Comparator):
    """Scores that are entries of eigenvectors. Iterations approach these slowly if the largest eigenvalues are close.

    Results agree if they are near each other, or if each is where its iterations may stop.

    Parameters
    ----------
    tol : float
        The tolerance of both sides.
    check : function ``check(edges, *scores, tol, rounding) -> str``
        Why iterations may not stop at these scores, or "": `stationary_scores` or `stationary_centrality`.
    """

    tol: float
    check: Callable[..., str] = field(default_factory=lambda: stationary_scores)
    needs_edges: ClassVar[bool] = True

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        if differ := other_shapes(arrays_of(ours), arrays_of(theirs)):
            return differ
        distance = max(float(np.abs(one - other).sum()) for one, other in zip(ours, theirs, strict=True))
        text = f"L1 distance {distance:.2g}"
        if distance <= ROUNDING:
            return Verdict(True, text)
        assert edges is not None
        for side, found in (("ours", ours), ("theirs", theirs)):
            if wrong := self.check(edges, *found, tol=self.tol, rounding=rounding):
                return Verdict(False, f"{text}; {side}: {wrong}")
        return Verdict(True, f"{text}, both stationary")

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        known: Digest = {"size": int(np.size(found[0])), "sums": [bucket_sums(np.asarray(part)) for part in found]}
        wrong = "" if edges is None else self.check(edges, *found, tol=self.tol, rounding=ROUNDING)
        return known | ({} if edges is None else {"wrong": wrong})

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        if one["size"] != other["size"]:
            return False
        near = np.abs(np.subtract(one["sums"], other["sums"])).sum(axis=1).max() <= ROUNDING
        both_checked = "wrong" in one and "wrong" in other
        return bool(near) or (both_checked and not one["wrong"] and not other["wrong"])


def modularity(edges: EdgeList, labels: np.ndarray) -> float:
    """The modularity of communities in an undirected graph, weighted if it is: a score for `Quality`."""
    weights = np.ones(len(edges)) if edges.weights is None else np.asarray(edges.weights, np.float64)
    total = float(weights.sum())
    if not total:
        return 0.0
    _, of = np.unique(labels, return_inverse=True)
    of = of.ravel()
    src, dst = of[edges.src], of[edges.dst]
    degrees = np.bincount(np.append(src, dst), np.append(weights, weights))
    return float(weights[src == dst].sum()) / total - float(((degrees / (2 * total)) ** 2).sum())


def nearness(edges: EdgeList, x: np.ndarray, y: np.ndarray) -> float:
    """The share of pairs of vertices that are farther apart than neighbors, 0.5 for random layouts: a score for
    `Quality`.

    Pairs are drawn from the ends of edges. Unlike mean lengths, the share is the same for stretched layouts, and does
    not depend on a few isolated components far away.
    """
    if not len(edges):
        return 0.5
    u, v = np.random.default_rng(0).choice(np.append(edges.src, edges.dst), (2, PAIRS))
    near, far = (np.hypot(x[a] - x[b], y[a] - y[b]) for a, b in ((edges.src, edges.dst), (u[u != v], v[u != v])))
    far.sort()
    below, up_to = (np.searchsorted(far, near, side) for side in ("left", "right"))
    return 1 - float((below + up_to).mean()) / (2 * far.size)


def proper_coloring(edges: EdgeList, color: np.ndarray) -> str:
    """The fault of a greedy coloring, or "": a rule for `Valid`. Negative colors stand for deleted vertices."""
    equal = np.flatnonzero((color[edges.src] == color[edges.dst]) | (color[edges.src] < 0) | (color[edges.dst] < 0))
    if equal.size:
        u, v = int(edges.src[equal[0]]), int(edges.dst[equal[0]])
        return f"neighbors {u} and {v} have the colors {color[u]} and {color[v]}"
    high = np.flatnonzero(color > _degrees(edges))
    return f"vertex {high[0]} has color {color[high[0]]}, which is above its degree" if high.size else ""


def maximal_independent(edges: EdgeList, members: np.ndarray) -> str:
    """The fault of a maximal independent set, given as a mask, or "": a rule for `Valid`."""
    members = np.asarray(members, bool)
    inside = np.flatnonzero(members[edges.src] & members[edges.dst])
    if inside.size:
        return f"members {edges.src[inside[0]]} and {edges.dst[inside[0]]} are neighbors"
    covered = members | (_degrees(edges) == 0)  # isolated vertices may be deleted ones
    covered[edges.src[members[edges.dst]]] = True
    covered[edges.dst[members[edges.src]]] = True
    missing = np.flatnonzero(~covered)
    return f"vertex {missing[0]} could be added" if missing.size else ""


def dominant_labels(edges: EdgeList, labels: np.ndarray) -> str:
    """The fault of labels that must be among the most frequent of the neighbors, or "": a rule for `Valid`."""
    src, dst = np.append(edges.src, edges.dst).astype(np.int64), np.append(edges.dst, edges.src)
    names, of = np.unique(labels, return_inverse=True)
    pairs, counts = np.unique(src * np.int64(names.size) + of[dst], return_counts=True)
    vertex, label = pairs // names.size, pairs % names.size
    most = np.zeros(edges.num_vertices, np.int64)
    np.maximum.at(most, vertex, counts)
    own = np.zeros_like(most)
    is_own = label == of[vertex]
    own[vertex[is_own]] = counts[is_own]
    rare = np.flatnonzero(own < most)
    if not rare.size:
        return ""
    v = int(rare[0])
    return f"{own[v]} neighbors of vertex {v} have its label, {most[v]} another"


def spanning_forest(edges: EdgeList, src: np.ndarray, dst: np.ndarray, weights: np.ndarray) -> str:
    """The fault of a spanning forest, or "": its edges, each once or in both directions, and their weights."""
    src, dst, weights = _forest_edges((src, dst, weights))
    n = edges.num_vertices
    known = np.minimum(edges.src, edges.dst) * np.int64(n) + np.maximum(edges.src, edges.dst)
    order = np.argsort(known)
    found = np.searchsorted(known, src * n + dst, sorter=order)
    at = order[np.minimum(found, max(known.size - 1, 0))] if known.size else order[:0]
    strange = np.flatnonzero(known[at] != src * n + dst) if known.size else np.arange(src.size)
    if strange.size:
        return f"there is no edge between {src[strange[0]]} and {dst[strange[0]]}"
    real = np.ones(src.size) if edges.weights is None else np.asarray(edges.weights, np.float64)[at]
    wrong = np.flatnonzero(np.abs(real - weights) > ROUNDING * np.abs(real))
    if wrong.size:
        return f"edge {src[wrong[0]]}, {dst[wrong[0]]} has weight {weights[wrong[0]]:g} instead of {real[wrong[0]]:g}"
    parts, whole = _count_components(n, src, dst), _count_components(n, edges.src, edges.dst)
    if parts != whole:
        return f"it has {parts:,} components, the graph {whole:,}"
    return f"it has {src.size:,} edges, {n - whole:,} would do" if src.size != n - whole else ""


def valid_walks(
    edges: EdgeList, steps: np.ndarray, ends: np.ndarray, *, length: int, chances: str = "uniform"
) -> str:  # fmt: skip
    """The fault of random walks from every vertex, or "". `chances` is the argument of `Walks.steps`.

    Walks must end only where no edge continues, and at each vertex about as often as expected: a chi-squared test of
    groups of vertices decides.
    """
    alive = np.flatnonzero(ends >= 0)
    n = edges.num_vertices
    src, dst = (edges.src, edges.dst) if edges.directed else _both_ways(edges)
    weights = np.ones(len(edges))
    if chances != "uniform" and edges.weights is not None:
        weights = np.asarray(edges.weights, np.float64)
    weights = weights if edges.directed else np.append(weights, weights)
    degrees = np.bincount(src, weights, n)
    early = np.flatnonzero((steps[alive] < length) & (degrees[ends[alive]] > 0))
    if early.size:
        return f"walk {alive[early[0]]} ends after {steps[alive[early[0]]]} edges, where others lead on"
    if chances == "any":
        return ""
    from scipy.sparse import coo_array  # imported late: this costs half of the project's import time

    going = coo_array((weights / np.where(degrees > 0, degrees, 1)[src], (dst, src)), shape=(n, n)).tocsr()
    expected = np.zeros(n)
    expected[alive] = 1.0
    stays = degrees == 0
    for _ in range(length):
        expected = going @ expected + np.where(stays, expected, 0)
    groups = (np.arange(n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(56)).astype(np.int64)
    groups[np.argsort(-expected)[:WALK_GROUPS]] = WALK_GROUPS + np.arange(min(n, WALK_GROUPS))  # each for itself
    wanted = np.bincount(groups, expected)
    counted = np.bincount(groups[ends[alive]], minlength=wanted.size)
    enough = wanted >= LEAST_EXPECTED
    error = float((((counted - wanted)[enough]) ** 2 / wanted[enough]).sum())
    most = enough.sum() + WALK_DEVIATIONS * np.sqrt(2 * enough.sum())
    return f"chi-squared of ends is {error:.0f}, expected up to {most:.0f}" if error > most else ""


def stationary_scores(
    edges: EdgeList, hubs: np.ndarray, authorities: np.ndarray, *, tol: float, rounding: float = 0.0
) -> str:
    """The fault of hub and authority scores that each add up to 1, or "": by one more iteration of HITS.

    It may change them by less than the tolerance in total, or, their largest scaled to 1, on average.
    """
    src, dst = (edges.src, edges.dst) if edges.directed else _both_ways(edges)

    def step(scores: np.ndarray, ends: np.ndarray, others: np.ndarray) -> np.ndarray:
        found = np.bincount(ends, np.asarray(scores, np.float64)[others], edges.num_vertices)
        return found / (found.sum() or 1.0)

    allowed = 2 * tol * max(1.0, hubs.size * float(np.max(hubs, initial=0.0))) + rounding + np.finfo(np.float32).eps
    for name, change in (
        ("authorities", step(hubs, dst, src) - authorities),
        ("hubs", step(authorities, src, dst) - hubs),
    ):
        if (moved := float(np.abs(change).sum())) > allowed:
            return f"an iteration changes {name} by {moved:.2g}, {allowed:.2g} allowed"
    return ""


def stationary_centrality(edges: EdgeList, centrality: np.ndarray, *, tol: float, rounding: float = 0.0) -> str:
    """The fault of eigenvector centralities, or "": their norm, or the change of a vertex by one more iteration."""
    found, n = np.asarray(centrality, np.float64), edges.num_vertices
    norm = float(np.linalg.norm(found))
    if (norm or len(edges)) and not abs(norm - 1) < 1e-4:
        return f"centralities have a norm of {norm:.6g}"
    src, dst = (edges.src, edges.dst) if edges.directed else _both_ways(edges)
    passed_on = found[src]
    if edges.weights is not None:
        passed_on = passed_on * np.tile(np.asarray(edges.weights, np.float64), 1 if edges.directed else 2)
    following = found + np.bincount(dst, passed_on, n)
    moved = float(np.abs(following / (np.linalg.norm(following) or 1.0) - found).sum())
    allowed = 2 * tol * n + rounding + float(np.finfo(np.float32).eps * found.sum())
    return f"an iteration changes centralities by {moved:.2g}, {allowed:.2g} allowed" if moved > allowed else ""


PAIRS = 100_000
"""Pairs of vertices that edges are compared with."""
WALK_GROUPS = 256
"""Groups of vertices that ends of walks are counted in, and as many vertices that are each a group."""
LEAST_EXPECTED = 10
WALK_DEVIATIONS = 8
"""Standard deviations of chi-squared that are allowed."""


def _fault(check: Callable[..., str], edges: EdgeList | None, ours: Found, theirs: Found) -> Verdict | None:
    """The verdict on two results of which `check` rejects one, None if it rejects neither."""
    for side, found in (("ours", ours), ("theirs", theirs)):
        if wrong := check(edges, *found):
            return Verdict(False, f"{side}: {wrong}")
    return None


def _forest_edges(found: Found) -> tuple[np.ndarray, ...]:
    """The edges of a forest, each once."""
    src, dst, weights = (np.asarray(part) for part in found)
    low, high = np.minimum(src, dst).astype(np.int64), np.maximum(src, dst).astype(np.int64)
    _, first = np.unique(low * (int(high.max(initial=0)) + 1) + high, return_index=True)
    return low[first], high[first], weights[first].astype(np.float64)


def _count_components(num_vertices: int, src: np.ndarray, dst: np.ndarray) -> int:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    matrix = coo_array((np.ones(len(src), np.int8), (src, dst)), shape=(num_vertices, num_vertices))
    return int(connected_components(matrix, directed=False)[0]) if num_vertices else 0


def _both_ways(edges: EdgeList) -> tuple[np.ndarray, np.ndarray]:
    return np.append(edges.src, edges.dst), np.append(edges.dst, edges.src)


def _degrees(edges: EdgeList) -> np.ndarray:
    return np.bincount(np.append(edges.src, edges.dst), minlength=edges.num_vertices)
