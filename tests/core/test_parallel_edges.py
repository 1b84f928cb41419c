"""Graphs whose edges add up their records: counts and sums, against a model that stores every record."""

from collections import defaultdict

import numpy as np
import pytest
from graph_files import pack, unpack
from model import edge_key, to_host, twin_of

import frontier as fr
from algorithms import triangle_count
from frontier.interchange import to_dataframe
from structures import CSR, SlabGraph

N = 18


class Multigraph:
    """A graph, and a list of the records of each edge: time, value, weight, number."""

    def __init__(self, structure, device, keep, **options):
        self.graph = structure(
            N, time_unit="s", keep_time=keep, edge_data={"value": "int32"}, weight_dtype="int64", multi_edges="sum",
            device=device, **options,
        )  # fmt: skip
        self.keep = keep
        self.records = defaultdict(list)

    key = edge_key

    def insert(self, rng, size, now):
        src, dst, times = *rng.integers(0, N, (2, size)), rng.integers(now - 20, now + 10, size)
        values, weights, numbers = rng.integers(0, 99, size), rng.integers(-5, 9, size), rng.integers(1, 4, size)
        counted = {"count": numbers} if now % 3 else {}
        before = len(self.records)
        result = self.graph.insert_edges(src, dst, weights, time=times, value=values, **counted)
        touched = set()
        for u, v, *record in zip(*(part.tolist() for part in (src, dst, times, values, weights, numbers)), strict=True):
            if u != v:
                self.records[self.key(u, v)].append((*record[:3], record[3] if counted else 1))
                touched.add(self.key(u, v))
        assert result.inserted == len(self.records) - before
        assert result.inserted + result.replaced == len(touched)

    def counting(self, records):
        """The record that counts: with equal times the last one, or the first."""
        return min(records, key=lambda r: r[0]) if self.keep == "first" else max(records[::-1], key=lambda r: r[0])

    def delete(self, keys):
        for key in keys:
            self.records.pop(key, None)

    def check(self):
        graph = self.graph
        assert graph.num_edges == len(self.records) and graph.multi_edges == "sum"
        if not self.records:
            return
        ends = np.array(list(self.records)).T
        ids = graph.edge_ids(*ends)
        found = {name: to_host(graph, column[ids]).tolist() for name, column in graph.edge_data.items()}
        rows = list(self.records.values())
        assert found["count"] == [sum(record[3] for record in records) for records in rows]
        assert found["weight"] == [sum(record[2] for record in records) for records in rows]
        assert to_host(graph, graph.edge_weights(*ends)).tolist() == found["weight"]
        counting = [self.counting(records)[:2] for records in rows]
        assert list(zip(found["time"], found["value"], strict=True)) == counting


@pytest.mark.sampled("orientation", "keep", of=7)
@pytest.mark.parametrize("keep", ["latest", "first"])
def test_random_updates(structure, device, orientation, keep, rng, tmp_path, tries):
    pair = Multigraph(structure, device, keep, **orientation)
    path = tmp_path / "graph.npz"
    for step in range(tries(30, 1000)):
        kind, now = rng.random(), 4 * step
        if kind < 0.6:
            pair.insert(rng, int(rng.integers(0, 60)), now)
        elif kind < 0.7:
            gone = [key for key, records in pair.records.items() if pair.counting(records)[0] < now - 12]
            assert pair.graph.expire(now - 12).deleted == len(gone)
            pair.delete(gone)
        elif kind < 0.85:
            src, dst = rng.integers(0, N, (2, 25))
            pair.graph.delete_edges(src, dst)
            pair.delete([pair.key(u, v) for u, v in zip(src.tolist(), dst.tolist(), strict=True)])
        elif kind < 0.9:
            pair.graph.delete_vertices([5])
            pair.graph.insert_vertices([5])
            pair.delete([key for key in pair.records if 5 in key])
        else:
            pair.graph = twin_of(pair.graph, step, path)
        pair.check()


def test_built_from_edges(device, directed):
    """As if its edges had been inserted. Its table makes the same graph again."""
    ends, weights = ([0, 1, 0, 2, 2, 3], [1, 0, 1, 2, 3, 0]), np.array([0.5, 0.25, 2, 9, 1, 3], np.float32)
    graph = SlabGraph.from_edges(*ends, weights, multi_edges="sum", directed=directed, device=device)
    assert graph.num_edges == (4 if directed else 3)
    ids = graph.edge_ids([0, 2], [1, 3])
    assert to_host(graph, graph.edge_data["count"][ids]).tolist() == [2 if directed else 3, 1]
    assert to_host(graph, graph.edge_data["weight"][ids]).tolist() == [2.5 if directed else 2.75, 1]
    again = SlabGraph(4, multi_edges="sum", weight_dtype="float32", directed=directed, device=device)
    frame = to_dataframe(graph)
    again.insert_edges(frame["src"], frame["dst"], frame["weight"], count=frame["count"])
    assert to_dataframe(again).equals(frame)


def test_degrees_and_triangles_are_of_distinct_neighbors(device):
    graph = CSR(4, multi_edges="sum", device=device)
    for _ in range(3):
        graph.insert_edges([0, 1, 2, 0, 2], [1, 2, 0, 1, 3])
    assert to_host(graph, graph.degrees()).tolist() == [2, 2, 3, 1] and triangle_count(graph).total == 1
    assert to_host(graph, graph.edge_data["count"][graph.edge_ids([0, 2], [1, 3])]).tolist() == [6, 3]
    assert "multi_edges='sum'" in repr(graph) and graph.edge_weights([0], [1]).tolist() == [1]


def test_sums_that_do_not_fit(device):
    """Nothing has changed then."""
    for dtype, most in (("int32", 2**31 - 1), ("int64", 2**63 - 1)):
        graph = SlabGraph(3, multi_edges="sum", weight_dtype=dtype, device=device)
        graph.insert_edges([0], [1], np.array([most], dtype))
        for src, dst, weights in (([0], [1], [1]), ([1, 2], [2, 1], [most, 1]), ([1, 1], [2, 2], [-most, -2])):
            with pytest.raises(
                ValueError, match=f"weights: multi_edges='sum' makes a sum that does not fit in {dtype}"
            ):
                graph.insert_edges(src, dst, np.array(weights, dtype))
            assert graph.num_edges == 1 and graph.edge_weights([0], [1]).tolist() == [most]
        graph.insert_edges([1, 1], [0, 0], np.array([-most, most], dtype))
        assert graph.edge_weights([0], [1]).tolist() == [most]


def test_bad_arguments(device):
    graph = SlabGraph(3, multi_edges="sum", weight_dtype="float32", device=device)
    for error, text, call in (
        (
            ValueError,
            "multi_edges must be one of 'last', 'sum'",
            lambda: SlabGraph(3, multi_edges="both", device=device),
        ),
        (ValueError, "'count', the name of", lambda: SlabGraph(3, multi_edges="sum", edge_data={"count": "int64"})),
        (ValueError, "on_existing='keep' has no meaning", lambda: graph.insert_edges([0], [1], on_existing="keep")),
        (ValueError, "count must contain numbers", lambda: graph.insert_edges([0], [1], count=[0])),
        (ValueError, "same length", lambda: graph.insert_edges([0], [1], count=[1, 2])),
        (ValueError, "apply\\(\\) is for graphs", lambda: graph.apply([0], [0], [1])),
        (TypeError, "got count=", lambda: SlabGraph(3, edge_data={}, device=device).insert_edges([0], [1], count=[1])),
    ):
        with pytest.raises(error, match=text):
            call()
    assert graph.num_edges == 0 and SlabGraph(3, device=device).multi_edges == "last"


def test_bad_files(tmp_path):
    graph = SlabGraph(4, multi_edges="sum", device="cpu")
    graph.insert_edges([0], [1])
    path = tmp_path / "graph.npz"
    graph.save(path)
    header, arrays = unpack(path)
    pack(path, header | {"multi_edges": "both"}, arrays)
    with pytest.raises(ValueError, match="multi_edges is 'both'"):
        fr.Graph.load(path)
