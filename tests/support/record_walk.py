"""A random walk through everything at once: data, times, records, in-edges, observers, snapshots, failures."""

from __future__ import annotations

import copy
import pickle
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import numpy as np
from allocations import failing_after
from model import Pair, to_host
from record_model import Answers, RecordModel, assert_same_records
from recorder import Recorder
from walk import WEIGHTS, Walk

import frontier as fr
from algorithms import DynamicTriangleCount

SPAN, LATENESS = 30, 12
LONG_AGO = -(2**62)
FAILURES = 0.12  # share of updates that are tried in a way that fails, before they are made
SNAPSHOTS = 3
SMALL_PAIRS = 8  # a pair of vertices is listed often, which gives edges several records
NOTIFICATIONS = (
    "edges_inserted", "edges_changing", "edges_changed", "edges_deleting", "edges_deleted", "vertices_changed",
)  # fmt: skip
MORE_WEIGHTS = {
    "insert_again": 8, "expire": 3, "push": 6, "window": 1, "advance": 1, "apply": 6, "delete_records": 6, "assign": 2,
    "snapshot": 3, "look": 3, "observe": 2, "unobserve": 1, "throw": 1, "pickle": 0.5, "deepcopy": 0.5, "reverse": 3,
    "columns": 3, "triangles": 1,
}  # fmt: skip


class Watcher(Recorder):
    """Follows edges, and changes of them."""

    sees_changes = True
    changing: Any = None

    def edges_changing(self, src: Any, dst: Any) -> None:
        self.changing = self._pairs(src, dst)
        assert self.changing <= self.edges, "an edge changes that is not there"

    def edges_changed(self, src: Any, dst: Any) -> None:
        assert self._pairs(src, dst) == self.changing

    def edges_deleting(self, src: Any, dst: Any) -> None:
        self.leaving = None  # a deletion may have failed
        super().edges_deleting(src, dst)


class Inexact(fr.UpdateObserver):
    """Gets batches as they come."""

    exact = False

    def __init__(self, graph: Any):
        self.graph = graph
        graph.attach(self)

    def edges_inserted(self, src: Any, dst: Any) -> None:
        src, dst = to_host(self.graph, src), to_host(self.graph, dst)
        kept = src >= 0
        assert src.size == dst.size and (dst[kept] >= 0).all()

    edges_deleted = edges_inserted


class Thrower(fr.UpdateObserver):
    """Raises in one of its methods."""

    sees_changes = True

    def __init__(self, graph: Any, method: str):
        setattr(self, method, self._throw)
        graph.attach(self)

    def _throw(self, *_: Any) -> None:
        raise KeyError("for the test")


class RecordPair(Pair):
    """A graph and its model, of which everything is compared."""

    def check(self) -> None:
        assert_same_records(self.graph, self.model)


class RecordWalk(Walk):
    """A walk on a graph whose options are drawn, too."""

    pair: RecordPair

    def make_pair(self, structure: Any, num_vertices: int, **options: Any) -> Pair:
        rng = self.rng
        directed = options["directed"]
        graph_options: dict[str, Any] = {"in_edges": True} if directed and rng.random() < 0.5 else {}
        self.multi_edges, self.keep_time, columns = "last", None, {}
        if rng.random() < 0.9:
            self.multi_edges = str(rng.choice(["last", "last", "sum", "all", "all"]))
            self.keep_time = [None, "latest", "latest", "first"][int(rng.integers(4))]
            columns = {"amount": "int32"} if rng.random() < 0.7 else {}
            graph_options |= {"edge_data": columns, "multi_edges": self.multi_edges}
            graph_options |= {} if self.keep_time is None else {"time_unit": "s", "keep_time": self.keep_time}
        names = (*(() if self.keep_time is None else ("time",)), *columns)
        self.drawn = {**options, **graph_options}
        graph = structure(num_vertices, device=self.device, **self.drawn)
        model = RecordModel(num_vertices, multi_edges=self.multi_edges, keep_time=self.keep_time, columns=names,
                            directed=directed, weight_dtype=options["weight_dtype"])  # fmt: skip
        self.has_data = graph.edge_data is not None
        self.now = 0
        self.window: Any = None
        self.thrower: Any = None
        self.watchers: list[Any] = []
        self.triangles: Any = None
        self.snapshots: list[tuple[Any, RecordModel]] = []
        return RecordPair(graph, model)

    def weights_of_operations(self) -> dict[str, float]:
        left_out = {"bad_id"} if self.has_data else set()  # `refused` has such ids, and further arguments of insertions
        left_out |= set() if self.multi_edges == "all" else {"delete_records"}
        left_out |= set() if self.keep_time else {"expire", "push", "window", "advance"}
        left_out |= set() if self.multi_edges == "last" else {"apply"}
        left_out |= set() if "amount" in self.pair.model.columns and self.multi_edges == "last" else {"assign"}
        left_out |= set() if self.has_data else {"columns"}
        left_out |= {"triangles"} if self.pair.graph.directed else set()
        left_out |= set() if self.pair.graph.has_in_edges and self.pair.graph.directed else {"reverse"}
        return {name: weight for name, weight in {**WEIGHTS, **MORE_WEIGHTS}.items() if name not in left_out}

    def run(self, steps: int, check_every: int = 40) -> None:
        try:
            super().run(steps, check_every)
        except BaseException as error:
            error.add_note(f"the graph was made with {self.drawn}")
            raise

    # ---- updates ----------------------------------------------------------------------------------------------------

    def data(self, size: int, before: int = 20) -> dict[str, Any]:
        """The arguments of insertions: times around now, in no order."""
        drawn = {}
        if self.keep_time is not None:
            self.now += int(self.rng.integers(0, 4))
            drawn["time"] = self.rng.integers(self.now - before, self.now + 5, size)
        if "amount" in self.model.columns:
            drawn["amount"] = self.rng.integers(-99, 99, size).astype(np.int32)
        return drawn

    def insert(self, src: Any, dst: Any, weights: Any, **options: Any) -> None:
        if self.multi_edges != "last":
            options = {}
            if weights is not None:  # sums must be exact, and fit
                weights = self.weights(len(src), wide=False)
            if self.multi_edges == "sum" and self.rng.random() < 0.3:
                options["count"] = self.rng.integers(1, 5, len(src))
        self.update("insert_edges", np.asarray(src), np.asarray(dst), weights, **options, **self.data(len(src)))

    def update(self, name: str, *args: Any, **options: Any) -> Any:
        result = self.refused(name, args, options) if self.rng.random() < FAILURES else None
        if result is None:
            result = self.applied(getattr(self.graph, name), *args, **options)
        expected = getattr(self.model, name)(*args, **options)
        self.compare(name, result, expected)
        return result

    def applied(self, update: Any, *args: Any, **options: Any) -> Any:
        """The result of an update, also if an observer fails."""
        try:
            return update(*args, **options)
        except fr.ObserverError as error:
            for observer, failure in error.failures:
                assert isinstance(observer, Thrower) or isinstance(failure, MemoryError), str(error)
                if not isinstance(observer, Thrower):  # `failing_after` is for observers, too
                    self.release_watchers()
                    self.triangles = None
            return error.result

    def compare(self, name: str, result: Any, expected: Any) -> None:
        if name == "insert_vertices":
            assert to_host(self.graph, result).tolist() == expected
        elif name == "apply":
            self.compare_answers(result, expected)
        else:
            counts = [getattr(result, what) for what in ("inserted", "replaced", "deleted")]
            assert counts == [expected.inserted, expected.replaced, expected.deleted], f"{name}: {result}, {expected}"
        if self.multi_edges == "all" and name == "insert_edges":
            self.number(result.record_ids)

    def compare_answers(self, result: Any, expected: Answers) -> None:
        found = {name: to_host(self.graph, getattr(result, name)).tolist() for name in
                 ("answers", "weights", "offsets", "neighbors")}  # fmt: skip
        assert found["answers"] == expected.answers and found["weights"] == expected.weights
        assert [found["neighbors"][a:b] for a, b in pairwise(found["offsets"])] == expected.lists
        assert [result.inserted, result.replaced, result.deleted] == expected.totals

    def number(self, ids: Any) -> None:
        """Give the model the ids of the records of the last insertion."""
        ids = to_host(self.graph, ids).tolist()
        used = {record.id for rows in self.model.records.values() for record in rows}
        assert [i < 0 for i in ids] == [record is None for record in self.model.given]
        for i, record in zip(ids, self.model.given, strict=True):
            if record is not None:
                assert i not in used, f"the id {i} is that of two records"
                record.id = i
                used.add(i)

    def refused(self, name: str, args: tuple, options: dict[str, Any]) -> Any:
        """Try an update in a way that fails. Return None if the graph is unchanged, or the result if it did not
        fail."""
        how = str(self.rng.choice(["invalid", "memory", "search"]))
        if how == "memory" and (name == "apply" or options.get("on_existing") == "add"):
            how = "search"  # such an update may have been made in part
        update = getattr(self.graph, name)
        with ExitStack() as stack:
            if how == "invalid":
                args, options = self.made_invalid(name, args, options)
            elif how == "memory":
                stack.enter_context(failing_after(self.graph, int(self.rng.integers(0, 40))))
            else:
                thrower = Thrower(self.graph, "find_edges")
                stack.callback(lambda: self.graph.detach(thrower))
                if self.watchers:  # the first exact observer is asked
                    self.release_watchers()
            try:
                result = self.applied(update, *args, **options)
            except (ValueError, TypeError, MemoryError, KeyError):
                result = None
        assert how != "invalid" or result is None, f"{name} takes what is invalid"
        if result is None and self.rng.random() < 0.2:
            self.pair.check()
        return result

    def made_invalid(self, name: str, args: tuple, options: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """The arguments with one that is invalid at the end."""
        bad = int(self.rng.choice([*self.model.absent, -1, self.model.num_vertices]))
        if name == "expire":
            return ("soon",), {}
        if name == "insert_vertices":
            return ([*range(3), -1],), {}
        if name == "delete_records":
            return ([*args[0], max(self.model.ids(), default=0) + 1],), {}
        if name == "delete_vertices":
            return ([*args[0], bad],), {}
        *first, src, dst = args[: 3 if name == "apply" else 2]
        weights = args[len(first) + 2 :]
        longer = [np.append(np.asarray(array, np.int64), 0) for array in (src, dst)]
        longer[int(self.rng.integers(2))][-1] = bad
        if name == "apply":
            first = [np.append(first[0], np.uint8(fr.Operation.DELETE))]
        weights = tuple(None if array is None else np.append(array, array.dtype.type(1)) for array in weights)
        data = {key: np.append(value, value.dtype.type(1)) if isinstance(value, np.ndarray) else value
                for key, value in options.items()}  # fmt: skip
        return (*first, *longer, *weights), data

    def do_insert_again(self) -> None:
        """Records of few pairs."""
        size = int(self.rng.integers(0, 30))
        some, others = self.vertices(SMALL_PAIRS), self.vertices(SMALL_PAIRS)
        chosen = self.rng.integers(0, max(some.size, 1), size if some.size else 0)
        self.insert(some[chosen], others[chosen], self.weights(chosen.size, wide=False))

    def do_expire(self) -> None:
        self.update("expire", self.now - int(self.rng.integers(0, 40)))

    def do_delete_records(self) -> None:
        ids = self.model.ids()
        self.update("delete_records", self.rng.choice(ids, min(len(ids), int(self.rng.integers(0, 30)))).tolist())

    def do_apply(self) -> None:
        size = int(self.rng.integers(0, 40))
        src, dst = (self.rng.choice(ends, size) if ends.size else ends for ends in (self.vertices(9), self.vertices(9)))
        ops = self.rng.choice([fr.Operation.INSERT, fr.Operation.DELETE, *fr.Operation], src.size).astype(np.uint8)
        self.update("apply", ops, src, dst, self.weights(src.size, wide=False), **self.data(src.size))

    def do_assign(self) -> None:
        """Write to a column."""
        for shown, _ in self.snapshots:
            shown.degrees()  # ones that were not read before would show the writes
        for key, rows in list(self.model.records.items())[:3]:
            rows[0].data = rows[0].data | {"amount": 7}
            self.graph.edge_data["amount"][self.graph.edge_ids([key[0]], [key[1]])] = 7

    # ---- windows ----------------------------------------------------------------------------------------------------

    def do_window(self) -> None:
        self.window = fr.SlidingWindow(self.graph, SPAN, lateness=LATENESS)
        assert self.window.clock == max(self.model.times(), default=None), "the clock of a new window"

    def do_push(self) -> None:
        if self.window is None:
            return
        src, dst = self.pairs()
        data, weights = self.data(src.size, 50), self.weights(src.size, wide=False)
        options: dict[str, Any] = {}
        if self.multi_edges == "last":
            options = {"on_existing": str(self.rng.choice(["replace", "keep"]))}
        clock, times = self.window.clock, data["time"]
        thrower = self.thrower
        if thrower is not None and (self.multi_edges == "all" or "edges_inserted" not in vars(thrower)):
            self.graph.detach(thrower)  # if it fails when records expire, the result of the insertion is not returned
        if self.rng.random() < FAILURES:
            args, given = self.made_invalid("insert_edges", (src, dst, weights), data)
            given["time"][-1] = self.now + 1  # not late
            given["time"][:-1] = np.maximum(times, self.now - 5)
            try:
                self.window.push(*args, **options, **given)
            except ValueError:
                assert self.window.clock == clock, "a refused push moves the clock"
            else:
                raise AssertionError("a push takes an id of no vertex")
        result = self.applied(self.window.push, src, dst, weights, **options, **data)
        late_before = LONG_AGO
        if times.size:
            after = max(int(times.max()), LONG_AGO if clock is None else clock)
            late_before = max(after - SPAN + 1, LONG_AGO if clock is None else clock - LATENESS)
            clock = after
        assert self.window.clock == clock
        kept = np.flatnonzero(times >= late_before)
        data = {name: values[kept] for name, values in data.items()}
        weights = None if weights is None else weights[kept]
        done = self.model.insert_edges(src[kept], dst[kept], weights, **options, **data)
        if isinstance(result, fr.advanced.WindowResult):
            assert (result.inserted, result.replaced) == (done.inserted, done.replaced)
            assert result.late == times.size - kept.size
            if self.multi_edges == "all":
                ids = to_host(self.graph, result.record_ids)
                assert (np.delete(ids, kept) == -1).all()
                self.number(ids[kept])
            gone = 0 if clock is None else self.model.expire(clock - SPAN + 1).deleted
            assert result.expired == gone
        else:  # an observer has failed: the next call deletes the leaving records
            self.compare("insert_edges", result, done)
            self.do_advance()

    def do_advance(self) -> None:
        if self.window is not None:
            now = self.now + int(self.rng.integers(-3, 3))
            result = self.applied(self.window.advance, now)
            clock = self.window.clock
            deleted = self.model.expire(clock - SPAN + 1).deleted
            assert (result.expired if isinstance(result, fr.advanced.WindowResult) else result.deleted) == deleted

    # ---- copies and snapshots ---------------------------------------------------------------------------------------

    def replace(self, graph: Any) -> None:
        state = None if self.window is None else self.window.state()
        super().replace(graph)
        self.release_watchers()
        self.triangles = self.thrower = None
        self.snapshots = []
        if state is not None:
            self.window = fr.SlidingWindow.from_state(graph, state)

    def do_pickle(self) -> None:
        self.replace(pickle.loads(pickle.dumps(self.graph)))

    def do_deepcopy(self) -> None:
        self.replace(copy.deepcopy(self.graph))

    def do_snapshot(self) -> None:
        if len(self.snapshots) < SNAPSHOTS:
            self.snapshots.append((self.graph.snapshot(), copy.deepcopy(self.model)))

    def do_look(self) -> None:
        if self.snapshots:
            assert_same_records(*self.snapshots.pop(int(self.rng.integers(len(self.snapshots)))))

    # ---- observers --------------------------------------------------------------------------------------------------

    def release_watchers(self) -> None:
        for watcher in self.watchers:
            watcher.graph.detach(watcher)
        self.watchers = []

    def do_observe(self) -> None:
        if not self.watchers:
            edges = {(u, v) for u, v, _ in self.model.edges()}
            self.watchers = [Watcher(self.graph, edges), Inexact(self.graph)]
            self.watchers = self.watchers[int(self.rng.integers(2)) :]

    def do_unobserve(self) -> None:
        for watcher in self.watchers:
            if isinstance(watcher, Watcher):
                assert watcher.edges == {(u, v) for u, v, _ in self.model.edges()}
        self.release_watchers()

    def do_throw(self) -> None:
        """An observer that fails in the next update that notifies it."""
        self.thrower = Thrower(self.graph, str(self.rng.choice(NOTIFICATIONS)))

    def do_triangles(self) -> None:
        if self.triangles is None:
            self.triangles = DynamicTriangleCount(self.graph)
        rows = self.model.adjacency
        expected = sum(len(rows[u].keys() & rows[v].keys()) for u, v, _ in self.model.edges()) // 3
        assert self.triangles.total == expected

    # ---- queries ----------------------------------------------------------------------------------------------------

    def do_reverse(self) -> None:
        reverse = self.graph.reverse
        src, dst = self.pairs()
        there = [v in self.model.adjacency[u] for u, v in zip(src.tolist(), dst.tolist(), strict=True)]
        assert to_host(self.graph, reverse.has_edges(dst, src)).tolist() == there
        for v in self.vertices(2).tolist():
            expected = [u for u, row in enumerate(self.model.adjacency) if v in row]
            assert to_host(self.graph, reverse.neighbors(v)).tolist() == expected

    def do_columns(self) -> None:
        assert_same_records(self.graph, self.model)
