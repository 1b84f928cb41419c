"""Histories of graphs, drawn at random, that incremental analytics follow and are compared with recomputation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from community_verifiers import verify_communities, verify_frequent_labels
from verifiers import host, verify_distances

import frontier as fr
from algorithms import analytics
from algorithms.comparators import edges_of
from algorithms.shortest_path_tree import unreached_of

KNOWN = {name: known for times in (False, True) for name, known in analytics(times=times).items()
         if known.static and known.incremental}  # fmt: skip
"""The analytics of the catalogue that have both forms."""

MAX_VERTICES = 24
# How often each operation comes up.
OPERATIONS = {
    "insert": 8, "delete": 6, "delete_vertices": 4, "return_vertices": 5, "grow": 2, "mixed": 2, "expire": 1,
    "nothing": 1, "refused": 2, "attach": 3, "close": 1, "copy": 1, "compact": 0.3, "clear": 0.3,
}  # fmt: skip


class Followed:
    """An incremental analytic, and its expected result.

    Parameters
    ----------
    name : str
    graph : DynamicGraph
        Which it follows.
    one : Graph
        The same graph, on one device, for the recomputation.
    """

    def __init__(self, name: str, graph: Any, one: Any, rng: np.random.Generator):
        self.known, self.one = KNOWN[name], one
        present = present_in(one)
        self.settings = self.known.settings(
            source=int(rng.choice(present)) if present.size else 0, k=int(rng.integers(2, 6)), tol=1e-9,
            delta=int(rng.integers(8)),
        )  # fmt: skip
        self.personalization: np.ndarray | None = None
        if name == "pagerank" and present.size and rng.random() < 0.3:
            self.personalization = np.zeros(one.num_vertices)
            self.personalization[present] = rng.integers(0, 3, present.size)
            self.personalization[present[0]] = 1
        self.made = self.known.maintain(graph, **self.settings, **self._jumps())

    def vertices_changed(self) -> None:
        """Vertices that are deleted have no share of the jumps when they return."""
        if self.personalization is not None:
            jumps = np.zeros(self.one.num_vertices)
            jumps[: self.personalization.size] = self.personalization
            jumps[~np.isin(np.arange(jumps.size), present_in(self.one))] = 0
            self.personalization = jumps

    def check(self) -> None:
        found = [np.array(host(value)) for value in self.known.read(self.made)]
        source = self.settings.get("source")
        if source is not None and source not in present_in(self.one):
            assert (found[0] == unreached_of(found[0].dtype)).all()
            return
        if source is not None:
            verify_distances(self.one, source, self.made, hops=self.known.name == "bfs")
        static = self.known.compute(self.one, **self._sources(), **self._jumps())
        expected = [np.array(host(value)) for value in self.known.read(static)]
        comparator = self.known.comparator_for(**self.settings)
        edges = edges_of(self.one) if comparator.needs_edges else None
        result = comparator.compare(tuple(found), tuple(expected), edges=edges)
        assert result.agrees, f"{result.text}: {found} instead of {expected}"
        if self.known.name == "louvain":
            verify_communities(self.one, self.made)
        elif self.known.name == "label_propagation":
            verify_frequent_labels(self.one, self.made)
        elif self.known.headline is not None and edges is None:  # of several valid results, numbers may differ
            name = self.known.headline[0]
            assert int(getattr(self.made, name)) == int(getattr(static, name)), name

    def _sources(self) -> dict[str, Any]:
        """The settings of the static form, which would draw other sources from other vertices."""
        sources = getattr(self.made, "sources", None)
        return self.settings if sources is None else self.settings | {"k": None, "sources": host(sources)}

    def _jumps(self) -> dict[str, Any]:
        jumps = self.personalization
        return {} if jumps is None or not jumps.sum() else {"personalization": jumps}


def present_in(graph: Any) -> np.ndarray:
    """The vertices of a graph that are not deleted, on the host."""
    return np.flatnonzero(host(graph.has_vertices(np.arange(graph.num_vertices))))


@dataclass
class Followers:
    """A graph, the same graph on one device (which may be the graph itself), and the analytics that follow it."""

    graph: Any
    one: Any
    analytics: list[Followed] = field(default_factory=list)


class History:
    """Updates drawn from a seed, and analytics that come and go.

    Parameters
    ----------
    make : function of the number of vertices
        Makes the graph. `one`, if given, makes the same on one device.
    names : sequence of str
        The analytics. Ones that cannot follow the graph are left out.
    """

    def __init__(self, seed: int, make: Callable[[int], Any], names: Any, one: Callable[[int], Any] | None = None):
        self.rng = np.random.default_rng(seed)
        self.done: list[str] = []
        n = int(self.rng.integers(0, 13))
        graph = make(n)
        twin = graph if one is None else one(n)
        self.names = [name for name in names if not KNOWN[name].obstacle(twin)]
        self.followed = [Followers(graph, twin)]
        self.weighted = graph.weight_dtype is not None
        self.timed = twin.time_unit is not None
        self.reads = float(self.rng.choice([1, 0.5]))  # how often results are read
        names_of = list(OPERATIONS)
        shares = np.array([OPERATIONS[name] for name in names_of])
        first = ("insert", "delete_vertices", "attach")  # each, or not
        self.drawn = [name for name in first if self.rng.random() < 0.7]
        self.drawn += self.rng.choice(names_of, int(self.rng.integers(3, 14)), p=shares / shares.sum()).tolist()

    def run(self) -> int:
        """Make all steps, and return their number."""
        try:
            for name in self.drawn:
                each = self.followed[int(self.rng.integers(len(self.followed)))]
                self.done.append(name)
                getattr(self, f"do_{name}")(each)
                for other in self.followed:
                    for analytic in other.analytics:
                        if self.rng.random() < self.reads or name == "copy":
                            self.last = analytic
                            analytic.check()
        except BaseException as error:
            last = getattr(self, "last", None)
            error.add_note(f"{'; '.join(self.done)}: {last and (last.made, last.settings, last.personalization)}")
            raise
        return len(self.drawn)

    # ---- random steps -----------------------------------------------------------------------------------------------

    def update(self, each: Followers, name: str, *args: Any, **values: Any) -> None:
        """Update the graph, and its twin."""
        self.done[-1] += f" {name}{args}{values or ''}".replace("array", "").replace("\n", "")
        result = getattr(each.graph, name)(*args, **values)
        if each.one is not each.graph:
            other = getattr(each.one, name)(*args, **values)
            if isinstance(result, fr.advanced.UpdateResult):
                assert result == other
        for analytic in each.analytics:
            analytic.vertices_changed()

    def ids(self, each: Followers, count: int) -> np.ndarray:
        present = present_in(each.one)
        if not present.size:
            return present
        return present[(present.size * self.rng.random(count) ** self.rng.choice([1, 2])).astype(np.int64)]

    def batch(self, each: Followers) -> tuple[list[int], list[int]]:
        size = int(self.rng.choice([0, 1, 1, 2, 3, 8, 20]))
        return self.ids(each, size).tolist(), self.ids(each, size).tolist()

    def values(self, size: int, *, least: int = 0) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if self.weighted:
            values["weights"] = self.rng.integers(least, 5, size).tolist()
        if self.timed:
            values["time"] = self.rng.integers(0, 20, size).tolist()
        return values

    # ---- operations -------------------------------------------------------------------------------------------------

    def do_insert(self, each: Followers) -> None:
        src, dst = self.batch(each)
        multi_edges = getattr(each.one, "multi_edges", "last")
        rule = "replace" if multi_edges != "last" else str(self.rng.choice(["replace", "replace", "keep", "add"]))
        if not self.weighted and rule == "add":
            rule = "keep"
        values = self.values(len(src), least=-3 if rule == "add" else 0)
        self.update(each, "insert_edges", src, dst, **values, on_existing=rule)

    def do_delete(self, each: Followers) -> None:
        src, dst = self.batch(each)
        if self.rng.random() < 0.6:
            known = [host(ends) for ends in each.one.to_coo()[:2]]
            some = self.rng.permutation(known[0].size)[: int(self.rng.integers(1, 6))]
            src, dst = src + known[0][some].tolist(), dst + known[1][some].tolist()
        self.update(each, "delete_edges", src, dst)

    def do_delete_vertices(self, each: Followers) -> None:
        self.update(each, "delete_vertices", self.ids(each, int(self.rng.integers(1, 4))).tolist())

    def do_return_vertices(self, each: Followers) -> None:
        """Deleted ones, some of the existing ones, or as many as before. Usually with edges at once."""
        n = each.one.num_vertices
        if self.rng.random() < 0.5:
            ids = self.rng.integers(0, max(n, 1), int(self.rng.integers(1, 5))).tolist()
        else:
            ids = np.setdiff1d(np.arange(n), present_in(each.one)).tolist()
        if not n:
            return
        self.update(each, "insert_vertices", ids)
        if ids and self.rng.random() < 0.8:
            self.update(each, "insert_edges", ids, self.ids(each, len(ids)).tolist(), **self.values(len(ids)))

    def do_grow(self, each: Followers) -> None:
        n = each.one.num_vertices
        if n > MAX_VERTICES:
            return
        if self.rng.random() < 0.5:
            self.update(each, "insert_vertices", int(self.rng.integers(0, 5)))
        else:
            self.update(each, "insert_vertices", [int(self.rng.integers(n, n + 4))])

    def do_mixed(self, each: Followers) -> None:
        src, dst = self.batch(each)
        if each.graph is not each.one or getattr(each.one, "multi_edges", "last") != "last":
            return
        ops = self.rng.choice([int(fr.Operation.INSERT), int(fr.Operation.DELETE)], len(src))
        self.update(each, "apply", ops.tolist(), src, dst, **self.values(len(src)))

    def do_expire(self, each: Followers) -> None:
        if self.timed:
            self.update(each, "expire", int(self.rng.integers(0, 20)))

    def do_nothing(self, each: Followers) -> None:
        name = str(self.rng.choice(["insert_edges", "delete_edges", "insert_vertices", "delete_vertices"]))
        values = self.values(0) if name == "insert_edges" else {}
        self.update(each, name, *([] for _ in range(1 + name.endswith("edges"))), **values)

    def do_refused(self, each: Followers) -> None:
        """An id that is no vertex's."""
        src, dst = self.batch(each)
        absent = np.setdiff1d(np.arange(each.one.num_vertices + 2), present_in(each.one))
        src, dst = [*src, int(self.rng.choice(absent))], [*dst, 0]
        name = str(self.rng.choice(["insert_edges", "delete_edges", "delete_vertices"]))
        values = self.values(len(src)) if name == "insert_edges" else {}
        self.done[-1] += f" {name} {src} {dst}"
        for graph in {id(each.graph): each.graph, id(each.one): each.one}.values():
            try:
                getattr(graph, name)(src, *([dst] if name.endswith("edges") else []), **values)
            except ValueError:
                continue
            raise AssertionError(f"{name} takes an id that is no vertex's")

    def do_attach(self, each: Followers) -> None:
        """Some of the analytics, or all of them."""
        names = self.names if self.rng.random() < 0.5 else self.rng.permutation(self.names)[:2].tolist()
        present = present_in(each.one)
        for name in names:
            if not (present.size or not KNOWN[name].takes_source):
                continue
            try:
                each.analytics.append(Followed(name, each.graph, each.one, self.rng))
            except NotImplementedError:  # it follows no distributed graph
                assert each.graph is not each.one
        self.done[-1] += f" {names}"

    def do_close(self, each: Followers) -> None:
        if each.analytics:
            each.analytics.pop(int(self.rng.integers(len(each.analytics)))).made.close()

    def do_copy(self, each: Followers) -> None:
        """The copy diverges, while analytics stay with the original."""
        if len(self.followed) < 3 and each.graph is each.one:
            copied = each.graph.copy()
            self.followed.append(Followers(copied, copied))
            self.do_attach(self.followed[-1])

    def do_compact(self, each: Followers) -> None:
        each.one.compact()  # distributed graphs have nothing of the kind

    def do_clear(self, each: Followers) -> None:
        """All vertices are deleted, and come back."""
        self.update(each, "delete_vertices", present_in(each.one).tolist())
        self.update(each, "insert_vertices", each.one.num_vertices)
