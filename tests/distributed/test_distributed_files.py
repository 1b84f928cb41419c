"""Files of distributed graphs, read by any number of partitions."""

from __future__ import annotations

import json

import numpy as np
import pytest
from distributed_cases import host
from model import random_batch

from frontier.distributed import DistributedGraph, ThreadEngine
from frontier.distributed.partition import owners
from structures import Hornet, SlabGraph


@pytest.mark.parametrize("readers", [1, 2, 3, 5])
def test_files_are_read_by_any_number_of_parts(engine, readers, tmp_path):
    graph = DistributedGraph(Hornet, 30, weight_dtype="int32", engine=engine)
    src, dst = random_batch(np.random.default_rng(2), 30, 120)[:2]
    graph.insert_edges(src, dst, np.arange(120))
    graph.delete_vertices([3, 20])
    graph.save(tmp_path / "graph")
    graph.insert_edges([0], [1], [-7])
    graph.save(tmp_path / "graph")
    assert len(list((tmp_path / "graph").iterdir())) == engine.size + 1
    with ThreadEngine(readers, engine.hosts[0].comm.device) as others:
        found = DistributedGraph.load(tmp_path / "graph", engine=others)
        assert found.num_edges == graph.num_edges and found.weight_dtype == np.int32
        for ours, theirs in zip(found.to_coo(), graph.to_coo(), strict=True):
            assert ours.tolist() == theirs.tolist()
        assert found.has_vertices([2, 3, 20]).tolist() == [True, False, False]
        found.insert_vertices([3])
        assert found.insert_edges([3], [4], [2]).inserted == 1
        assert np.array_equal(np.flatnonzero(found.degrees() == 0), [20])


@pytest.mark.parametrize("readers", [1, 3])
def test_options_of_the_structure_stay(engine, readers, tmp_path):
    graph = DistributedGraph(SlabGraph, 30, engine=engine, load_factor=0.5)
    graph.insert_edges([0, 1, 2], [3, 4, 5])
    graph.save(tmp_path)
    with ThreadEngine(readers, engine.hosts[0].comm.device) as others:
        found = DistributedGraph.load(tmp_path, engine=others)
        assert found.run(load_factor_of) == 0.5
        assert found.num_edges == 3


def load_factor_of(part):
    return part.local.load_factor


def test_a_graph_that_was_loaded_goes_on(engine, tmp_path):
    graph = DistributedGraph(SlabGraph, 30, directed=True, in_edges=True, engine=engine)
    graph.insert_edges(np.arange(29), np.arange(1, 30))
    graph.save(tmp_path)
    found = DistributedGraph.load(tmp_path, engine=engine)  # as many partitions: files are read as they are
    assert found.insert_edges([0, 5], [9, 6]).inserted == 1
    assert found.to_coo()[0].size == found.num_edges == 30 == found.in_degrees().sum()


def test_a_failed_save_leaves_the_folder_as_it_was(engine, tmp_path, monkeypatch):
    graph = DistributedGraph(SlabGraph, 30, engine=engine)
    graph.insert_edges([0, 1, 2, 3], [4, 5, 6, 7])
    graph.save(tmp_path)
    before = sorted(tmp_path.iterdir())
    last, original = engine.hosts[-1].objects[graph._key].local, SlabGraph.save

    def fail(self, path):
        if self is last:
            raise OSError(f"{path}: no space left")
        original(self, path)

    monkeypatch.setattr(SlabGraph, "save", fail)
    with pytest.raises(OSError, match="no space left"):
        graph.save(tmp_path)
    assert sorted(tmp_path.iterdir()) == before
    assert DistributedGraph.load(tmp_path, engine=engine).num_edges == 4


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}'])
def test_other_files_are_refused(engine, tmp_path, text):
    (tmp_path / "graph.json").write_text(text)
    with pytest.raises(ValueError, match="not a list of a graph's files"):
        DistributedGraph.load(tmp_path, engine=engine)
    with pytest.raises(FileNotFoundError):
        DistributedGraph.load(tmp_path / "none", engine=engine)


@pytest.mark.parametrize("written", [1, 2])
def test_files_by_another_rule_of_ownership(engine, tmp_path, monkeypatch, written):
    """Arcs go to their new owners: from files of format 1, when each vertex had a separate owner, and later ones."""
    monkeypatch.setattr(owners, "TOGETHER", 0)
    rng = np.random.default_rng(5)
    graph = DistributedGraph(SlabGraph, 500, engine=engine)
    graph.insert_edges(*rng.integers(0, 500, (2, 900)))
    graph.delete_vertices([3, 400])
    graph.save(tmp_path)
    if written == 1:
        text = json.loads((tmp_path / "graph.json").read_text())
        del text["together"]
        (tmp_path / "graph.json").write_text(json.dumps(text | {"format": 1}))
    expected = host(graph.degrees()), graph.num_edges
    monkeypatch.setattr(owners, "TOGETHER", 4)
    loaded = DistributedGraph.load(tmp_path, engine=engine)
    assert loaded.num_edges == expected[1]
    np.testing.assert_array_equal(host(loaded.degrees()), expected[0])
    owned = loaded.run(arcs_of_others)
    assert owned == 0


def arcs_of_others(part):
    """Arcs on a partition from vertices that it does not own."""
    degrees = host(part.local.degrees())
    degrees[host(part.partition.owned)] = 0
    return part.comm.reduce_numbers([int(degrees.sum())])[0]
