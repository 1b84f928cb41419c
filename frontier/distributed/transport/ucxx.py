"""UCXX: processes on CPUs, started by anything, such as Dask's workers.

MPI requires that it starts its processes, or that they can join later, which the MPI of package indexes refuses. UCX
needs only an address.

All partitions exchange at the same time, and have nothing else to do meanwhile. So the calling thread drives UCX's
progress itself, without asyncio or other threads: passing a small message to another thread was slower than sending it.

Each partition has two connections to a peer on the same machine. The first uses shared memory, over which UCX does not
notice the death of a process. The second uses TCP: when it breaks, the peer is gone. Peers on other machines have only
the second.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from frontier.runtime import resolve_device

from .communicator import Communicator, PartLostError, Transfer

SETTINGS = {
    "UCX_WARN_UNUSED_ENV_VARS": "n",  # UCXX sets variables that UCX does not always have
    "UCX_TCP_TX_SEG_SIZE": "256k", "UCX_TCP_RX_SEG_SIZE": "256k", "UCX_RNDV_THRESH": "256k",
}  # fmt: skip
"""UCX's settings unless the environment sets them: they send arrays in few large pieces over TCP. On one host, 128 KB
needed a third of the time of pieces of 8 KB, and 2 MB a quarter. Below the last size, no partition waits for a peer."""
BOOT = Path("/proc/sys/kernel/random/boot_id")  # identifies a machine
SPIN = 2e-4
"""Seconds in which partitions poll for messages all the time, before they sleep in between. (Yielding to other threads
costs more if any exist: they get a slice of milliseconds, and the scheduler prefers a thread that has slept.)"""
NAPS = ((0.1, 2e-5), (2.0, 2e-4), (float("inf"), 2e-3))
"""The seconds of sleep between polls, up to a number of seconds after the wait started."""


class Listener:
    """A process that waits for its peers: each makes a listener, all exchange their offers, and then `connect`.

    An `offer` is the port, on the address of its host, its machine, None if unknown, and its address on the machine.
    """

    def __init__(self) -> None:
        for name, value in SETTINGS.items():
            os.environ.setdefault(name, value)
        from ucxx import libucxx

        context = libucxx.UCXContext(feature_flags=(libucxx.Feature.TAG, libucxx.Feature.STREAM))
        self._worker = libucxx.UCXWorker(context)
        self._arrived: list[Any] = []  # endpoints of unidentified peers
        self._listener = libucxx.UCXListener.create(
            self._worker, 0, lambda endpoint: self._arrived.append(endpoint), deliver_endpoint=True
        )
        self.offer = self._listener.port, BOOT.read_text() if BOOT.exists() else None, self._worker.address.tobytes()

    def connect(self, rank: int, hosts: Sequence[str], offers: Sequence[tuple]) -> UcxxCommunicator:
        """Return the communicator of partition `rank`, with the hosts and offers of all partitions in order."""
        from ucxx import libucxx
        from ucxx._lib.arr import Array

        peers: dict[int, Any] = {}
        for peer in range(rank):
            peers[peer] = libucxx.UCXEndpoint.create(self._worker, hosts[peer], offers[peer][0], True)
            self.finish([peers[peer].stream_send(Array(np.asarray([rank], np.int64)))])
        while len(peers) < len(offers) - 1:
            self._worker.progress()
            time.sleep(NAPS[0][1])
            while self._arrived:
                endpoint, who = self._arrived.pop(), np.empty(1, np.int64)
                self.finish([endpoint.stream_recv(Array(who))])
                peers[int(who[0])] = endpoint
        near: dict[int, Any] = {}
        for peer in peers:
            _, machine, address = offers[peer]
            if machine is not None and machine == self.offer[1]:
                there = libucxx.UCXAddress.create_from_buffer(address)
                near[peer] = libucxx.UCXEndpoint.create_from_worker_address(self._worker, there, False)
        return UcxxCommunicator(rank, len(offers), self, peers, near)

    def finish(self, requests: Sequence[Any], lifelines: Sequence[Any] = ()) -> None:
        """Block until all requests are done. Raise UCX's error if one has failed.

        Raises PartLostError if one of the endpoints `lifelines` breaks meanwhile.
        """
        progress, begin = self._worker.progress, time.perf_counter()
        for request in requests:
            while not request.completed:
                progress()
                waited = time.perf_counter() - begin
                if waited > SPIN:
                    time.sleep(next(nap for until, nap in NAPS if waited < until))
                    if not all(each.alive for each in lifelines) and not request.completed:
                        raise PartLostError("a worker with a partition of the graph is gone")
        for request in requests:
            request.check_error()


class UcxxCommunicator(Communicator):
    """A partition in a process that is connected to all partitions by `Listener`.

    `peers` are the endpoints that detect the loss of another partition. The ones in `near` replace them for messages.
    """

    def __init__(self, rank: int, size: int, listener: Listener, peers: dict[int, Any], near: dict[int, Any]):
        from ucxx import exceptions
        from ucxx._lib.arr import Array
        from ucxx.types import Tag, TagMaskFull

        super().__init__(rank, size, resolve_device("cpu"))
        self._array, self._tags, self._whole_tag = Array, [Tag(peer) for peer in range(size)], TagMaskFull
        self._listener = listener
        self._lifelines = list(peers.values())
        self._peers = peers | near
        self._errors = exceptions.UCXError, PartLostError
        self._left: Any = None  # memory that UCX writes to during an exchange, and perhaps after a failure

    def _exchange(self, transfers: Sequence[Transfer]) -> None:
        requests: list[Any] = []
        buffers: list[Any] = []
        self._left = requests, buffers, transfers
        self._request(transfers, requests, buffers)
        try:
            self._listener.finish(requests, self._lifelines)
        except self._errors as error:
            raise PartLostError(f"a worker with a partition of the graph is gone ({error})") from None
        self._left = None

    def _request(self, transfers: Sequence[Transfer], requests: list[Any], buffers: list[Any]) -> None:
        """Start to send and receive, for all other partitions, and list the memory that must live until the end.

        Own pieces are copied. A message's tag is the rank of its sender.
        """
        make, tags, whole = self._array, self._tags, self._whole_tag
        for transfer in transfers:
            start = 0
            for peer, count in enumerate(transfer.received):
                piece, start = transfer.out[start : start + count], start + count
                values = transfer.outgoing[peer]
                if peer == self.rank:
                    if count:
                        piece[...] = values
                    continue
                endpoint = self._peers.get(peer)
                if endpoint is None:
                    raise PartLostError("the communicator of this part is closed")
                if count:
                    buffers.append(make(piece.view(np.uint8)))
                    requests.append(endpoint.tag_recv(buffers[-1], tags[peer], whole))
                if values.size:
                    buffers.append(make(np.ascontiguousarray(values).view(np.uint8)))
                    requests.append(endpoint.tag_send(buffers[-1], tags[self.rank]))

    def close(self) -> None:
        endpoints, self._peers, self._lifelines = [*self._peers.values(), *self._lifelines], {}, []
        for endpoint in dict.fromkeys(endpoints):
            endpoint.close_blocking(10**7, 1)
