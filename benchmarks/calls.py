"""The calls that the benchmark of static algorithms measures: the catalogue's analytics, and further tasks.

An analytic is measured under its own name, with the catalogue's parameters, unless `VARIANTS` specifies others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from algorithms import Analytic, analytics
from algorithms.catalogue import GALLERY
from algorithms.comparators import Comparator, Values

from .defaults import PAGERANK_ALPHA, PAGERANK_STEPS, PAGERANK_TOL, TRUSSES

_RANKS = {"alpha": PAGERANK_ALPHA, "tol": PAGERANK_TOL, "fail_on_nonconvergence": False}
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "triangle_count": {"triangle_count": {"per_vertex": False}, "triangle_count per vertex": {}},
    "pagerank": {"pagerank": _RANKS, "pagerank steps": _RANKS | {"max_iter": PAGERANK_STEPS}},
    "k_truss": {f"k-truss {k}": {"k": k} for k in TRUSSES},
}
"""By analytic, the calls to measure: the name of each in results, and its own parameters."""
COLUMNS = {
    "bfs": ("levels",), "connected_components": ("count",), "pagerank": ("iterations", "error"),
    "k_truss": ("num_edges",),
}  # fmt: skip
"""Numbers of results that go into a row."""
SPMV = "spmv"
PEERS_OWN = {
    SPMV: "spmv", "bfs direction-optimizing": "bfs_direction_optimizing", "pagerank steps": "pagerank_steps",
}  # fmt: skip
"""Tasks of peers that are no analytic, and the method that each is."""
COSTLY = ("sssp", "pagerank", "triangle_count", "k_truss")
"""Analytics that peers are asked for last, the cheapest first: one that runs out of time leaves out the least."""
LENGTHY = {"truss_numbers": 18}
"""Calls that run for minutes on graphs of 2**scale vertices and more, and that scale."""
ROUNDING = 1e-5
"""The rounding error of a peer's ranks, which may be float32."""


@dataclass(frozen=True)
class Call:
    """A call to measure.

    Attributes
    ----------
    label : str
        Its name in results.
    analytic : Analytic
    settings : mapping
        Its parameters, the source excepted.
    """

    label: str
    analytic: Analytic
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def weighted(self) -> bool:
        """Whether the graph has weights."""
        return self.analytic.weights in ("expected", "required")

    @property
    def comparator(self) -> Comparator:
        """Compares its results."""
        return self.analytic.comparator_for(**self.settings)


def calls() -> dict[str, Call]:
    """All calls, by label."""
    return {call.label: call for call in _all_calls()}


def _all_calls() -> Iterator[Call]:
    for name, analytic in analytics().items():
        if analytic.static is None:
            continue
        for label, own in VARIANTS.get(name, {name: {}}).items():
            yield Call(label, analytic, analytic.settings(**own))


def calls_of(gallery: bool) -> dict[str, Call]:
    """The calls of the gallery's algorithms, which have a separate benchmark, or the calls of all others."""
    return {label: call for label, call in calls().items() if (call.analytic.name in GALLERY) == gallery}


def peer_tasks() -> list[str]:
    """The tasks of peers, in the order in which they are asked for them."""
    repeated = "triangle_count per vertex", "pagerank steps"  # which the other tasks include
    asked = [call for call in calls_of(False).values() if call.label not in repeated]
    cheap = [call.label for call in asked if call.analytic.name not in COSTLY]
    costly = sorted((call for call in asked if call.analytic.name in COSTLY), key=_cost)
    return ["build", *cheap, *PEERS_OWN, *(call.label for call in costly)]


def _cost(call: Call) -> int:
    return COSTLY.index(call.analytic.name)


def is_left_out(label: str, graph: str) -> bool:
    """Whether a call is not measured on a generated graph, since it runs for minutes."""
    scale = graph.removeprefix("rmat").removeprefix("uniform")
    return label in LENGTHY and scale.isdigit() and int(scale) >= LENGTHY[label]


def comparator_of(label: str) -> Comparator:
    """The comparator of results of a call or a peer's task."""
    if label == SPMV:
        return Values(rtol=1e-9)
    return calls()["bfs" if label.startswith("bfs") else label].comparator
