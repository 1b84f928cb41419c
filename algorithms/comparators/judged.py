"""Results of which many are right: those that keep a rule, or are good enough by a score; and such rules and scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import frontier as fr

from .base import Comparator, Digest, Found, Verdict


@dataclass(frozen=True)
class Quality(Comparator):
    """Results of which many are good: compared by how good they are.

    Parameters
    ----------
    score : callable
        The quality of a result, larger is better: of the graph's edges (`frontier.io.EdgeList`) and what is compared.
    slack : float
        How much worse ours may be than theirs; of digests, either than the other.
    """

    score: Callable[..., float]
    slack: float
    needs_edges: ClassVar[bool] = True

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
        one, other = (self.score(edges, *found) for found in (ours, theirs))
        text = f"quality {one:.4g} against {other:.4g}"
        return Verdict(one >= other - self.slack, text)

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        return {} if edges is None else {"quality": float(self.score(edges, *found))}

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        if "quality" not in one or "quality" not in other:
            return True
        return abs(one["quality"] - other["quality"]) <= self.slack


@dataclass(frozen=True)
class Valid(Comparator):
    """Results of which any that keeps a rule is right: independent sets, colorings. Each is checked by itself.

    Parameters
    ----------
    check : callable
        What is wrong with a result, or "": of the graph's edges (`frontier.io.EdgeList`) and what is compared.
    """

    check: Callable[..., str]
    needs_edges: ClassVar[bool] = True

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
        for side, found in (("ours", ours), ("theirs", theirs)):
            if wrong := self.check(edges, *found):
                return Verdict(False, f"{side}: {wrong}")
        return Verdict(True, "both valid")

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        return {} if edges is None else {"wrong": self.check(edges, *found)}

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        return not one.get("wrong") and not other.get("wrong")


def modularity(edges: fr.io.EdgeList, labels: np.ndarray) -> float:
    """The modularity of communities in an undirected graph, weighted if it is: a score for `Quality`."""
    weights = np.ones(len(edges)) if edges.weights is None else np.asarray(edges.weights, np.float64)
    total = float(weights.sum())
    if not total:
        return 0.0
    _, of = np.unique(labels, return_inverse=True)
    of = of.ravel()
    src, dst = of[edges.src], of[edges.dst]
    degrees = np.bincount(np.append(src, dst), np.append(weights, weights))
    within = float(weights[src == dst].sum())
    return within / total - float(((degrees / (2 * total)) ** 2).sum())


def proper_coloring(edges: fr.io.EdgeList, color: np.ndarray) -> str:
    """What is wrong with a greedy coloring, or "": a rule for `Valid`. Negative colors stand for deleted vertices."""
    equal = np.flatnonzero((color[edges.src] == color[edges.dst]) | (color[edges.src] < 0) | (color[edges.dst] < 0))
    if equal.size:
        u, v = int(edges.src[equal[0]]), int(edges.dst[equal[0]])
        return f"neighbors {u} and {v} have the colors {color[u]} and {color[v]}"
    high = np.flatnonzero(color > _degrees(edges))
    return f"vertex {high[0]} has color {color[high[0]]}, which is above its degree" if high.size else ""


def maximal_independent(edges: fr.io.EdgeList, members: np.ndarray) -> str:
    """What is wrong with a maximal independent set, given as a mask, or "": a rule for `Valid`."""
    members = np.asarray(members, bool)
    inside = np.flatnonzero(members[edges.src] & members[edges.dst])
    if inside.size:
        return f"members {edges.src[inside[0]]} and {edges.dst[inside[0]]} are neighbors"
    covered = members | (_degrees(edges) == 0)  # isolated vertices may be deleted ones
    covered[edges.src[members[edges.dst]]] = True
    covered[edges.dst[members[edges.src]]] = True
    missing = np.flatnonzero(~covered)
    return f"vertex {missing[0]} could be added" if missing.size else ""


def dominant_labels(edges: fr.io.EdgeList, labels: np.ndarray) -> str:
    """What is wrong with labels that are to be among the most frequent of the neighbors, or "": a rule for `Valid`."""
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


def _degrees(edges: fr.io.EdgeList) -> np.ndarray:
    return np.bincount(np.append(edges.src, edges.dst), minlength=edges.num_vertices)
