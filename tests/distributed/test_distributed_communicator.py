"""Exchanges between partitions, and the owner of a vertex.

Threads stand for workers, and exchange by the in-process communicator.
"""

from __future__ import annotations

import numpy as np
import pytest
from distributed_cases import host

import frontier as fr
from frontier.distributed import ThreadEngine
from frontier.distributed.partition.partition import Partition
from frontier.distributed.transport.communicator import SMALL
from frontier.distributed.transport.in_process import InProcessCommunicator
from frontier.runtime import resolve_device


def spread(engine, function, *args):
    """The result of a function on each worker, on the host."""
    return engine.run_alike(function, *args)


def test_values_go_to_their_parts(engine):
    def send(worker):
        comm, xp = worker.comm, worker.comm.device.xp
        counts = [comm.rank + peer for peer in range(comm.size)]
        values = xp.concatenate([xp.full(count, 10 * comm.rank + peer, np.int32) for peer, count in enumerate(counts)])
        got, received = comm.alltoallv(values, counts)
        return host(got).tolist(), received

    for rank, (got, received) in enumerate(spread(engine, send)):
        assert received == [peer + rank for peer in range(engine.size)]
        assert got == [10 * peer + rank for peer in range(engine.size) for _ in range(peer + rank)]


@pytest.mark.parametrize("size", [0, 1, 5, SMALL + 7])
@pytest.mark.parametrize("op", ["sum", "min", "max"])
def test_reductions_are_the_same_on_all_parts(engine, size, op):
    def values(rank):
        return np.random.default_rng(rank).integers(-50, 50, size).astype(np.int32)

    def add(worker):
        return host(worker.comm.allreduce(worker.comm.device.xp.asarray(values(worker.comm.rank)), op))

    expected = getattr(np, op)([values(rank) for rank in range(engine.size)], axis=0)
    for found in spread(engine, add):
        assert found.dtype == np.int32 and found.tolist() == expected.tolist()


def test_gathering_keeps_the_order_of_parts(engine):
    def gather(worker):
        comm, xp = worker.comm, worker.comm.device.xp
        flags, counts = comm.allgather(xp.arange(comm.rank + 1) > 0)
        return host(flags).tolist(), counts, comm.gather_objects({"rank": comm.rank})

    for flags, counts, objects in spread(engine, gather):
        assert flags == [i > 0 for rank in range(engine.size) for i in range(rank + 1)]
        assert counts == list(range(1, engine.size + 1))
        assert objects == [{"rank": rank} for rank in range(engine.size)]


def test_sent_bytes_leave_out_what_stays():
    comms = InProcessCommunicator.group(1, resolve_device("cpu"))
    comms[0].allreduce(np.ones(10))
    assert comms[0].sent_bytes == 0


def test_a_part_that_fails_alone_releases_the_others(monkeypatch):
    monkeypatch.setattr("frontier.distributed.engines.threads.GRACE", 0.1)

    def work(worker):
        if worker.comm.rank == 1:
            raise KeyError("only here")
        worker.comm.barrier()

    with ThreadEngine(3) as engine, pytest.raises(KeyError, match="only here"):
        engine.run_alike(work)


# ---- partition ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, 2, 3, 300])
def test_owners_stay_when_the_graph_grows(parts):
    small, large = (Partition(resolve_device("cpu"), parts, 0) for _ in range(2))
    for n in (10, 1000, 70_000):
        small.extend(n)
    large.extend(70_000)
    assert np.array_equal(small.owners, large.owners)
    assert sum(large.counts) == 70_000 and np.array_equal(np.sort(large.order), np.arange(70_000))
    assert np.all(large.is_mine(large.owned))


def test_parts_of_an_rmat_graph_are_of_one_size():
    edges = fr.io.rmat(12, 16, seed=1)
    partition = Partition(resolve_device("cpu"), 2, 0)
    partition.extend(edges.num_vertices)
    share = (partition.owners[edges.src] == 0).mean()
    assert 0.4 < share < 0.6 < (edges.src % 2 == 0).mean()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("parts", [2, 3, 254, 300])
def test_vertices_are_sorted_by_owner(device, parts, dtype):
    device = resolve_device(device)
    partition = Partition(device, parts, 1)
    partition.extend(70_000)
    owners = host(partition.owners)
    rng = np.random.default_rng(parts)
    for size in (0, 1, 5, 4096, 4097, 20_000):
        ids = rng.integers(0, 70_000, size).astype(dtype)
        for given in (ids, np.full(size, 7, dtype)):  # all vertices of the second belong to one partition
            expected = np.argsort(owners[given], kind="stable")
            counts = np.bincount(owners[given], minlength=parts).tolist()
            on_device = device.xp.asarray(given)
            order, found = partition.by_owner(on_device)
            assert host(order).tolist() == expected.tolist() and found == counts
            ordered, found = partition.sort_by_owner(on_device)
            assert host(ordered).tolist() == given[expected].tolist() and host(found).tolist() == counts


# ---- deferred reductions --------------------------------------------------------------------------------------------


def of_host(engine):
    """Whether partitions of an engine defer reductions."""
    return not engine.hosts[0].comm.device.is_gpu


def test_deferred_reductions_go_along_with_the_next_exchange(engine):
    def work(worker):
        comm, xp = worker.comm, worker.comm.device.xp
        total, most = xp.full(1, 0.5 + comm.rank), xp.arange(3, dtype=np.int32) * comm.rank
        comm.defer_reduction(total)
        comm.defer_reduction(most, "max")
        before = comm.exchanges
        numbers = comm.reduce_numbers([comm.rank, 1])
        return comm.exchanges - before, numbers, host(total).tolist(), host(most).tolist(), len(comm.deferred)

    ranks = sum(range(engine.size))
    expected = 1, [ranks, engine.size], [0.5 * engine.size + ranks], [0, engine.size - 1, 2 * engine.size - 2], 0
    assert spread(engine, work) == [expected] * engine.size


def test_deferred_reductions_can_be_made_at_once(engine):
    def work(worker):
        comm, xp = worker.comm, worker.comm.device.xp
        total = xp.ones(2, np.int64)
        comm.defer_reduction(total)
        before = comm.exchanges
        comm.flush()
        comm.flush()
        return comm.exchanges - before, host(total).tolist()

    assert spread(engine, work) == [(of_host(engine), [engine.size] * 2)] * engine.size


def test_a_deferred_result_is_known_where_the_array_was_overwritten(engine):
    def work(worker):
        comm, xp = worker.comm, worker.comm.device.xp
        total = xp.ones(1)
        comm.defer_reduction(total)
        found = comm.deferred_of(total)
        if found is None:
            return True
        assert not found.ready
        comm.overwrite(total)
        total[...] = 7
        comm.barrier()
        return found.ready and found.result().tolist() == [comm.size] and total.tolist() == [7]

    assert all(spread(engine, work))
