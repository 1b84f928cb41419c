"""Threads that share a graph: many may read it at once. An update waits for them, and they for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from concurrency import in_threads

import frontier as fr
from algorithms import bfs, connected_components
from frontier.core.locking import reads_both, workspace_of
from frontier.functor.freeze import is_known
from frontier.runtime.memory.elementwise import arange, fill_with
from structures import SlabGraph

THREADS = 4


def _reached(src, dst, edge, weight, seen):
    return fr.atomic_exch(seen, dst, 1) == 0


def test_threads_that_read_one_graph_get_what_one_thread_gets(structure: Any, device: str) -> None:
    edges = fr.io.rmat(9, 8, seed=4)
    graph = structure.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device=device)
    host = graph.device.to_host
    sources = [0, 3, 5, 8]
    distances = [host(bfs(graph, source).distance) for source in sources]
    labels = host(connected_components(graph).labels)
    reached = [len(fr.advance(graph, fr.Frontier(graph, [v]), _reached, graph.xp.zeros(len(graph), np.int32)))
               for v in sources]  # fmt: skip
    present = host(graph.has_edges(edges.src, edges.dst))
    sorted_edges = [host(a) for a in graph.to_coo()[:2]]

    def work(i: int) -> None:
        for _ in range(20):
            assert np.array_equal(host(bfs(graph, sources[i]).distance), distances[i])
            assert np.array_equal(host(connected_components(graph).labels), labels)
            seen = graph.xp.zeros(len(graph), np.int32)
            assert len(fr.advance(graph, fr.Frontier(graph, [sources[i]]), _reached, seen)) == reached[i]
            assert np.array_equal(host(graph.has_edges(edges.src, edges.dst)), present)
            assert all(np.array_equal(host(a), b) for a, b in zip(graph.to_coo()[:2], sorted_edges, strict=True))

    in_threads(THREADS, work)


def test_the_first_call_of_a_thread_may_be_a_launch(device: str) -> None:
    """The driver needs a context, which on a GPU a thread has once it calls the runtime: not where memory is pooled."""
    place = fr.advanced.resolve_device(device)
    spare = place.xp.empty(1000, np.int64)
    del spare  # which the threads get
    counted = in_threads(THREADS, lambda _: arange(place, 1000, np.dtype(np.int64)))
    filled = in_threads(THREADS, lambda _: fill_with(place.xp.empty(1000, np.int32), 7))
    assert all(place.to_host(each).tolist() == list(range(1000)) for each in counted)
    assert all((place.to_host(each) == 7).all() for each in filled)


def test_threads_share_a_frontier(device: str) -> None:
    edges = fr.io.rmat(9, 8, seed=4)
    graph = SlabGraph.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device=device)
    for _ in range(10):
        frontier = fr.advance(graph, fr.Frontier(graph, [0]), _reached, graph.xp.zeros(len(graph), np.int32))
        found = in_threads(THREADS, lambda _, frontier=frontier: (
            sorted(frontier.vertices.tolist()), frontier.bits.tolist(), frontier.num_arcs
        ))  # fmt: skip
        assert all(one == found[0] for one in found)


def test_readers_see_whole_batches_of_a_writer(
    structure: Any, device: str, rng: np.random.Generator, request: pytest.FixtureRequest
) -> None:
    """A model of each version is stored. Whatever a reader sees is one of them."""
    n, batches = 200, 2000 if request.config.getoption("--long", False) else 30
    graph = structure.from_edges([0], [1], num_vertices=n, device=device)
    host, to = graph.device.to_host, graph.xp.asarray
    models: dict[int, set[tuple[int, int]]] = {graph.version: {(0, 1)}}
    done = threading.Event()

    def write() -> None:
        edges = {(0, 1)}
        try:
            for _ in range(batches):
                src, dst = rng.integers(0, n, (2, 60))
                batch = {(min(u, v), max(u, v)) for u, v in zip(src.tolist(), dst.tolist(), strict=True) if u != v}
                inserting = rng.random() < 0.6
                edges = edges | batch if inserting else edges - batch
                with graph.reading():
                    version = graph.version
                models[version + 1] = edges
                (graph.insert_edges if inserting else graph.delete_edges)(to(src), to(dst))
                assert graph.version == version + 1
        finally:
            done.set()

    def read(_: int) -> int:
        looks = 0
        while not done.is_set() or not looks:
            with graph.reading():
                model = models[graph.version]
                assert graph.num_edges == len(model)
                src, dst, _ = graph.to_coo()
                found = connected_components(graph).labels
            assert set(zip(host(src).tolist(), host(dst).tolist(), strict=True)) == model
            assert host(found).tolist() == _labels(n, model)
            int(graph.degrees().sum())
            looks += 1
        return looks

    in_threads(THREADS, lambda i: write() if i == 0 else read(i))


def _labels(n: int, edges: set[tuple[int, int]]) -> list[int]:
    import networkx as nx

    model = nx.Graph()
    model.add_nodes_from(range(n))
    model.add_edges_from(edges)
    labels = [0] * n
    for component in nx.connected_components(model):
        for v in component:
            labels[v] = min(component)
    return labels


def test_an_update_waits_for_a_block_that_reads(device: str) -> None:
    graph = SlabGraph.from_edges([0], [1], num_vertices=4, device=device)
    reads, updated = threading.Event(), threading.Event()

    def update() -> None:
        reads.wait()
        graph.insert_edges([1], [2])
        updated.set()

    thread = threading.Thread(target=update)
    thread.start()
    with graph.reading():
        reads.set()
        assert not updated.wait(0.2)
        assert graph.num_edges == 1
        assert bool(graph.has_edges([0], [1])[0])  # though an update waits, current readers may continue
    thread.join(100)
    assert updated.is_set() and graph.num_edges == 2


def test_readers_do_not_keep_an_update_out(device: str) -> None:
    graph = SlabGraph.from_edges([0], [1], num_vertices=4, device=device)
    done = threading.Event()

    def work(i: int) -> None:
        if i:
            while not done.is_set():
                graph.degrees()
        else:
            for _ in range(20):
                graph.insert_edges([1], [2])
                graph.delete_edges([1], [2])
            done.set()

    in_threads(THREADS, work)


def test_an_update_by_a_thread_that_reads_raises(device: str) -> None:
    graph = SlabGraph.from_edges([0], [1], num_vertices=4, device=device)
    with graph.reading(), pytest.raises(RuntimeError, match="cannot be updated while the same thread reads it"):
        graph.insert_edges([1], [2])
    assert graph.insert_edges([1], [2]).inserted == 1


def test_observers_read_in_an_update(device: str) -> None:
    graph = SlabGraph.from_edges([0], [1], num_vertices=4, device=device)

    class Mirror(fr.UpdateObserver):
        def edges_inserted(self, src: Any, dst: Any) -> None:
            self.count = connected_components(graph).count
            copy.insert_edges(src, dst)

    copy, mirror = graph.copy(), Mirror()
    graph.attach(mirror)
    graph.insert_edges([1], [2])
    assert (graph.num_edges, copy.num_edges, mirror.count) == (2, 2, 2)


def test_memory_of_a_thread_goes_when_it_ends(device: str) -> None:
    edges = fr.io.rmat(9, 8, seed=4)
    graph = SlabGraph.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device=device)
    graph.insert_edges([0, 1], [2, 3])
    before = graph.memory_usage().reserved

    def work() -> None:
        graph.delete_edges([0, 1], [2, 3])  # allocates scratch memory
        graph.insert_edges([0, 1], [2, 3])

    for _ in range(3):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert len([ref for ref in graph._access._shares if ref() is not None]) == 1
    assert graph.memory_usage().reserved <= before + 4096


def test_an_unforeseen_end_of_an_update_closes_the_graph(structure: Any, device: str, monkeypatch: Any) -> None:
    graph = structure.from_edges([0, 1], [1, 2], num_vertices=4, device=device)
    whole = graph.copy()

    def fail(arcs: Any) -> Any:
        raise TimeoutError

    monkeypatch.setattr(graph.store, "insert", fail)
    with pytest.raises(TimeoutError):
        graph.insert_edges([2], [3])
    for use in (graph.degrees, graph.reading, lambda: graph.delete_edges([0], [1]), lambda: bfs(graph, 0)):
        with pytest.raises(RuntimeError, match="ended midway by TimeoutError"):
            use()
    assert whole.insert_edges([2], [3]).inserted == 1


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
def test_a_traversal_after_one_that_was_broken_off_is_right(monkeypatch: Any) -> None:
    """On CPUs, functors' errors break traversals off (`test_traverse_modes`)."""
    graph = SlabGraph.from_edges(np.arange(50), np.arange(1, 51), device="gpu")
    work = workspace_of(graph)
    used = work.used_epochs

    def stop(count: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(work, "used_epochs", stop)
    with pytest.raises(KeyboardInterrupt):
        bfs(graph, 0)
    monkeypatch.setattr(work, "used_epochs", used)
    assert bfs(graph, 0).distance.tolist() == list(range(51))


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
@pytest.mark.parametrize("blocking", [True, False], ids=["blocking", "non-blocking"])
def test_streams_read_and_update_one_graph(structure: Any, blocking: bool, rng: np.random.Generator) -> None:
    import cupy

    edges = fr.io.rmat(12, 8, seed=4)
    graph = structure.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device="gpu")
    streams = [cupy.cuda.Stream(non_blocking=not blocking) for _ in range(3)]
    model = {(min(e), max(e)) for e in zip(edges.src.tolist(), edges.dst.tolist(), strict=True) if e[0] != e[1]}
    for i in range(12):
        src, dst = rng.integers(0, edges.num_vertices, (2, 4000))
        batch = {(min(e), max(e)) for e in zip(src.tolist(), dst.tolist(), strict=True) if e[0] != e[1]}
        with streams[i % 3]:
            if i % 2:
                graph.delete_edges(src, dst)
            else:
                graph.insert_edges(src, dst)
        model = model - batch if i % 2 else model | batch
        found = []
        for stream in streams:
            with stream:
                found.append((bfs(graph, 0).distance, *graph.to_coo()[:2]))
        for stream, (distance, *ends) in zip(streams, found, strict=True):
            stream.synchronize()
            assert set(zip(*(end.get().tolist() for end in ends), strict=True)) == model
            assert (distance.get() == found[0][0].get()).all()


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
def test_threads_in_streams_of_their_own_read_one_graph() -> None:
    import cupy

    edges = fr.io.rmat(12, 8, seed=4)
    graph = SlabGraph.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device="gpu")
    expected = bfs(graph, 0).distance.get()

    def work(_: int) -> None:
        with cupy.cuda.Stream(non_blocking=True) as stream:
            for _ in range(20):
                distance = bfs(graph, 0).distance
                stream.synchronize()
                assert (distance.get() == expected).all()

    in_threads(THREADS, work)


@pytest.mark.parametrize("convert", [fr.interchange.to_edge_index, fr.interchange.to_scipy])
def test_conversions_wait_for_an_update(convert: Callable, device: str) -> None:
    graph = SlabGraph.from_edges([0], [1], num_vertices=3, device=device)
    convert(graph)

    class Converter(fr.UpdateObserver):
        def edges_inserted(self, src: Any, dst: Any) -> None:
            self.found = pool.submit(convert, graph)
            time.sleep(0.2)
            self.was_done = self.found.done()

    with ThreadPoolExecutor(1) as pool:
        observer = Converter()
        graph.attach(observer)
        graph.insert_edges([1], [2])
        observer.found.result()
    assert not observer.was_done


class _Context:
    """Numba's cached state of a target, which one thread at a time may bring up to date."""

    def __init__(self) -> None:
        self.inside = 0

    def refresh(self) -> None:
        self.inside += 1
        time.sleep(0.01)
        assert self.inside == 1
        self.inside -= 1

    def resolve_value_type(self, value: Any) -> None:
        raise ValueError


def test_threads_ask_numba_one_after_another() -> None:
    """Two that compile functors at once raised "generator already executing"."""
    context = _Context()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda value: is_known(context, value), range(8))) == [False] * 8


def test_functions_that_read_take_their_graph_by_name(device: str) -> None:
    graph = SlabGraph.from_edges([0, 1], [1, 2], device=device)
    everyone = fr.Frontier.all(graph)
    assert len(fr.filter(frontier=everyone, op=lambda v: v > 0)) == 2
    assert len(fr.advance(frontier=everyone, graph=graph, op=lambda src, dst, edge, weight: True)) == 3
    assert bfs(graph=graph, source=0).distance.tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match=r"filter\(\) missing 1 required positional argument: 'frontier'"):
        fr.filter(op=lambda v: v > 0)


def test_functions_of_two_graphs_read_both(device: str) -> None:
    graph, other = (SlabGraph.from_edges([0, 1], [1, 2], device=device) for _ in range(2))

    @reads_both
    def neither_can_be_updated(graph: Any, pairs: Any = None) -> int:
        refused = 0
        for read in (graph, pairs):
            if read is not None:
                with pytest.raises(RuntimeError, match="while the same thread reads it"):
                    read.insert_edges([0], [2])
                refused += 1
        return refused

    assert neither_can_be_updated(graph, other) == neither_can_be_updated(graph, pairs=other) == 2
    assert neither_can_be_updated(graph) == 1
    assert graph.insert_edges([0], [2]).inserted == other.insert_edges([0], [2]).inserted == 1
