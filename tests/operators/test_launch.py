"""The mapping of work to a GPU's lanes, decided on the host from the graph."""

from types import SimpleNamespace

import numpy as np

import frontier as fr
from frontier.operators.dispatch.gpu_balance import tile_size
from frontier.runtime.compile.cuda import CudaKernel
from structures import SlabGraph


def ring(n, chords):
    ids = np.arange(n)
    return np.tile(ids, chords), np.concatenate([(ids + step + 1) % n for step in range(chords)])


def test_lanes_are_decided_once():
    """Kernels are compiled for them, which must not happen when lists get longer in the middle of a stream."""
    short = SlabGraph.from_edges(*ring(50, 1), device="cpu")
    assert tile_size(short) == "4"
    short.insert_edges(*ring(50, 8))
    assert tile_size(short) == "4"
    assert tile_size(SlabGraph.from_edges(*ring(50, 8), device="cpu")) == "8"
    empty = SlabGraph(50, device="cpu")
    assert tile_size(empty) == "8"
    empty.insert_edges([0], [1])
    assert tile_size(empty) == "8"
    empty.insert_edges(*ring(50, 2))
    assert tile_size(empty) == "8"


def test_a_hub_among_few_arcs(device):
    """If nothing is deferred, no queue is read: its memory contains old values."""
    graph = SlabGraph.from_edges(np.zeros(1000, int), np.arange(1, 1001), device=device)
    graph.store.scratch.get("num_pieces", 2, np.uint32).fill(2**32 - 1)
    reached = fr.advance(graph, fr.Frontier(graph, [0]), lambda src, dst, edge, weight: True, output="edges")
    assert reached.destinations == fr.Frontier(graph, np.arange(1, 1001))


def test_shared_memory_is_never_taken_from_other_threads():
    """A thread about to launch a kernel with much shared memory must not find a smaller limit of another thread."""
    asked = []
    kernel = object.__new__(CudaKernel)
    kernel.driver = SimpleNamespace(funcSetAttribute=lambda pointer, attribute, size: asked.append(size))
    kernel._pointer, kernel._shared_limit = 0, 0
    for size in (200_000, 100_000, 200_000, 210_000):
        kernel._allow_shared(size)
    assert asked == [200_000, 210_000] and kernel._shared_limit == 210_000
