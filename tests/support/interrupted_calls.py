"""A program over workers to which SIGINT comes, with its whole process group, at many moments: a test runs it.

``python interrupted_calls.py KIND SEED``. After each interrupt all answers must equal the model's.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from interrupter import Interrupter

from frontier.distributed import DistributedGraph, ProcessEngine, ThreadEngine
from structures import SlabGraph

N = 40
LARGE = 140_000
"""Pairs of a batch that workers confirm (`processes.CONFIRMED`)."""


@contextmanager
def workers(kind: str) -> Iterator[Any]:
    if kind == "dask":
        from distributed import Client, LocalCluster

        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
            yield DistributedGraph(SlabGraph).engine
        return
    with ThreadEngine(2) if kind == "threads" else ProcessEngine(2) as engine:
        yield engine


def meet(part: Any, number: int) -> int:
    """A value from all workers, which distinguishes calls."""
    time.sleep(0.002)
    return part.comm.reduce_numbers([number, part.num_edges])[0] // part.comm.size


class Unreadable:
    """An answer that the program cannot read."""

    def __reduce__(self) -> Any:
        return _fail, ()


def _fail() -> None:
    raise KeyError("not here")


def unreadable(part: Any) -> Any:
    return Unreadable()


class Walk:
    """Calls at random, some of which are interrupted. `edges` is the model."""

    def __init__(self, engine: Any, seed: int):
        self.graph = DistributedGraph(SlabGraph, N, directed=True, engine=engine)
        self.edges: set[tuple[int, int]] = set()
        self.rng = np.random.default_rng(seed)
        self.armed = False
        self.interrupted = 0
        signal.signal(signal.SIGINT, self._on_signal)

    def _on_signal(self, *_: Any) -> None:
        if self.armed:
            raise KeyboardInterrupt

    def attempt(self, call: Callable[[], Any]) -> tuple[bool, Any]:
        """Whether a call came to its end, and its result."""
        try:
            self.armed = True
            found = call()
            self.armed = False
        except KeyboardInterrupt:
            self.armed = False
            self.interrupted += 1
            return False, None
        return True, found

    def step(self, run: Callable[[Callable[[], Any]], Any] = lambda call: call()) -> None:
        """One call, which may be interrupted, and the graph's contents afterwards."""
        size = LARGE if self.rng.random() < 0.1 else 10
        src, dst = self.rng.integers(0, N, (2, size))
        pairs = {(u, v) for u, v in zip(src.tolist(), dst.tolist(), strict=True) if u != v}
        kind = self.rng.integers(4)
        before, after = self.edges, [self.edges | pairs, self.edges - pairs, self.edges, self.edges][kind]
        number = int(self.rng.integers(10**6))
        calls: list[Callable[[], Any]] = [
            lambda: self.graph.insert_edges(src, dst).inserted, lambda: self.graph.delete_edges(src, dst).deleted,
            lambda: self.graph.run(meet, number), lambda: self.graph.has_edges(src, dst).tolist(),
        ]  # fmt: skip
        expected = [
            len(after) - len(before), len(before) - len(after), number,
            [pair in before for pair in zip(src.tolist(), dst.tolist(), strict=True)],
        ][kind]  # fmt: skip
        done, found = self.attempt(lambda: run(calls[kind]))
        assert not done or found == expected, (kind, found, expected)
        held = self.graph.num_edges
        found = set(zip(*(ends.tolist() for ends in self.graph.to_coo()[:2]), strict=True))
        assert found == after or (not done and found == before), kind
        assert held == len(found)
        self.edges = found
        assert self.graph.run(meet, number + 1) == number + 1


def main(kind: str, seed: int) -> None:
    with workers(kind) as engine:
        walk = Walk(engine, seed)
        for _ in range(30):
            walk.step()
        for at in random.Random(seed).sample(range(1, 250), 60):  # at moments of the program
            interrupter = Interrupter(at)

            def interrupted(call: Callable[[], Any], interrupter: Interrupter = interrupter) -> Any:
                sys.setprofile(interrupter)
                try:
                    return call()
                finally:
                    sys.setprofile(None)

            walk.step(interrupted)
        first, stop = walk.interrupted, threading.Event()

        def interrupt() -> None:  # as a terminal does
            pause = random.Random(seed)
            while not stop.wait(pause.uniform(0.001, 0.01)):
                os.killpg(0, signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        end = time.monotonic() + 6
        while time.monotonic() < end and walk.interrupted < first + 60:
            walk.step()
        stop.set()
        thread.join()
        if kind == "processes":
            try:
                walk.graph.run(unreadable)
                raise AssertionError
            except RuntimeError as error:
                assert "cannot be unpickled: KeyError" in str(error), error
            walk.step()
        print(first, walk.interrupted - first)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
