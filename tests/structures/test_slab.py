"""Particulars of the slab graph: the invariants of its tables and its pool after every update."""

import pickle

import numpy as np
import pytest
from model import make, random_batch, to_host, work_through_batches
from walk import Walk

from frontier.runtime import gpu_available
from structures.slab import SlabGraph, batches, on_cpu
from structures.slab import store as store_module
from structures.slab.cpu_slabs import EMPTY, TOMBSTONE, bucket_of
from structures.slab.layout import CHAIN_LIMIT, LONG_CHAIN, RELAXED_BATCHES


def check_tables(graph):
    """All documented properties of the arrays of `SlabPool` and `SlabGraph`."""
    host = graph.device.to_host
    records, words = host(graph.store.records)[: graph.num_vertices], graph.store.slab_words
    keys = host(graph.store.neighbors).reshape(-1, graph.store.slab_stride)[:, :words]
    reached, lengths = [], []
    for first, buckets, degree, tombstones in records.tolist():
        found, dead = [], 0
        for bucket in range(buckets if first >= 0 else 0):
            slab, length = first + bucket, 0
            while slab >= 0:
                assert 0 <= slab < graph.store._used, "a slab that was never taken"
                reached.append(slab)
                length += 1
                row = keys[slab, : words - 1]
                live = row[row >= 0].tolist()
                assert all(bucket_of.py_func(np.int64(key), np.int64(buckets)) == bucket for key in live)
                found += live
                dead += int((row == TOMBSTONE).sum())
                free = np.flatnonzero(row == EMPTY)
                assert not free.size or (row[free[0] :] == EMPTY).all(), "a key behind the end of a slab"
                assert not free.size or keys[slab, words - 1] < 0, "a slab that has room is not the last of its chain"
                slab = int(keys[slab, words - 1])
            lengths.append(length)
        assert len(found) == len(set(found)) == degree
        assert dead == tombstones
    assert len(set(reached)) == len(reached), "a slab in two chains"
    ring = host(graph.store.ring)
    free = ring[(graph.store._free_head + np.arange(graph.store._free_count)) % ring.size].tolist()
    assert sorted(free + reached) == list(range(graph.store._used)), "a slab is lost, or is in use and free"
    unused = np.r_[np.array(free, np.int64), np.arange(graph.store._used, keys.shape[0])]
    assert (keys[unused] == EMPTY).all(), "a free slab is not empty"
    assert graph.store._tombstones == records[:, 3].sum()
    numbers = graph.statistics()
    assert (numbers["slabs"], numbers["free_slabs"], numbers["buckets"]) == (len(reached), len(free), len(lengths))
    assert host(graph.chain_lengths()).tolist() == lengths
    assert numbers["longest_chain"] == max(lengths, default=0)
    assert numbers["mean_chain"] == pytest.approx(np.mean(lengths or [0]))
    assert numbers["slab_load"] == graph.num_arcs / max(len(reached) * (words - 1), 1)


@pytest.mark.parametrize("weight_dtype", [None, "float32"])
def test_random_batches(device, directed, weight_dtype, rng):
    """Batches of every size, into random positions and hubs, whose chains grow, are rehashed, and shrink."""
    pair = make(SlabGraph, device, num_vertices=300, directed=directed, weight_dtype=weight_dtype)
    work_through_batches(pair, check_tables, rng, 3.7)


@pytest.mark.parametrize("weight_dtype", [None, "float32"])
def test_random_batches_in_parts(weight_dtype, rng, monkeypatch):
    """The same, as large batches are worked on by a CPU."""
    monkeypatch.setattr(on_cpu, "SMALL_ARCS", 9)
    monkeypatch.setattr(on_cpu, "PART", 7)
    pair = make(SlabGraph, "cpu", num_vertices=300, directed=True, weight_dtype=weight_dtype)
    work_through_batches(pair, check_tables, rng, 3.7)


def test_tables_during_a_walk(device, tries):
    walk = Walk(SlabGraph, device, 3, directed=True, vertex_dtype="int32", weight_dtype=None, operators=False)
    for _ in range(tries(10, 500)):
        walk.run(10, check_every=10)
        check_tables(walk.graph)


def test_compacted_tables_hold_no_tombstones(device, rng):
    pair = make(SlabGraph, device, *random_batch(rng, 100, 6000)[:2], num_vertices=100)
    src, dst, _ = pair.graph.to_coo()
    pair.delete(src[::6], dst[::6])
    pair.graph.compact()
    check_tables(pair.graph)
    assert pair.graph.statistics().tombstones == 0
    assert pair.graph.statistics()["free_slabs"] == 0


def test_long_chains_are_rehashed(device):
    """One vertex gains neighbors, a few at a time."""
    graph = SlabGraph(20_000, device=device, directed=True)
    longest = []
    for part in np.array_split(np.arange(1, 20_000), 40):
        graph.insert_edges(np.zeros(part.size, np.int64), part)
        longest.append(graph.statistics()["longest_chain"])
    check_tables(graph)
    assert max(longest) <= LONG_CHAIN
    assert min(longest[RELAXED_BATCHES - 2 :]) <= CHAIN_LIMIT + 1, "no batch had the lower limit"


def test_chains_stay_short_as_a_graph_grows_by_few_batches(device, rng):
    graph = SlabGraph(300, device=device, directed=True)
    for _ in range(10):
        graph.insert_edges(*rng.integers(0, 300, (2, 8000)))
    assert graph.statistics()["longest_chain"] <= 2 * CHAIN_LIMIT + 1
    check_tables(graph)


@pytest.mark.parametrize("more", [1, 5000])
def test_a_ring_that_has_begun_again_grows(device, more, rng):
    """The numbers of free slabs, the last of which wrap around to the start of the ring, stay in their order."""
    n = 4000
    ids = np.arange(n)
    graph = SlabGraph.from_edges(ids, (ids + 1) % n, num_vertices=n, directed=True, device=device)
    graph.delete_vertices(ids[10:3000])
    ring, count = graph.store.ring, graph.store._free_count
    numbers = ring[graph.store._free_head : graph.store._free_head + count].copy()
    assert count > 1000
    graph.store._free_head = int(ring.size) - count // 2
    ring[graph.store._free_head :] = numbers[: count // 2]
    ring[: count - count // 2] = numbers[count // 2 :]
    graph.store._pool_changed()
    graph.store._resize_pool(graph.store._capacity + more)
    at = (graph.store._free_head + np.arange(count)) % int(graph.store.ring.size)
    assert graph.store.ring.size == 2 * graph.store._capacity
    assert to_host(graph, graph.store.ring[graph.xp.asarray(at)]).tolist() == to_host(graph, numbers).tolist()
    check_tables(graph)
    graph.insert_edges(*rng.integers(3000, n, (2, 20_000)))
    check_tables(graph)


def test_a_loaded_pool_has_its_capacity(device, rng):
    """A graph that was read back counts the slabs of the arrays that it got, not of the empty graph that it was."""
    graph = SlabGraph(2000, device=device)
    graph.insert_edges(*random_batch(rng, 2000, 30_000)[:2])
    loaded = pickle.loads(pickle.dumps(graph))
    assert loaded.statistics() == graph.statistics()
    before = loaded.statistics().slots
    loaded.insert_edges([0], [1])
    assert loaded.statistics().slots == before


def test_free_slabs_are_reserved_before_the_pool_grows(device):
    """Released slabs count as capacity for a batch of any number of arcs."""
    n = 4000
    ids = np.arange(n)
    graph = SlabGraph.from_edges(ids, (ids + 1) % n, num_vertices=n, directed=True, device=device)
    graph.delete_vertices(ids[10:])
    slabs = graph.slot_capacity
    free = graph.statistics()["free_slabs"]
    unused = graph.slot_capacity // graph.store.slab_stride - graph.store._used
    assert free > unused + 100
    graph.insert_edges(np.zeros(8 * (unused + 100), np.int64), np.ones(8 * (unused + 100), np.int64))
    assert graph.slot_capacity == slabs
    check_tables(graph)


@pytest.mark.gpu
@pytest.mark.parametrize("most", [1 << 21, 1 << 12])
@pytest.mark.parametrize("weight_dtype", [None, "float32"])
def test_many_duplicates_on_a_gpu(most, weight_dtype, monkeypatch, rng):
    """By many thread blocks at once, whether or not they fit into the table that stays."""
    if not gpu_available():
        pytest.skip("there is no GPU")
    monkeypatch.setattr(batches, "MAX_ENTRIES", most)
    monkeypatch.setattr(batches, "ENTRIES", min(most, batches.ENTRIES))
    monkeypatch.setattr(batches, "SMALL_TO_RESOLVE", 1000)
    after_deferral, resolve = [], batches.Batches.resolve

    def resolve_deferred(*args):
        after_deferral.append(resolve(*args))
        return after_deferral[-1]

    monkeypatch.setattr(batches.Batches, "resolve", resolve_deferred)
    pair = make(SlabGraph, "gpu", [], [], num_vertices=3000, directed=True, weight_dtype=weight_dtype)
    for below in (3000, 90, 3000):
        src, dst = rng.integers(0, below, (2, 6000))
        for _ in range(2):
            pair.insert(src, dst, None if weight_dtype is None else rng.random(6000).astype(weight_dtype))
        pair.delete(src[::3], dst[::3])
    pair.check()
    assert (most == 1 << 21) in after_deferral


@pytest.mark.parametrize("weight_dtype", [None, "float32"])
def test_the_memory_of_a_large_table_of_duplicates_does_not_stay(device, weight_dtype, monkeypatch, rng):
    monkeypatch.setattr(store_module, "KEPT_ENTRIES", 64)
    monkeypatch.setattr(batches, "SMALL_TO_RESOLVE", 10)
    monkeypatch.setattr(batches, "MAX_ENTRIES", 64)
    pair = make(SlabGraph, device, [], [], num_vertices=100, weight_dtype=weight_dtype)
    for _ in range(3):
        src, dst = rng.integers(0, 100, (2, 2000))
        pair.insert(src, dst, None if weight_dtype is None else rng.random(2000).astype(weight_dtype))
    pair.check()
    assert all(
        array.nbytes < 2000 * 16 for name, array in pair.graph.store.scratch._arrays.items() if "many" in name[0]
    )
