"""Ctrl-C at any moment of an update: the batch is in wholly or not at all."""

from __future__ import annotations

import copy
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from interrupter import UPDATES, Interrupter
from model import Model, edges_of, make

import frontier as fr
from algorithms import DynamicTriangleCount, triangle_count
from structures import SlabGraph

N = 40
pytestmark = pytest.mark.usefixtures("python_handles_interrupts")


def _state(graph: Any) -> tuple:
    return graph.num_vertices, graph.num_edges, edges_of(graph), graph.degrees().tolist(), graph.has_vertices(
        np.arange(graph.num_vertices)
    ).tolist()  # fmt: skip


@pytest.mark.parametrize("update", list(UPDATES))
def test_an_interrupted_update_is_made_or_not(
    structure: Any, device: str, update: str, rng: np.random.Generator, request: pytest.FixtureRequest
) -> None:
    tries = 400 if request.config.getoption("--long", False) else 12
    src, dst = rng.integers(0, N, (2, 150))
    weights = rng.integers(1, 9, 150).astype(np.float32)
    pair = make(structure, device, src, dst, weights, num_vertices=N)
    pair.delete(src[:20], dst[:20])
    batch = (*rng.integers(0, N, (2, 60)), rng.integers(1, 9, 60).astype(np.float32))
    after = copy.deepcopy(pair.model)
    UPDATES[update](after, batch)

    def attempt(at: int | None) -> tuple[bool, int]:
        graph = pair.graph.copy()
        triangles = DynamicTriangleCount(graph)
        interrupter = Interrupter(at)
        interrupted = interrupter.run(lambda: UPDATES[update](graph, batch))
        expected = after if _state(graph)[:3] == _state_of_model(after) else pair.model
        pair_now = type(pair)(graph, expected)
        pair_now.check()
        assert triangles.total == triangle_count(graph).total
        graph.insert_edges([0], [1])
        graph.delete_edges(*graph.to_coo()[:2])
        assert graph.num_edges == triangles.total == 0
        return interrupted, interrupter.moments

    moments = min(attempt(None)[1] for _ in range(3))  # the first one may have to compile
    if moments < 3:
        return  # there is nothing to do for this structure
    interrupted = [attempt(int(at))[0] for at in rng.integers(1, moments + 1, tries)]
    assert any(interrupted)


def _state_of_model(model: Model) -> tuple:
    return model.num_vertices, len(model.edges()), model.edges()


def test_an_interrupted_build_leaves_nothing_behind(
    structure: Any, device: str, rng: np.random.Generator, request: pytest.FixtureRequest
) -> None:
    tries = 400 if request.config.getoption("--long", False) else 12
    src, dst = rng.integers(0, N, (2, 150))
    make(structure, device, src, dst, num_vertices=N).check()  # the first one may have to compile
    count = Interrupter()
    count.run(lambda: structure.from_edges(src, dst, num_vertices=N, device=device))
    for at in rng.integers(1, count.moments + 1, tries):
        assert Interrupter(int(at)).run(lambda: structure.from_edges(src, dst, num_vertices=N, device=device))
        make(structure, device, src, dst, num_vertices=N).check()


def test_an_interrupt_that_came_meanwhile_is_raised_after_the_update(device: str) -> None:
    graph = SlabGraph(5, device=device)

    class Pressed(fr.UpdateObserver):
        def edges_inserted(self, src: Any, dst: Any) -> None:
            signal.raise_signal(signal.SIGINT)
            copy_of_it.insert_edges(src, dst)

    copy_of_it, pressed = graph.copy(), Pressed()
    graph.attach(pressed)
    with pytest.raises(KeyboardInterrupt):
        graph.insert_edges([0], [1])
    assert graph.num_edges == copy_of_it.num_edges == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_users_own_is_called_after_the_update(device: str) -> None:
    graph, calls = SlabGraph(5, device=device), []

    class Pressed(fr.UpdateObserver):
        def edges_inserted(self, src: Any, dst: Any) -> None:
            signal.raise_signal(signal.SIGINT)
            assert not calls

    pressed = Pressed()
    graph.attach(pressed)
    before = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    try:
        assert graph.insert_edges([0], [1]).inserted == 1
        assert calls == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_update_that_waits_for_a_reader_can_be_interrupted(device: str) -> None:
    graph = SlabGraph(5, device=device)
    reads, interrupted = threading.Event(), threading.Event()

    def read() -> None:
        with graph.reading():
            reads.set()
            time.sleep(0.1)
            signal.raise_signal(signal.SIGINT)
            interrupted.wait(100)  # longer than a busy machine needs

    thread = threading.Thread(target=read)
    thread.start()
    reads.wait()
    with pytest.raises(KeyboardInterrupt):
        graph.insert_edges([0], [1])
    interrupted.set()
    thread.join()
    assert graph.num_edges == 0
    assert graph.insert_edges([0], [1]).inserted == 1


def test_updates_in_other_threads_leave_the_handler_alone(device: str) -> None:
    graph, handlers = SlabGraph(5, device=device), []

    class Look(fr.UpdateObserver):
        def edges_inserted(self, src: Any, dst: Any) -> None:
            handlers.append(signal.getsignal(signal.SIGINT))

    look = Look()
    graph.attach(look)
    thread = threading.Thread(target=lambda: graph.insert_edges([0], [1]))
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]
