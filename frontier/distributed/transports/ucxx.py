"""UCXX: processes on CPUs, started by anything, such as Dask's workers.

MPI asks that its processes are started by it, or can join later; the MPI that is installed from package indexes refuses
the latter. UCX needs an address alone.

All parts exchange at the same time, and have nothing else to do meanwhile. So the thread that calls makes UCX progress
by itself, without asyncio and without other threads: to hand a small message from one to the next took longer than to
send it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...runtime import resolve_device
from ..communicator import Communicator, PartLostError, Transfer

SETTINGS = {
    "UCX_WARN_UNUSED_ENV_VARS": "n",  # UCXX sets variables that UCX does not always have
    "UCX_TCP_TX_SEG_SIZE": "256k", "UCX_TCP_RX_SEG_SIZE": "256k", "UCX_RNDV_THRESH": "256k",
}  # fmt: skip
"""What UCX is told unless the environment says otherwise: to send arrays in few large pieces. On one host, 128 KB took
a third of the time that they take in pieces of 8 KB, and 2 MB a quarter."""
SPIN = 2e-4
"""Seconds in which parts look for messages all the time; later they sleep in between. (To yield to others instead
costs more where there are any: they get a slice of milliseconds, and a thread that has slept is preferred to them.)"""
NAPS = ((0.1, 2e-5), (2.0, 2e-4), (float("inf"), 2e-3))
"""How long they sleep, up to so many seconds after they began to wait."""


class Listener:
    """A process that waits for its peers: first each makes one of these, then all know the addresses and `connect`.

    Attributes
    ----------
    port : int
        Where peers find it, on the address of its host.
    """

    def __init__(self) -> None:
        for name, value in SETTINGS.items():
            os.environ.setdefault(name, value)
        from ucxx import libucxx

        context = libucxx.UCXContext(feature_flags=(libucxx.Feature.TAG, libucxx.Feature.STREAM))
        self._worker = libucxx.UCXWorker(context)
        self._arrived: list[Any] = []  # endpoints of peers that have not said who they are
        self._listener = libucxx.UCXListener.create(
            self._worker, 0, lambda endpoint: self._arrived.append(endpoint), deliver_endpoint=True
        )
        self.port: int = self._listener.port

    def connect(self, rank: int, addresses: Sequence[tuple[str, int]]) -> UcxxCommunicator:
        """The communicator of part `rank`; `addresses` are (host, port) of all parts in order."""
        from ucxx import libucxx
        from ucxx._lib.arr import Array

        peers: dict[int, Any] = {}
        for peer in range(rank):
            peers[peer] = libucxx.UCXEndpoint.create(self._worker, *addresses[peer], True)
            self.finish([peers[peer].stream_send(Array(np.asarray([rank], np.int64)))])
        while len(peers) < len(addresses) - 1:
            self._worker.progress()
            time.sleep(NAPS[0][1])
            while self._arrived:
                endpoint, who = self._arrived.pop(), np.empty(1, np.int64)
                self.finish([endpoint.stream_recv(Array(who))])
                peers[int(who[0])] = endpoint
        return UcxxCommunicator(rank, len(addresses), self, peers)

    def finish(self, requests: Sequence[Any]) -> None:
        """Wait until all requests are done; raises what UCX has to say of one that has failed."""
        progress, begin = self._worker.progress, time.perf_counter()
        for request in requests:
            while not request.completed:
                progress()
                waited = time.perf_counter() - begin
                if waited > SPIN:
                    time.sleep(next(nap for until, nap in NAPS if waited < until))
        for request in requests:
            request.check_error()


class UcxxCommunicator(Communicator):
    """A part in a process that has met the others by `Listener`."""

    def __init__(self, rank: int, size: int, listener: Listener, peers: dict[int, Any]):
        from ucxx._lib.arr import Array
        from ucxx.types import Tag, TagMaskFull

        super().__init__(rank, size, resolve_device("cpu"))
        self._array, self._tags, self._whole_tag = Array, [Tag(peer) for peer in range(size)], TagMaskFull
        self._listener = listener
        self._peers = peers

    def _exchange(self, transfers: Sequence[Transfer]) -> None:
        from ucxx import exceptions

        try:
            requests, buffers = self._requests(transfers)
            self._listener.finish(requests)
            del buffers
        except exceptions.UCXError as error:
            raise PartLostError(f"a worker that holds a part of the graph is gone ({error})") from None

    def _requests(self, transfers: Sequence[Transfer]) -> tuple[list[Any], list[Any]]:
        """What sends and receives, for all other parts, and the memory that is to live until it has; what stays is
        copied. A message's tag is the rank of its sender."""
        requests: list[Any] = []
        buffers: list[Any] = []
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
        return requests, buffers

    def close(self) -> None:
        peers, self._peers = self._peers, {}
        for endpoint in peers.values():
            endpoint.close_blocking(10**7, 1)
