"""`statistics` and `compact`: the same of every structure."""

from __future__ import annotations

import numpy as np
import pytest
from model import make, random_batch, snapshot

from frontier.advanced import StorageStatistics
from frontier.core.files import stored_arrays


@pytest.mark.parametrize("weight_dtype", [None, "float32", "float64"])
def test_statistics(structure, device, weight_dtype, rng):
    pair = make(structure, device, num_vertices=200, weight_dtype=weight_dtype)
    check_statistics(pair.graph)
    for _ in range(3):
        pair.insert(*random_batch(rng, 200, 2000, weight_dtype))
        check_statistics(pair.graph)
        pair.delete(*random_batch(rng, 200, 3000)[:2])
        check_statistics(pair.graph)
    pair.graph.compact()
    check_statistics(pair.graph)
    assert pair.graph.statistics().tombstones == 0


def check_statistics(graph):
    found = graph.statistics()
    assert type(found) is StorageStatistics and found.structure == graph.name
    assert 0 <= found.used == graph.num_arcs <= found.slots - found.tombstones
    assert found.load == found.used / max(found.slots, 1) <= 1
    assert found.bytes == {name: array.nbytes for name, array in stored_arrays(graph.store)}
    assert found.total_bytes == sum(found.bytes.values()) <= graph.memory_usage().reserved
    assert all(found[name] == value for name, value in found.details.items())
    assert str(found).startswith(f"{graph.name}\n") and f"{found.used:,} of {found.slots:,} used" in str(found)


def test_compaction_changes_nothing_but_slots(structure, device, directed, rng):
    """Objects of an earlier version are outdated, since slots have changed."""
    pair = make(structure, device, num_vertices=300, directed=directed, weight_dtype="float32")
    pair.insert(*random_batch(rng, 300, 20_000, "float32"))
    pair.delete(*random_batch(rng, 300, 60_000)[:2])
    pair.graph.delete_vertices([7])
    before, version = snapshot(pair.graph), pair.graph.version
    assert pair.graph.compact() is None
    assert snapshot(pair.graph)[1:] == before[1:] and pair.graph.version > version
    assert not pair.graph.has_vertices([7])[0]


def test_compaction_without_memory_changes_nothing(structure, rng, monkeypatch):
    """It either gets its memory, or raises."""
    graph = structure.from_edges(*random_batch(rng, 300, 5000)[:2], num_vertices=300, device="cpu")
    graph.delete_edges(*random_batch(rng, 300, 50_000)[:2])
    before = snapshot(graph)

    def no_memory(*_, **__):
        raise MemoryError("none left")

    for name in ("_new_pool", "_allocate", "_grow", "_resize_pool"):
        if hasattr(structure.store_type, name):
            monkeypatch.setattr(structure.store_type, name, no_memory)
    version = graph.version
    try:
        graph.compact()
        assert graph.version > version  # it needs none
    except MemoryError as error:
        assert "none left" in str(error) and graph.version == version
    monkeypatch.undo()
    assert snapshot(graph)[1:] == before[1:]
    graph.insert_edges(*random_batch(rng, 300, 5000)[:2])
    assert np.array_equal(graph.degrees(), np.diff(graph.to_csr().offsets))
