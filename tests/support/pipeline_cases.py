"""Records for pipelines.

A test module that imports all names from here has the fixtures, and its tests fail if a thread of a pipeline is left.
"""

from __future__ import annotations

import threading

import pytest
from model import to_host

__all__ = ["_no_thread_is_left", "records"]

N, RECORDS, SIZE = 60, 500, 64


def threads():
    """The threads of pipelines. Threads that compile end at any time."""
    names = {thread: thread.name for thread in threading.enumerate()}
    return {
        thread for thread, name in names.items() if name.startswith("dynfrontier-") and name != "dynfrontier-compile"
    }


@pytest.fixture(autouse=True)
def _no_thread_is_left():
    before = threads()
    yield
    assert threads() <= before


@pytest.fixture
def records(rng):
    return rng.integers(0, N, (2, RECORDS))


def cut(columns, size=SIZE):
    return [tuple(column[begin : begin + size] for column in columns) for begin in range(0, columns[0].size, size)]


def weighted(graph):
    return [to_host(graph, column).tolist() for column in graph.to_coo()]
