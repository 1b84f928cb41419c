"""Copies in memory and in files."""

import json
from types import ModuleType

import numpy as np
import pytest
from graph_files import pack, unpack
from model import Pair, assert_same, make, random_batch

import frontier as fr
from frontier import Graph


@pytest.fixture
def used(new, rng, directed, weight_dtype):
    """A graph that has been through every kind of update."""
    pair = new(*random_batch(rng, 40, 300, weight_dtype), num_vertices=40, directed=directed)
    pair.insert(*random_batch(rng, 40, 200, weight_dtype))
    pair.delete(*random_batch(rng, 40, 400)[:2])
    pair.insert_vertices(5)
    pair.delete_vertices([3, 17, 41])
    return pair


def change(pair, seed):
    """Update a graph with vertices 3, 17 and 41 of 45 gone."""
    rng = np.random.default_rng(seed)
    present = np.array(pair.model.present)
    src, dst, weights = random_batch(rng, present.size, 200, pair.model.weight_dtype)
    pair.insert(present[src], present[dst], weights)
    src, dst, _ = random_batch(rng, present.size, 200)
    pair.delete(present[src], present[dst])
    pair.delete_vertices([int(present[5])])
    pair.insert_vertices(2)


def test_copy_is_the_same(used):
    assert_same(used.graph.copy(), used.model)


def test_copy_goes_its_own_way(used):
    twin = Pair(used.graph.copy(), used.model.twin())
    change(twin, 1)
    used.check()
    twin.check()
    change(used, 2)
    used.check()
    twin.check()


def arrays_of(thing, depth=3):
    """All NumPy arrays that an object and its attributes refer to."""
    if isinstance(thing, np.ndarray):
        return [thing]
    if isinstance(thing, ModuleType | type):
        return []
    parts = list(vars(thing).values()) if hasattr(thing, "__dict__") else []
    parts += thing.values() if isinstance(thing, dict) else thing if isinstance(thing, tuple | list) else []
    return [array for part in parts for array in arrays_of(part, depth - 1)] if depth else []


def test_copy_shares_no_memory(structure, rng):
    pair = make(structure, "cpu", *random_batch(rng, 40, 300, "float32"), num_vertices=40)
    pair.delete_vertices([3])
    mine, others = arrays_of(pair.graph), arrays_of(pair.graph.copy())
    assert mine and others
    assert not any(np.may_share_memory(a, b) for a in mine for b in others)


def test_copy_of_an_empty_graph(new):
    pair = new(num_vertices=3)
    twin = pair.graph.copy()
    pair.insert([0], [1])
    assert twin.num_edges == 0
    pair.check()


def test_copy_has_no_observers(new):
    class Observer(fr.UpdateObserver):
        seen = 0

        def edges_inserted(self, src, dst):
            self.seen += 1

    pair = new([0], [1], num_vertices=4)
    observer = Observer()
    pair.graph.attach(observer)
    pair.graph.copy().insert_edges([1], [2])
    assert observer.seen == 0
    pair.graph.insert_edges([1], [2])
    assert observer.seen == 1


def test_file_holds_the_same(used, tmp_path):
    used.graph.save(tmp_path / "graph")
    loaded = type(used.graph).load(tmp_path / "graph", device=used.graph.device.kind)
    assert type(loaded) is type(used.graph)
    assert loaded.vertex_dtype == used.graph.vertex_dtype
    assert_same(loaded, used.model)


def test_a_loaded_graph_can_be_changed(used, tmp_path):
    used.graph.save(str(tmp_path / "graph.npz"))
    loaded = Pair(Graph.load(str(tmp_path / "graph.npz"), device=used.graph.device.kind), used.model.twin())
    change(used, 3)
    change(loaded, 4)
    loaded.check()
    used.check()


@pytest.mark.parametrize("vertex_dtype", ["int32", "int64"])
def test_file_keeps_the_vertex_dtype(new, tmp_path, vertex_dtype):
    pair = new([0, 1], [1, 2], num_vertices=4, vertex_dtype=vertex_dtype)
    pair.graph.save(tmp_path / "graph")
    loaded = Graph.load(tmp_path / "graph", device=pair.graph.device.kind)
    assert loaded.vertex_dtype == vertex_dtype
    assert_same(loaded, pair.model)


def test_file_of_an_empty_graph(new, tmp_path):
    pair = new(num_vertices=0)
    pair.graph.save(tmp_path / "graph")
    assert_same(Graph.load(tmp_path / "graph", device=pair.graph.device.kind), pair.model)


def test_file_of_the_other_device(used, tmp_path):
    used.graph.save(tmp_path / "graph")
    moved = Graph.load(tmp_path / "graph", device="cpu")
    assert_same(moved, used.model)
    moved.save(tmp_path / "graph")
    back = Graph.load(tmp_path / "graph", device=used.graph.device.kind)
    assert back.device == used.graph.device
    assert_same(back, used.model)


def test_file_of_another_structure(structure, tmp_path):
    class Other(structure):
        name = "other"

    make(structure, "cpu", [0], [1]).graph.save(tmp_path / "graph")
    with pytest.raises(ValueError, match=structure.name):
        Other.load(tmp_path / "graph", device="cpu")


def test_no_file(structure, tmp_path):
    with pytest.raises(FileNotFoundError):
        structure.load(tmp_path / "nothing")


def _truncated(path):
    path.write_bytes(path.read_bytes()[:200])


def _an_array(path):
    with open(path, "wb") as file:
        np.save(file, np.arange(3))


def _with_header(**changes):
    def rewrite(path):
        header, arrays = unpack(path)
        pack(path, header | changes, arrays)

    return rewrite


def _first_format(path):
    with open(path, "wb") as file:
        np.savez(file, header=np.array(json.dumps({"format": 1, "structure": "csr"})), offsets=np.zeros(1, np.int64))


BROKEN = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("0 1\n1 2\n"),
    "truncated": _truncated,
    "an array": _an_array,
    "first format": _first_format,
    "other arrays": lambda path: np.savez(path, a=np.arange(3)),
    "another format": _with_header(format=999),
    "unknown structure": _with_header(structure="nobody's"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_files(structure, tmp_path, kind):
    path = tmp_path / "graph.npz"
    make(structure, "cpu", [0, 1], [1, 2]).graph.save(path)
    BROKEN[kind](path)
    with pytest.raises(ValueError, match=r"graph\.npz is no valid graph file: "):
        structure.load(path, device="cpu")


def test_a_file_of_the_first_format_is_named_as_such(tmp_path):
    _first_format(tmp_path / "old.npz")
    with pytest.raises(ValueError, match=r"old\.npz .*earlier version"):
        Graph.load(tmp_path / "old.npz", device="cpu")
