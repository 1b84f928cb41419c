"""A model of graphs with data on edges: times, columns, and what several records of an edge mean."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from model import Model, assert_same, to_host

import frontier as fr
from frontier.core.results import UpdateResult


@dataclass
class Record:
    """A record of an edge, or an edge: its weight and its data, and the number of records that it represents."""

    weight: Any
    data: dict[str, Any]
    count: int = 1
    id: int | None = None


@dataclass
class Answers:
    """The fields of `MixedResult`."""

    answers: list[int] = field(default_factory=list)
    weights: list[Any] = field(default_factory=list)
    lists: list[list[int]] = field(default_factory=list)
    totals: list[int] = field(default_factory=lambda: [0, 0, 0])


class RecordModel(Model):
    """`Model` with the records of each edge, oldest first. With ``multi_edges="all"``, an edge is the sum of all.

    Parameters
    ----------
    multi : {"last", "sum", "all"}
    keep_time : {"latest", "first"}, optional
        None for graphs without times.
    columns : tuple of str
        The columns of edge data, the time among them.
    """

    def __init__(
        self, num_vertices: int, *, multi_edges: str = "last", keep_time: str | None = None,
        columns: tuple[str, ...] = (), **options: Any,
    ):  # fmt: skip
        super().__init__(num_vertices, **options)
        self.multi_edges, self.keep_time, self.columns = multi_edges, keep_time, columns
        self.records: dict[tuple[int, int], list[Record]] = {}
        self.given: list[Record | None] = []  # the records of the last insertion, by position

    def edge(self, key: tuple[int, int]) -> Record | None:
        """An edge as its columns have it."""
        held = self.records.get(key)
        if held is None:
            return None
        return self._added_up(held)

    def _added_up(self, rows: list[Record]) -> Record:
        """The record that counts, with the sums of all."""
        counting = rows[0 if self.keep_time == "first" else -1]
        weight = sum((record.weight for record in rows[1:]), rows[0].weight)
        return replace(counting, weight=weight, count=sum(record.count for record in rows))

    def insert_edges(
        self, src: Any, dst: Any, weights: Any = None, *, on_existing: str = "replace", count: Any = None, **data: Any
    ) -> UpdateResult:  # fmt: skip
        kind = np.dtype(np.float32) if self.weight_dtype is None else self.weight_dtype
        weights = np.ones(len(src), kind) if weights is None else np.asarray(weights).astype(kind)
        batch: dict[tuple[int, int], list[Record]] = {}
        self.given = []
        for i, (u, v) in enumerate(zip(src, dst, strict=True)):
            values = {name: column[i].item() for name, column in data.items()}
            record = Record(weights[i], values, 1 if count is None else int(count[i]))
            self.given.append(None if u == v else record)
            if u != v:
                batch.setdefault(self._key(int(u), int(v)), []).append(record)
        done = [self._insert(key, self._by_time(rows), on_existing) for key, rows in batch.items()]
        return UpdateResult(*(done.count(what) for what in ("inserted", "replaced", "deleted")))

    def _insert(self, key: tuple[int, int], rows: list[Record], on_existing: str) -> str:
        """Insert the records of one edge, and return the effect on it."""
        old = self.records.get(key)
        if self.multi_edges == "all":
            self._hold(key, self._by_time([*(old or []), *rows]))
            return "replaced" if old else "inserted"
        new = (
            self._added_up(rows) if self.multi_edges == "sum" else replace(rows[0 if self.keep_time == "first" else -1])
        )
        if old is None:
            if on_existing == "add" and not new.weight > 0:
                return "nothing"
            self._hold(key, [new])
            return "inserted"
        held = old[0]
        if on_existing == "keep":
            return "nothing"
        new.id = held.id
        outdated = self._is_outdated(held, new)
        if outdated:
            new.data = held.data
        if self.multi_edges == "sum":
            new.weight, new.count = new.weight + held.weight, new.count + held.count
        elif on_existing == "add":
            new.weight = new.weight + held.weight
            if not new.weight > 0:
                self._drop(key)
                return "deleted"
        elif outdated:
            new = held
        self._hold(key, [new])
        return "replaced"

    def _is_outdated(self, held: Record, new: Record) -> bool:
        if self.keep_time is None:
            return False
        first, then = held.data["time"], new.data["time"]
        return first <= then if self.keep_time == "first" else first > then

    def _by_time(self, rows: list[Record]) -> list[Record]:
        return rows if self.keep_time is None else sorted(rows, key=lambda r: r.data["time"])

    def _hold(self, key: tuple[int, int], rows: list[Record]) -> None:
        self.records[key] = rows
        self._set(*key, self.edge(key).weight)  # type: ignore[union-attr]

    def _drop(self, key: tuple[int, int]) -> None:
        super()._remove(*key)
        del self.records[key]

    def _remove(self, u: int, v: int) -> None:
        self._drop(self._key(u, v))

    def expire(self, before: int) -> UpdateResult:
        return self._keep_only(lambda record: record.data["time"] >= before)

    def delete_records(self, ids: Any) -> UpdateResult:
        gone = set(ids)
        return self._keep_only(lambda record: record.id not in gone)

    def _keep_only(self, stays: Any) -> UpdateResult:
        deleted = 0
        for key, rows in list(self.records.items()):
            left = [record for record in rows if stays(record)]
            if not left:
                self._drop(key)
                deleted += 1
            elif len(left) < len(rows):
                self._hold(key, left)
        return UpdateResult(deleted=deleted)

    def apply(self, ops: Any, src: Any, dst: Any, weights: Any = None, **data: Any) -> Answers:
        before = {key: rows[0].id for key, rows in self.records.items()}
        found = Answers()
        for i, op in enumerate(ops.tolist()):
            u, v = int(src[i]), int(dst[i])
            answer, weight, listed = 0, 0, []
            if op == fr.Operation.INSERT:
                given = None if weights is None else weights[i : i + 1]
                done = self.insert_edges([u], [v], given, **{name: column[i : i + 1] for name, column in data.items()})
                answer = done.inserted
                found.totals[0] += done.inserted
                found.totals[1] += done.replaced
            elif op == fr.Operation.DELETE:
                answer = self.delete_edges([u], [v]).deleted
                found.totals[2] += answer
            elif op in (fr.Operation.DEGREE, fr.Operation.NEIGHBORS):
                answer = len(self.adjacency[u])
                listed = sorted(self.adjacency[u]) if op == fr.Operation.NEIGHBORS else []
            else:
                answer = int(v in self.adjacency[u])
                weight = self.adjacency[u][v] if op == fr.Operation.WEIGHT and answer else 0
            found.answers.append(answer)
            found.weights.append(weight if self.weight_dtype is not None or not weight else 1)
            found.lists.append(listed)
        for key, rows in self.records.items():  # an edge that is deleted and inserted retains its id
            rows[0].id = before.get(key)
        return found

    def ids(self) -> list[int]:
        """The ids of all records."""
        return [record.id for rows in self.records.values() for record in rows]  # type: ignore[misc]

    def times(self) -> list[int]:
        return [record.data["time"] for rows in self.records.values() for record in rows]


def assert_same_records(graph: Any, model: RecordModel) -> None:
    """Raise AssertionError unless a graph shows the contents of the model, the data of edges and records included."""
    assert_same(graph, model)
    if graph.edge_data is None:
        return
    keys = list(model.records)
    ends = np.array(keys, np.int64).reshape(-1, 2).T
    edges = [model.edge(key) for key in keys]
    ids = to_host(graph, graph.edge_ids(*ends))
    assert len(set(ids.tolist())) == len(keys), "two edges with one id"
    assert not keys or 0 <= ids.min() <= ids.max() < graph.edge_capacity
    if model.multi_edges != "all":
        for key, rows, now in zip(keys, model.records.values(), ids.tolist(), strict=True):
            assert rows[0].id in (None, now), f"{key} had the id {rows[0].id}, and now has {now}"
            rows[0].id = now
    if graph.has_in_edges:
        assert to_host(graph, graph.reverse.edge_ids(*ends[::-1])).tolist() == ids.tolist()
    for name in model.columns:
        found = to_host(graph, graph.edge_data[name])[ids].tolist()
        assert found == [edge.data[name] for edge in edges], name  # type: ignore[union-attr]
    if model.multi_edges != "last":
        found = to_host(graph, graph.edge_data["count"])[ids].tolist()
        assert found == [edge.count for edge in edges], "count"  # type: ignore[union-attr]
    if model.multi_edges == "all":
        _assert_same_lists(graph, model, ends)


def _assert_same_lists(graph: Any, model: RecordModel, ends: Any) -> None:
    every = [record for rows in model.records.values() for record in rows]
    assert graph.num_records == len(every)
    offsets, ids = (to_host(graph, part) for part in graph.records(*ends))
    found = [ids[low:high].tolist() for low, high in pairwise(offsets)]
    assert found == [[record.id for record in rows] for rows in model.records.values()], "the records of edges"
    columns = {name: to_host(graph, column)[ids].tolist() for name, column in graph.record_data.items()}
    for name in model.columns:
        assert columns[name] == [record.data[name] for record in every], f"{name} of records"
    if model.weight_dtype is not None:
        assert columns["weight"] == [record.weight for record in every], "weights of records"
    owners = [to_host(graph, part).tolist() for part in graph.record_endpoints(ids)]
    assert list(zip(*owners, strict=True)) == [key for key, rows in model.records.items() for _ in rows]
