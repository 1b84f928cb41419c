"""Graphs that store every record of an edge (``multi_edges="all"``), against a model that is a dict of lists."""

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest
from exhaustion import exhausted
from graph_files import pack, unpack
from hypothesis import given
from hypothesis import strategies as st
from model import edge_key, to_host
from payments import payments, totals

import frontier as fr
from algorithms import DynamicPageRank, DynamicTemporalTriangleCount, pagerank, temporal_triangle_count, triangle_count
from dynfrontier import Pipeline
from frontier.interchange import to_dataframe, to_networkx
from structures import CSR, SlabGraph

N = 12


class Pair:
    """A graph, and the records of each edge, oldest first: number, time, weight, channel, by id."""

    def __init__(
        self, structure, device, *, time_unit=None, keep_time="latest", weight_dtype=None, channel=False, **options
    ):
        self.graph = structure(
            N, time_unit=time_unit, keep_time=keep_time, weight_dtype=weight_dtype, multi_edges="all", device=device,
            edge_data={"channel": "int32"} if channel else None, **options,
        )  # fmt: skip
        self.timed, self.weighted, self.channel = time_unit is not None, weight_dtype is not None, channel
        self.rows, self.edge_of, self.seen, self.absent = {}, {}, 0, set()

    key = edge_key

    def lists(self):
        found = {}
        for i in sorted(self.rows, key=lambda i: (self.rows[i][1], self.rows[i][0])):
            found.setdefault(self.edge_of[i], []).append(i)
        return found

    def insert(self, src, dst, times, weights, channels):
        before = self.lists().keys()
        options = {"weights": np.array(weights, self.graph.weight_dtype)} if self.weighted else {}
        options |= {"time": times} if self.timed else {}
        options |= {"channel": channels} if self.channel else {}
        result = self.graph.insert_edges(src, dst, **options)
        ids = to_host(self.graph, result.record_ids).tolist()
        assert len(ids) == len(src) and [i < 0 for i in ids] == [u == v for u, v in zip(src, dst, strict=True)]
        for i, u, v, *row in zip(ids, src, dst, times, weights, channels, strict=True):
            if i >= 0:
                assert i not in self.rows
                self.rows[i] = [self.seen, row[0] if self.timed else 0, row[1], row[2]]
                self.edge_of[i] = self.key(u, v)
                self.seen += 1
        touched = {self.edge_of[i] for i in ids if i >= 0}
        assert result.inserted == len(touched - before) and result.replaced == len(touched & before)
        assert result.records_inserted == sum(i >= 0 for i in ids) and result.records_deleted == 0

    def forget(self, result, gone):
        edges = len(self.lists())
        for i in gone:
            del self.rows[i], self.edge_of[i]
        assert result.deleted == edges - len(self.lists()) and result.records_deleted == len(gone)

    def delete_edges(self, src, dst):
        listed = {self.key(u, v) for u, v in zip(src, dst, strict=True)}
        gone = [i for i in self.rows if self.edge_of[i] in listed]
        self.forget(self.graph.delete_edges(src, dst), gone)

    def delete_records(self, ids):
        self.forget(self.graph.delete_records(ids), set(ids))

    def expire(self, before):
        self.forget(self.graph.expire(before), [i for i, row in self.rows.items() if row[1] < before])

    def delete_vertices(self, ids):
        self.forget(self.graph.delete_vertices(ids), [i for i in self.rows if {*self.edge_of[i]} & {*ids}])
        self.graph.insert_vertices(ids)

    def again(self, kind, path):
        graph = self.graph
        if kind == "file":
            graph.save(path)
        self.graph = {
            "copy": lambda: copy.copy(graph), "pickle": lambda: pickle.loads(pickle.dumps(graph)),
            "file": lambda: fr.Graph.load(path, device=graph.device.kind),
            "reverse": lambda: graph.reverse.copy().reverse.copy() if graph.has_in_edges else graph.copy(),
        }[kind]()  # fmt: skip

    def check(self):
        graph, lists = self.graph, self.lists()
        assert graph.num_edges == len(lists) and graph.num_records == len(self.rows)
        u, v = zip(*lists, strict=True) if lists else ((), ())
        u, v = np.array([*u, 0], int), np.array([*v, 0], int)
        degrees = np.bincount(u[:-1], minlength=graph.num_vertices)
        degrees += 0 if graph.directed else np.bincount(v[:-1], minlength=graph.num_vertices)
        assert to_host(graph, graph.degrees()).tolist() == degrees.tolist()
        offsets, ids = (to_host(graph, part) for part in graph.records(u, v))
        found = [ids[low:high].tolist() for low, high in pairwise(offsets)]
        assert found == [*lists.values(), []]
        of_edges = {name: to_host(graph, column) for name, column in graph.edge_data.items()}
        of_records = {name: to_host(graph, column) for name, column in graph.record_data.items()}
        edges = to_host(graph, graph.edge_ids(u, v))[:-1]
        assert of_edges["count"][edges].tolist() == [len(records) for records in lists.values()]
        walks = {"next": ("first", 1), "previous": ("last", -1)}
        for edge, records in zip(edges.tolist(), lists.values(), strict=True):
            for link, (start, step) in walks.items():
                walked, at = [], of_edges[start][edge]
                while at >= 0:
                    assert of_records["edge"][at] == edge
                    walked.append(int(at))
                    at = of_records[link][at]
                assert walked == records[::step]
        counting = [records[0 if graph.keep_time == "first" else -1] for records in lists.values()]
        every = list(self.rows)
        for name, place in (("time", 1), ("channel", 3)):
            if name in of_records:
                assert of_records[name][every].tolist() == [row[place] for row in self.rows.values()]
                assert of_edges[name][edges].tolist() == [self.rows[i][place] for i in counting]
        if self.weighted:
            assert of_records["weight"][every].tolist() == [row[2] for row in self.rows.values()]
            sums = [sum(self.rows[i][2] for i in records) for records in lists.values()]
            assert of_edges["weight"][edges].tolist() == sums
            assert to_host(graph, graph.edge_weights(u[:-1], v[:-1])).tolist() == sums
        ends = [to_host(graph, part).tolist() for part in graph.record_endpoints(every)]
        assert list(zip(*ends, strict=True)) == list(self.edge_of.values())
        if graph.has_in_edges and graph.directed:
            offsets, ids = (to_host(graph, part) for part in graph.reverse.records(v, u))
            assert ids.tolist() == [i for records in lists.values() for i in records]
            ends = [to_host(graph, part).tolist() for part in graph.reverse.record_endpoints(every)[::-1]]
            assert list(zip(*ends, strict=True)) == list(self.edge_of.values())
            assert to_host(graph, graph.in_degrees()).tolist() == np.bincount(v[:-1], minlength=N).tolist()


OPTIONS = {
    "plain": {}, "times": {"time_unit": "s"}, "all": {"time_unit": "s", "weight_dtype": "float64", "channel": True},
    "first": {"time_unit": "s", "weight_dtype": "float64", "keep_time": "first", "channel": True},
    "weights": {"weight_dtype": "int64"}, "wide": {"time_unit": "s", "channel": True, "vertex_dtype": "int64"},
}  # fmt: skip


@pytest.mark.sampled("orientation", "options", of=7)
@pytest.mark.parametrize("options", OPTIONS)
def test_random_updates(structure, device, orientation, options, rng, tmp_path, tries):
    pair = Pair(structure, device, **OPTIONS[options], **orientation)
    for step in range(tries(40, 2000)):
        kind = rng.random()
        if kind < 0.5:
            size = int(rng.integers(0, 60))
            ends, times = rng.integers(0, N, (2, size)).tolist(), rng.integers(4 * step - 20, 4 * step + 10, size)
            pair.insert(*ends, times.tolist(), rng.integers(-9, 9, size).tolist(), rng.integers(0, 99, size).tolist())
        elif kind < 0.65 and pair.rows:
            pair.delete_records(rng.choice(list(pair.rows), int(rng.integers(0, 30))).tolist())
        elif kind < 0.75 and pair.timed:
            pair.expire(4 * step - int(rng.integers(0, 30)))
        elif kind < 0.85:
            pair.delete_edges(*rng.integers(0, N, (2, 12)).tolist())
        elif kind < 0.9:
            pair.delete_vertices([int(rng.integers(0, N))])
        elif kind < 0.93:
            pair.graph.compact()
        else:
            pair.again(["copy", "pickle", "file", "reverse"][step % 4], tmp_path / "graph.npz")
        pair.check()


FEW = st.integers(0, 3)  # few vertices, so edges have many records
RECORD = st.tuples(FEW, FEW, st.integers(-3, 3), st.integers(-5, 5), st.integers(0, 9))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), st.lists(RECORD, max_size=12)),
        st.tuples(st.just("delete_records"), st.lists(st.integers(0, 99), max_size=8)),
        st.tuples(st.just("delete_edges"), st.lists(st.tuples(FEW, FEW), max_size=3)),
        st.tuples(st.just("expire"), st.integers(-4, 4)),
        st.tuples(st.just("delete_vertices"), FEW),
        st.tuples(st.just("again"), st.sampled_from(["copy", "pickle", "file"])),
    ),
    max_size=12,
)  # fmt: skip


@pytest.mark.parametrize("structure", [CSR, SlabGraph])
@given(steps=STEPS, options=st.sampled_from(["weights", "all", "first"]), directed=st.booleans())
def test_walks(structure, device, tmp_path_factory, steps, options, directed):
    """Records are inserted, late or not, and deleted from the middle of lists."""
    path = tmp_path_factory.getbasetemp() / "walk.npz"
    pair = Pair(structure, device, directed=directed, **OPTIONS[options])
    for kind, given_ in steps:
        if kind == "insert":
            pair.insert(*(map(list, zip(*given_, strict=True)) if given_ else [[]] * 5))
        elif kind == "delete_records" and pair.rows:
            pair.delete_records([sorted(pair.rows)[i % len(pair.rows)] for i in given_])
        elif kind == "delete_edges":
            pair.delete_edges(*(zip(*given_, strict=True) if given_ else [[]] * 2))
        elif kind == "expire" and pair.timed:
            pair.expire(given_)
        elif kind == "delete_vertices":
            pair.delete_vertices([given_])
        elif kind == "again":
            pair.again(given_, path)
        pair.check()


# ---- what users see -------------------------------------------------------------------------------------------------


def test_functors_walk_the_records_of_an_edge(device):
    graph = payments(device)
    for start, expected in ((0, [11, 15, 4, 0]), (20, [9, 13, 4, 0]), (31, [0, 0, 0, 0])):
        assert to_host(graph, totals(graph, start)).tolist() == expected


def test_built_from_edges(structure, device, orientation, rng):
    """As if its edges had been inserted. Its table makes the same graph again."""
    src, dst, times = *rng.integers(0, N, (2, 300)), rng.integers(0, 50, 300)
    options = {"num_vertices": N, "multi_edges": "all", "device": device, "time_unit": "s", **orientation}
    weights, channels = rng.integers(0, 9, 300).astype(float), rng.integers(0, 9, 300)
    graph = structure.from_edges(src, dst, weights, time=times, edge_data={"channel": channels}, **options)
    pair = Pair(structure, device, time_unit="s", weight_dtype="float64", channel=True, **orientation)
    pair.insert(*(part.tolist() for part in (src, dst, times, weights, channels)))
    pair.graph = graph
    pair.check()
    frame = to_dataframe(graph)
    assert list(frame.columns) == ["src", "dst", "weight", "time", "channel"] and len(frame) == graph.num_records
    again = structure(
        N,
        time_unit="s",
        weight_dtype="float64",
        edge_data={"channel": "int64"},
        multi_edges="all",
        device=device,
        **orientation,
    )
    again.insert_edges(frame["src"], frame["dst"], frame["weight"], time=frame["time"], channel=frame["channel"])
    assert to_dataframe(again).equals(frame)
    edges = to_dataframe(graph, records=False)
    assert len(edges) == graph.num_edges and edges["count"].sum() == graph.num_records
    assert "first" not in edges.columns


def test_edges_have_what_they_have_when_records_add_up(device, directed, rng):
    """Degrees, triangles and columns are as with ``multi_edges="sum"``."""
    kinds = [
        SlabGraph(N, multi_edges=multi_edges, time_unit="s", weight_dtype="int32", edge_data={"channel": "int32"},
                  directed=directed, device=device)
        for multi_edges in ("sum", "all")
    ]  # fmt: skip
    for step in range(6):
        src, dst, times = *rng.integers(0, N, (2, 40)), rng.integers(10 * step - 15, 10 * step, 40)
        for graph in kinds:
            graph.insert_edges(src, dst, np.full(40, step), time=times, channel=np.arange(40))
            graph.delete_edges(src[:5], dst[:5])
    summed, kept = kinds
    assert to_dataframe(kept, records=False).equals(to_dataframe(summed))
    assert to_host(kept, kept.degrees()).tolist() == to_host(summed, summed.degrees()).tolist()
    if not directed:
        assert triangle_count(kept).total == triangle_count(summed).total > 0
    assert dict(to_networkx(kept).edges) == dict(to_networkx(summed).edges)
    assert (summed.record_data, summed.num_records, summed.record_capacity) == (None, None, None)
    assert kept.num_records <= kept.record_capacity and "multi_edges='all'" in repr(kept)


@pytest.mark.parametrize("length", [{"span": 20}, {"count": 30}, {"batches": 2}])
def test_sliding_windows_of_records(device, length, rng):
    """Each record leaves on its own, and its edge with the last one."""
    pair = Pair(SlabGraph, device, time_unit="s", weight_dtype="float64")
    window = fr.SlidingWindow(pair.graph, **length)
    arrived = []
    for step in range(12):
        size = int(rng.integers(1, 25))
        src, dst, times = *rng.integers(0, N, (2, size)), rng.integers(10 * step - 12, 10 * step + 8, size)
        result = window.push(src, dst, np.ones(size), **({"time": times} if "span" in length else {}))
        if "span" in length:
            late = set(to_host(pair.graph, result.late_records).tolist())
            arrived += [(u, v, t) for i, (u, v, t) in enumerate(zip(src, dst, times, strict=True)) if i not in late]
            start = window.clock - 20
        elif "count" in length:
            arrived += [(u, v, len(arrived) + i) for i, (u, v) in enumerate(zip(src, dst, strict=True))]
            start = len(arrived) - 31
        else:
            arrived += [(u, v, step) for u, v in zip(src, dst, strict=True)]
            start = step - 2
        live = sorted((*pair.key(u, v), t) for u, v, t in arrived if t > start and u != v)
        ids = used_ids(pair.graph)
        ends = (to_host(pair.graph, part).tolist() for part in pair.graph.record_endpoints(ids))
        found = to_host(pair.graph, pair.graph.record_data["time"])[ids].tolist()
        assert sorted(zip(*ends, found, strict=True)) == live


def used_ids(graph):
    _, ids = graph.records(*graph.to_coo()[:2])
    assert ids.size == graph.num_records
    return to_host(graph, ids)


def test_pipelines_take_the_columns_of_records(device):
    graph = SlabGraph(4, weight_dtype="float64", edge_data={"channel": "int32"}, multi_edges="all", device=device)
    items = [{"src": [0, 1], "dst": [1, 0], "weights": [1.0, 2.0], "channel": [3, 4]}] * 3
    with Pipeline(items, graph) as pipeline:
        for _ in pipeline:
            pass
    assert (graph.num_edges, graph.num_records) == (1, 6)
    assert to_host(graph, graph.edge_weights([0], [1])).tolist() == [9]


class Follower(fr.UpdateObserver):
    """The weight, count and time of all edges, from notifications only."""

    sees_changes = True

    def __init__(self, graph):
        self.graph, self.rows, self.changed = graph, {}, 0
        self.changing = None  # the edges that were announced to change
        graph.attach(self)

    def read(self, src, dst):
        graph = self.graph
        ids = to_host(graph, graph.edge_ids(src, dst))
        assert (ids >= 0).all() and len(np.unique(ids)) == ids.size
        values = (to_host(graph, graph.edge_data[name])[ids].tolist() for name in ("weight", "count", "time"))
        ends = zip(*(to_host(graph, side).tolist() for side in (src, dst)), strict=True)
        return dict(zip(ends, zip(*values, strict=True), strict=True))

    def edges_inserted(self, src, dst):
        rows = self.read(src, dst)
        assert not rows.keys() & self.rows.keys()
        self.rows |= rows

    def edges_changing(self, src, dst):
        rows = self.read(src, dst)
        assert rows.items() <= self.rows.items()
        self.changing = rows.keys()

    def edges_changed(self, src, dst):
        rows = self.read(src, dst)
        assert rows.keys() == self.changing
        self.changing = None
        self.rows |= rows
        self.changed += len(rows)

    def edges_deleting(self, src, dst):
        for key, row in self.read(src, dst).items():
            assert self.rows.pop(key) == row


class Loose(fr.UpdateObserver):
    """The weights of all arcs, from notifications of an observer of unfiltered arcs."""

    exact = False

    def __init__(self, graph):
        self.graph, self.weights = graph, {}
        graph.attach(self)

    def edges_inserted(self, src, dst):
        weights = to_host(self.graph, self.graph.edge_weights(src, dst)).tolist()
        self.weights |= dict(zip(zip(src.tolist(), dst.tolist(), strict=True), weights, strict=True))

    def edges_deleted(self, src, dst):
        for arc in zip(src.tolist(), dst.tolist(), strict=True):
            del self.weights[arc]


@pytest.mark.slow
@pytest.mark.parametrize("keep_time", ["latest", "first"])
def test_observers_see_edges_that_come_change_and_go(device, keep_time, rng):
    graph = SlabGraph(N, time_unit="s", keep_time=keep_time, weight_dtype="float64", multi_edges="all", device=device)
    follower, loose = Follower(graph), Loose(graph)
    triangles, ranks = DynamicTemporalTriangleCount(graph, delta=15), DynamicPageRank(graph)
    for step in range(8):
        src, dst = rng.integers(0, N, (2, 40))
        graph.insert_edges(src, dst, rng.integers(1, 9, 40), time=rng.integers(10 * step - 30, 10 * step, 40))
        graph.expire(10 * step - 25)
        graph.delete_records(rng.choice(used_ids(graph), 15))
        graph.delete_edges(src[:3], dst[:3])
        graph.delete_vertices([step])
        graph.insert_vertices([step])
        whole = follower.read(*graph.to_coo()[:2])
        assert whole == follower.rows
        assert loose.weights == {arc: row[0] for (u, v), row in whole.items() for arc in ((u, v), (v, u))}
        assert triangles.total == temporal_triangle_count(graph, 15).total
        np.testing.assert_allclose(
            to_host(graph, ranks.pagerank), to_host(graph, pagerank(graph, tol=1e-10).pagerank), atol=1e-4
        )
    assert follower.changed


# ---- memory, mistakes and files -------------------------------------------------------------------------------------

ACTS = {
    "insert": lambda pair: pair.graph.insert_edges(
        np.arange(200) % N, np.arange(200) % 7, np.ones(200), time=np.arange(200) // 2
    ),
    "delete_records": lambda pair: pair.graph.delete_records([i for i in pair.rows if i % 3]),
    "delete_edges": lambda pair: pair.graph.delete_edges([0, 1, 2, 3], [1, 2, 3, 5]),
    "expire": lambda pair: pair.graph.expire(40),
    "delete_vertices": lambda pair: pair.graph.delete_vertices([3]),
}  # fmt: skip


@pytest.mark.sampled(by="file")
@pytest.mark.parametrize("act", ACTS)
def test_exhausted_memory_leaves_all_as_it_was(structure, device, act, rng):
    pair = Pair(structure, device, time_unit="s", weight_dtype="float64", directed=True, in_edges=True)
    pair.insert(*rng.integers(0, N, (2, 300)).tolist(), rng.integers(0, 99, 300).tolist(), [1] * 300, [0] * 300)
    pair.check()
    expected = ACTS[act](copy_of(pair))  # compiles its kernels
    for step in range(400):
        pair.graph = pair.graph.copy()  # without the scratch memory of earlier steps
        try:
            with exhausted(pair.graph, step):
                result = ACTS[act](pair)
        except MemoryError:
            pair.check()
            continue
        break
    else:
        pytest.fail("memory was never enough")
    assert (step or device == "gpu") and result == expected


def copy_of(pair):
    twin = copy.copy(pair)
    twin.graph = pair.graph.copy()
    return twin


def test_ids_of_deleted_records_are_used_again(device):
    graph = SlabGraph(50, multi_edges="all", time_unit="s", device=device)
    for step in range(30):
        graph.insert_edges(np.arange(40), np.arange(40) // 2 + 10, time=np.arange(40) + 40 * step)
        graph.expire(40 * step)
    assert graph.record_capacity <= 100 and graph.edge_capacity <= 100
    usage, sizes = graph.memory_usage(), graph.statistics().bytes
    assert sizes["record.time"] == 8 * graph.record_capacity and usage.used <= usage.reserved
    twin = graph.copy()
    twin.insert_edges([0], [1], time=[10**6])
    assert twin.num_records == graph.num_records + 1 and graph.copy().memory_usage().used < usage.reserved


def test_mistakes(device):
    graph = payments(device)
    before = to_dataframe(graph)
    other = SlabGraph(3, multi_edges="sum", device=device)
    for error, text, call in (
        (ValueError, r"ids\[1\] is 4, the id of no record \(1 such ids\)", lambda: graph.delete_records([0, 4])),
        (ValueError, r"ids\[0\] is -1, the id of no record", lambda: graph.record_endpoints([-1])),
        (TypeError, "ids must contain integer", lambda: graph.delete_records([0.5])),
        (ValueError, "src", lambda: graph.records([9], [0])),
        (ValueError, "stores no records; make it with multi_edges='all'", lambda: other.records([0], [1])),
        (ValueError, "stores no records", lambda: other.delete_records([0])),
        (ValueError, "stores no records", lambda: SlabGraph(3, device=device).record_endpoints([0])),
        (ValueError, "stores none", lambda: to_dataframe(other, records=True)),
        (ValueError, "no meaning with multi_edges='all'",
         lambda: graph.insert_edges([0], [1], time=[1], on_existing="add")),
        (ValueError, "not for multi_edges='all'", lambda: graph.apply([0], [0], [1], time=[1])),
        (TypeError, "got count=", lambda: graph.insert_edges([0], [1], time=[1], count=[2])),
        (TypeError, "needs time=", lambda: graph.insert_edges([0], [1])),
        (ValueError, "dst", lambda: graph.insert_edges([0, 1], [1, 9], time=[1, 2])),
        (ValueError, "same length", lambda: graph.insert_edges([0, 1], [1, 2], time=[1])),
        (TypeError, "read-only", lambda: payments(device, directed=True, in_edges=True).reverse.delete_records([0])),
        *((ValueError, f"{name!r}, the name of a column of multi_edges='all'",
           lambda name=name: SlabGraph(3, multi_edges="all", edge_data={name: "int32"}, device=device))
          for name in ("count", "first", "last", "next", "previous")),
    ):  # fmt: skip
        with pytest.raises(error, match=text):
            call()
    assert to_dataframe(graph).equals(before)
    assert graph.delete_records([]).records_deleted == 0 == graph.insert_edges([], [], time=[]).records_inserted


def test_sums_that_do_not_fit(device):
    """Neither an insertion nor a deletion may overflow. Nothing has changed then."""
    most = 2**31 - 1
    graph = SlabGraph(3, multi_edges="all", weight_dtype="int32", time_unit="s", device=device)
    graph.insert_edges([0, 0, 0], [1, 1, 1], [most, 5, -9], time=[1, 2, 0])
    for call in (lambda: graph.expire(1), lambda: graph.delete_records([2]),
                 lambda: graph.insert_edges([0], [1], [9], time=[3])):  # fmt: skip
        with pytest.raises(ValueError, match="weights: multi_edges='all' makes a sum that does not fit in int32"):
            call()
        assert to_host(graph, graph.records([0], [1])[1]).tolist() == [2, 0, 1]
        assert to_host(graph, graph.edge_weights([0], [1])).tolist() == [most - 4]
    assert graph.delete_records([2, 1]).records_deleted == 2


def test_sums_of_infinities(device):
    graph = SlabGraph(3, multi_edges="all", weight_dtype="float64", device=device)
    graph.insert_edges([0, 0], [1, 1], [1, np.inf])
    for weights in ([-np.inf], [np.inf, -np.inf]):
        with pytest.raises(ValueError, match="weights: multi_edges='all' makes a sum of infinities of both signs"):
            graph.insert_edges([0] * len(weights), [1] * len(weights), weights)
    assert graph.delete_records([1]).records_deleted == 1
    assert to_host(graph, graph.edge_weights([0], [1])).tolist() == [1]


HARM = {
    "multi_edges": lambda header, arrays: header.update(multi_edges="both"),
    "count": lambda header, arrays: arrays["column.count"].__setitem__(0, 4),
    "huge": lambda header, arrays: arrays["column.count"].__setitem__(slice(None), 2**62),
    "negative": lambda header, arrays: arrays["column.count"].__setitem__(0, -(2**63)),
    "id": lambda header, arrays: arrays["record_ids"].__setitem__(0, 99),
    "twice": lambda header, arrays: arrays["record_ids"].__setitem__(0, arrays["record_ids"][1]),
    "free": lambda header, arrays: arrays["record_free_ids"].__setitem__(0, 0),
    "order": lambda header, arrays: arrays["record.time"].__setitem__(3, 99),
    "nan": lambda header, arrays: arrays["record.weight"].__setitem__(0, np.nan),
    "short": lambda header, arrays: arrays.update({"record.time": arrays["record.time"][:2]}),
    "missing": lambda header, arrays: arrays.pop("record_ids"),
    "further": lambda header, arrays: arrays.update({"record.next": arrays["record_ids"]}),
}


@pytest.mark.parametrize("harm", HARM)
def test_files_that_would_do_harm(harm, tmp_path):
    graph, path = payments("cpu"), tmp_path / "graph.npz"
    graph.delete_records([1])
    graph.save(path)
    header, arrays = unpack(path)
    pack(path, header, arrays)
    assert to_dataframe(fr.Graph.load(path, device="cpu")).equals(to_dataframe(graph))
    HARM[harm](header, arrays)
    pack(path, header, arrays)
    with pytest.raises(ValueError, match=r"graph\.npz is no valid graph file"):
        fr.Graph.load(path, device="cpu")
