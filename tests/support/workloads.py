"""Shared parts of tests of workloads: a stream, quick settings, and reports made by hand."""

from __future__ import annotations

import numpy as np

import frontier as fr
from dynfrontier.workload import Measured, Workload, WorkloadReport

NAMES = [name for name, kind in fr.structures().items() if issubclass(kind, fr.DynamicGraph)]
FIRST = NAMES[0]
EDGES = fr.io.rmat(7, 8)  # with loops and duplicates
QUICK = dict(device="cpu", quiet=True, batch_size=64, batches=4)
TELLS_LITTLE = ("batches of 64: 4 batches alone, which is too few to tell much",
                "P99 of fewer than 100 batches is the time of the worst one")  # fmt: skip


def write_changes(path):
    """Write a file of insertions and deletions, in which edges come and go within a batch, and return its lines."""
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 12, (400, 2))
    signs = np.where(rng.random(400) < 0.6, "+", "-")
    path.write_text("".join(f"{sign} {u} {v}\n" for sign, (u, v) in zip(signs, ends, strict=True)))
    return [(str(sign), (min(u, v), max(u, v))) for sign, (u, v) in zip(signs, ends.tolist(), strict=True)]


def spoil(monkeypatch, method, change):
    """Have a method of one structure do something else: ``change(right, graph, *args)``."""
    kind = fr.structures()[NAMES[1]]
    right = getattr(kind, method)
    monkeypatch.setattr(kind, method, lambda self, *args, **options: change(right, self, *args, **options))


def row_of(name, seconds, used, size=64):
    """The measurements of a structure: seconds of each batch, and bytes in use."""
    times = {"insert": list(seconds)}
    return Measured(name, size, {"insert": 64, "delete": 0, "query": 0}, times, 0.1, {}, 100, used, 2 * used, 800)


def report_of(*rows):
    """A report of these rows."""
    said = Workload(EDGES, 64).to_dict() | {"records": 9, "records_used": 9, "vertices": 5, "weighted": False,
                                           "stream_deletes": False}  # fmt: skip
    return WorkloadReport(said, "cpu", rows, header={"machine": {"cpu": "some"}, "date": "2026-01-01"})


STEADY, SMALL = row_of("steady", [3.0] * 10, 2000), row_of("small", [9.0] * 10, 1000)
JUMPY = row_of("jumpy", [1.0] * 9 + [20.0], 3000)
