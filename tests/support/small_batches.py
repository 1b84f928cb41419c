"""Small batches of arrays on a device, and observers that record them."""

from __future__ import annotations

import pytest

import frontier as fr
from structures import GPMA, LPMA, FaimGraph, GraphVine, Hornet, SlabGraph

N = 24
DYNAMIC = [SlabGraph, Hornet, GPMA, LPMA, GraphVine, FaimGraph]
EACH = pytest.mark.parametrize("structure", DYNAMIC, ids=[structure.name for structure in DYNAMIC])


class Recorder(fr.UpdateObserver):
    """Stores its notifications, on the host."""

    def __init__(self, graph):
        self._host = graph.device.to_host
        self.seen = []
        graph.attach(self)

    def _note(self, method, src, dst):
        self.seen.append((method, list(zip(self._host(src).tolist(), self._host(dst).tolist(), strict=True))))

    def edges_inserted(self, src, dst):
        self._note("inserted", src, dst)

    def edges_deleting(self, src, dst):
        self._note("deleting", src, dst)

    def edges_deleted(self, src, dst):
        self._note("deleted", src, dst)


class LooseRecorder(Recorder):
    """Is notified of the arcs of a batch as they are."""

    exact = False


def batch_of(rng, graph, size, below, dtype="int32"):
    """Random edges on the host and on the device, with loops, duplicates and both directions if ids are few."""
    src, dst = rng.integers(0, below, (2, size)).astype(dtype)
    return (src, dst), (graph.xp.asarray(src), graph.xp.asarray(dst))
