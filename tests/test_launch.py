"""How work is dealt to a GPU's lanes; decided on the host, from the graph alone."""

import numpy as np

from frontier.operators.launch import tile_size
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
