"""Batches for which one partition has no memory: all partitions refuse them, for each failing allocation."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from allocations import ALLOCATORS
from distributed_cases import memory_is_tight

from frontier.distributed import DistributedGraph, ThreadEngine
from frontier.distributed.engines import threads
from frontier.features.mixed.operations import DEGREE, DELETE, HAS_EDGE, INSERT, NEIGHBORS
from structures import SlabGraph

N, M = 40, 600
LARGE = 500
"""Bytes of an allocation that may fail: partitions exchange smaller ones to agree that a batch is refused."""

KINDS: dict[str, dict[str, Any]] = {
    "plain": {"directed": False},
    "weighted, with in-edges": {"weight_dtype": "int32", "directed": True, "in_edges": True},
    "data": {"directed": False, "edge_data": {"amount": "float32"}, "time_unit": "s"},
}


@contextmanager
def failing_on_one_part(monkeypatch: pytest.MonkeyPatch, step: int) -> Iterator[list[int]]:
    """Let one large allocation of the last partition fail, after `step` earlier ones. Gives a list of the remaining
    ones."""
    here, left = threading.local(), [step]
    work = threads._Call.run

    def known(self: Any, rank: int, *args: Any) -> None:
        here.is_last = rank == len(self.answers) - 1
        work(self, rank, *args)

    def failing(function: Any) -> Any:
        def allocate(*args: Any, **kwargs: Any) -> Any:
            out = function(*args, **kwargs)
            arrays = out if isinstance(out, tuple) else (out,)
            if getattr(here, "is_last", False) and sum(array.nbytes for array in arrays) > LARGE:
                left[0] -= 1
                if left[0] == -1:
                    raise MemoryError("no memory left, for the test")
            return out

        return allocate

    with monkeypatch.context() as patch:
        patch.setattr(threads._Call, "run", known)
        for name in ALLOCATORS:
            patch.setattr(np, name, failing(getattr(np, name)))
        yield left


def batch(kind: str, seed: int) -> tuple[tuple, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    ends = tuple(rng.integers(0, N, (2, M)))
    if kind == "data":
        return ends, {"amount": rng.random(M).astype(np.float32), "time": rng.integers(0, 50, M)}
    return ends, {"weights": rng.integers(1, 9, M)} if "weighted" in kind else {}


def mixed(graph: Any, kind: str) -> Any:
    ends, data = batch(kind, 3)
    ops = np.random.default_rng(4).choice([INSERT, DELETE, HAS_EDGE, DEGREE, NEIGHBORS], M)
    return graph.apply(ops, *ends, **data)


def insert(graph: Any, kind: str) -> Any:
    ends, data = batch(kind, 2)
    return graph.insert_edges(*ends, **data)


UPDATES: dict[str, Callable[[Any, str], Any]] = {
    "insert": insert,
    "delete": lambda graph, kind: graph.delete_edges(*batch(kind, 1)[0]),
    "mixed": mixed,
    "query": lambda graph, kind: graph.has_edges(*batch(kind, 2)[0]),
    "expire": lambda graph, kind: graph.expire(25),
}


def contents(engine: ThreadEngine, graph: Any) -> list[Any]:
    held = []
    for worker in engine.hosts:
        for local in worker.objects[graph._key].locals():
            held.append([None if array is None else array.tolist() for array in local.to_coo()])
            src, dst, _ = local.to_coo()
            if local.edge_data is not None:
                ids = local.edge_ids(src, dst)
                held.append([ids.tolist(), *(column[ids].tolist() for column in local.edge_data.values())])
    return held


@pytest.mark.parametrize("how", UPDATES)
@pytest.mark.parametrize("kind", KINDS)
def test_each_allocation_of_one_part(kind: str, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "expire" and kind != "data":
        pytest.skip("has no times")
    memory_is_tight(monkeypatch)
    monkeypatch.setattr(threads, "GRACE", 0.5)
    refusals, is_whole = 0, False
    with ThreadEngine(2) as engine:
        for step in itertools.count():
            if not is_whole:
                graph = filled(engine, kind)
                before = contents(engine, graph)
            with failing_on_one_part(monkeypatch, step) as left:
                try:
                    UPDATES[how](graph, kind)
                    is_whole = False
                except MemoryError as error:
                    assert "for the test" in str(error)
                    is_whole, refusals = True, refusals + 1
            if left[0] >= 0:
                break
            if is_whole and how == "mixed" and graph.num_edges != sizes(kind)[0]:
                is_whole = False  # deletions come last: the insertions have been made, as on one device
                assert graph.num_edges == sizes(kind)[1], step
            elif is_whole:
                assert contents(engine, graph) == before, step
        assert refusals > 3
        expected = filled(None, kind)
        UPDATES[how](expected, kind)
        assert [array.tolist() for array in graph.to_coo()[:2]] == [array.tolist() for array in expected.to_coo()[:2]]


def filled(engine: ThreadEngine | None, kind: str) -> Any:
    """A distributed graph, or on one device."""
    graph: Any = SlabGraph(N, device="cpu", **KINDS[kind])
    if engine is not None:
        graph = DistributedGraph(SlabGraph, N, engine=engine, **KINDS[kind])
    ends, data = batch(kind, 1)
    graph.insert_edges(*ends, **data)
    return graph


def sizes(kind: str) -> tuple[int, int]:
    """The number of edges of a graph, and the number if only the insertions of the mixed batch are made."""
    graph = filled(None, kind)
    before = graph.num_edges
    src, dst, _ = graph.to_coo()
    old = set(zip(src.tolist(), dst.tolist(), strict=True))
    mixed(graph, kind)
    src, dst, _ = graph.to_coo()
    came = len(set(zip(src.tolist(), dst.tolist(), strict=True)) - old)
    return before, before + came
