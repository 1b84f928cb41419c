"""The operations of a workload: they have their documented effects, and are the same for every structure."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from workloads import EDGES, NAMES, write_changes

import frontier as fr
from dynfrontier.workload import Workload, run_workload
from dynfrontier.workload.generated import GENERATORS, HUBS, generate
from dynfrontier.workload.operations import Operations, apportion, open_records


def names_of(src, dst, directed):
    pairs = zip(np.asarray(src).tolist(), np.asarray(dst).tolist(), strict=True)
    return [(u, v) if directed or u < v else (v, u) for u, v in pairs]


def replay(operations, directed):
    """Apply the operations to a set, one by one. Return the set, and the insertion order of its members."""
    there = dict.fromkeys(e for e in names_of(operations.preloaded.src, operations.preloaded.dst, directed)
                          if e[0] != e[1])  # fmt: skip
    for batch in operations.batches:
        before = set(there)
        for edge in names_of(*batch.inserts[:2], directed) if batch.inserts else ():
            if edge[0] != edge[1]:
                there.setdefault(edge)
        assert len(set(there) - before) == batch.inserted
        gone = names_of(*batch.deletes, directed) if batch.deletes else []
        assert sum(edge in there for edge in gone) == batch.deleted
        yield batch, before, list(there), gone
        for edge in gone:
            there.pop(edge, None)
        assert len(there) == batch.edges
        asked = names_of(*batch.queries, directed) if batch.queries else []
        assert [edge in there for edge in asked] == ([] if batch.there is None else batch.there.tolist())
    keys = [u * operations._records.edges.num_vertices + v for u, v in there]
    assert sorted(keys) == operations.edges.tolist()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("order", ["random", "oldest"])
@pytest.mark.parametrize(("deletes", "queries"), [(0.0, 0.0), (0.3, 0.2), (0.75, 0.25), (0.0, 1.0), (0.05, 0.5)])
def test_operations_do_what_they_say(directed, order, deletes, queries):
    workload = Workload(EDGES, 64, deletes, queries, order, batches=5, directed=directed)
    operations = Operations(open_records(workload), workload, 64)
    assert len(operations.batches) == 5 and operations.size == 64 and not operations.short
    for batch, before, there, gone in replay(operations, directed):
        assert len(gone) == len(set(gone)) and abs(len(gone) - 64 * deletes) < 1 and set(gone) <= before
        assert order == "random" or there[: len(gone)] == gone or set(there[: len(gone)]) == set(gone)
        held = [0 if part is None else len(part[0]) for part in (batch.inserts, batch.deletes, batch.queries)]
        assert sum(held) == 64 and abs(held[2] - 64 * queries) < 1
        assert held[2] == 0 or batch.there.sum() >= held[2] // 2  # intended hits, and some by chance


def held_by(operations):
    return [tuple(0 if part is None else len(part[0]) for part in batch[:3]) for batch in operations.batches]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10**9])
@pytest.mark.parametrize("shares", [(0.4, 0.3, 0.3), (0, 0.5, 0.5), (1, 0, 0), (0.97, 0.02, 0.01), 3 * (1 / 3,)])
def test_every_kind_gets_its_share(size, shares):
    batches = np.array(list(islice(apportion(size, shares), 200)))
    assert (batches >= 0).all() and (batches.sum(1) == size).all()
    due = size * np.arange(1, 201)[:, None] * np.array(shares)
    assert (abs(batches.cumsum(0) - due) < 1).all()
    assert not batches[:, np.array(shares) == 0].any()


@pytest.mark.parametrize(("size", "preload"), [(1, 0.5), (3, 0.5), (3, 0.01)])
def test_small_batches_are_no_larger_than_asked(size, preload):
    workload = Workload(EDGES, size, 0.5, 0.5, preload=preload)
    held = held_by(Operations(open_records(workload), workload, size))
    assert held and all(sum(batch) <= size and not batch[0] for batch in held)
    workload = replace(workload, deletes=0.3, queries=0.3)
    held = np.array(held_by(Operations(open_records(workload), workload, size)))
    assert (held.sum(1) == size).all() and (held.sum(0) > 0).all()


def test_short_streams_have_smaller_batches():
    for changed, size, count in (
        (dict(), 512, 1), (dict(deletes=0.25), 682, 1), (dict(batch_size=300), 300, 1), (dict(batch_size=200), 200, 2),
        (dict(preload=1.0, deletes=1.0), None, 1),
    ):  # fmt: skip
        workload = Workload(EDGES, **dict(batch_size=4096) | changed)
        operations = Operations(open_records(workload), workload, workload.batch_size)
        size = size or operations.batches[0].deleted  # all existing ones
        assert operations.size == size and [sum(held) for held in held_by(operations)] == count * [size]


def test_operations_are_the_same_again():
    workload = Workload(EDGES, 64, 0.2, 0.2)
    one, other = (Operations(open_records(workload), workload, 64) for _ in range(2))
    for mine, yours in zip(one.batches, other.batches, strict=True):
        for a, b in zip(mine[:3], yours[:3], strict=True):
            assert all(x is y is None or np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    changed = Operations(open_records(workload), replace(workload, seed=2), 64)
    assert any((a.deletes[0] != b.deletes[0]).any() for a, b in zip(one.batches, changed.batches, strict=True))


def test_deleting_ends_when_nothing_is_left():
    workload = Workload(fr.io.grid(4, 4), 5, deletes=1.0, preload=1.0)
    operations = Operations(open_records(workload), workload, 5)
    assert [batch.deleted for batch in operations.batches] == [5, 5, 5, 5, 4] and not operations.edges.size
    assert operations.short == 1


def test_streams_own_deletions(tmp_path):
    path = tmp_path / "changes.txt"
    lines = write_changes(path)
    workload = Workload(str(path), 40, queries=0.25, preload=0.2)
    operations = Operations(open_records(workload), workload, 40)
    for _ in replay(operations, False):
        pass
    there = set()
    for position, (sign, edge) in enumerate(lines, 1):
        (there.add if sign == "+" and edge[0] != edge[1] else there.discard)(edge)
        if position >= 80 and (position - 80) % 30 == 0 and position > 80:
            assert operations.batches[(position - 80) // 30 - 1].edges == len(there)
    for batch in operations.batches:
        if batch.inserts and batch.deletes:
            assert not set(names_of(*batch.inserts[:2], False)) & set(names_of(*batch.deletes, False))
    report = run_workload(workload, device="cpu", quiet=True, structures=NAMES[:2])
    assert report.workload["stream_deletes"] and "updates" in report.title
    with pytest.raises(ValueError, match="deletes: this stream contains deletions"):
        run_workload(str(path), deletes=0.1, device="cpu")


@pytest.mark.parametrize("kind", GENERATORS)
def test_generators(kind):
    edges = generate(kind, 8, 4, seed=3)
    assert edges.num_vertices == 256 and len(edges) > 200
    assert (edges.src == generate(kind, 8, 4, seed=3).src).all()
    if kind == "hubs":
        assert (np.bincount(edges.src, minlength=256)[:HUBS].sum()) >= len(edges) // 2
