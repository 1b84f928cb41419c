"""UCXX between two processes: with shared memory and by TCP only, and the behavior of a process when its peer is
gone."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os

import numpy as np
import pytest

from frontier.distributed.transport.communicator import PartLostError
from frontier.distributed.transport.select import meet, offer

pytestmark = pytest.mark.skipif(importlib.util.find_spec("ucxx") is None, reason="ucxx is not installed")
SIZES = (0, 1, 3_000, 50_000, 300_000)
SECONDS = 30  # after which the peer should have been missed


def talk(pipe, rank):
    """The work of each process: it answers with the received data, and the failure of its peer."""
    mine, own = offer("ucxx", rank)
    pipe.send(mine)
    offers = pipe.recv()
    comm = meet("ucxx", rank, offers, ["127.0.0.1"] * 2, own)
    received = []
    for size in SIZES:
        values = np.arange(2 * size, dtype=np.int64) + rank
        received.append(comm.alltoallv(values, [size, size], [size, size])[0].sum())
    shares_memory = any(endpoint not in comm._lifelines for endpoint in comm._peers.values())
    comm.barrier()
    if rank == 1:
        os._exit(0)
    missed = None
    try:
        comm.barrier()
    except PartLostError as error:
        missed = str(error)
    pipe.send((received, shares_memory, missed))
    pipe.recv()


@pytest.mark.slow
@pytest.mark.parametrize("same_machine", [True, False])
def test_a_peer_that_is_gone_is_missed(same_machine):
    context = multiprocessing.get_context("spawn")
    pipes, processes = [], []
    for rank in range(2):
        here, there = context.Pipe()
        processes.append(context.Process(target=talk, args=(there, rank), daemon=True))
        processes[-1].start()
        pipes.append(here)
    try:
        offers = [pipe.recv() for pipe in pipes]
        if not same_machine:
            offers = [(port, None, address) for port, _, address in offers]
        for pipe in pipes:
            pipe.send(offers)
        assert pipes[0].poll(SECONDS)
        received, shares_memory, missed = pipes[0].recv()
    finally:
        for process in processes:
            process.kill()
            process.join()
    assert received == [sum(range(size)) * 2 + size for size in SIZES]
    assert shares_memory == same_machine
    assert "is gone" in missed
