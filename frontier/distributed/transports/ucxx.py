"""UCXX: processes on CPUs, started by anything, such as Dask's workers.

MPI asks that its processes are started by it, or can join later; the MPI that is installed from package indexes refuses
the latter. UCX needs an address alone.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Sequence
from typing import Any

import numpy as np

from ...runtime import resolve_device
from ..communicator import Communicator, PartLostError, Transfer


class Listener:
    """A process that waits for its peers: first each makes one of these, then all know the addresses and `connect`.

    Attributes
    ----------
    port : int
        Where peers find it, on the address of its host.
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="dynfrontier-ucxx")
        self._thread.start()
        self._peers: dict[int, Any] = {}
        self._arrived: Any = None
        self.port: int = self.run(self._listen())

    def run(self, work: Coroutine) -> Any:
        """Run a coroutine where UCXX lives, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def stop(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    async def _listen(self) -> int:
        os.environ.setdefault("UCX_WARN_UNUSED_ENV_VARS", "n")  # UCXX sets variables that UCX does not always have
        import ucxx

        self._arrived = asyncio.Event()
        self._server = ucxx.create_listener(self._welcome)
        return self._server.port

    async def _welcome(self, endpoint: Any) -> None:
        who = np.empty(1, np.int64)
        await endpoint.recv(who)
        self._peers[int(who[0])] = endpoint
        self._arrived.set()

    def connect(self, rank: int, addresses: Sequence[tuple[str, int]]) -> UcxxCommunicator:
        """The communicator of part `rank`; `addresses` are (host, port) of all parts in order."""
        self.run(self._meet(rank, addresses))
        return UcxxCommunicator(rank, len(addresses), self, self._peers)

    async def _meet(self, rank: int, addresses: Sequence[tuple[str, int]]) -> None:
        import ucxx

        for peer in range(rank):
            endpoint = await ucxx.create_endpoint(*addresses[peer])
            await endpoint.send(np.asarray([rank], np.int64))
            self._peers[peer] = endpoint
        while len(self._peers) < len(addresses) - 1:
            self._arrived.clear()
            if len(self._peers) < len(addresses) - 1:
                await self._arrived.wait()


class UcxxCommunicator(Communicator):
    """A part in a process that has met the others by `Listener`."""

    def __init__(self, rank: int, size: int, listener: Listener, peers: dict[int, Any]):
        super().__init__(rank, size, resolve_device("cpu"))
        self._listener = listener
        self._peers = peers

    def _exchange(self, transfers: Sequence[Transfer]) -> None:
        from ucxx import exceptions

        try:
            self._listener.run(_all(self._coroutines(transfers)))
        except exceptions.UCXError as error:
            raise PartLostError(f"a worker that holds a part of the graph is gone ({error})") from None

    def _coroutines(self, transfers: Sequence[Transfer]) -> list[Coroutine]:
        """What sends and receives, for all other parts; what stays is copied."""
        work = []
        for transfer in transfers:
            start = 0
            for peer, count in enumerate(transfer.received):
                piece, start = transfer.out[start : start + count], start + count
                if peer == self.rank:
                    piece[...] = transfer.outgoing[peer]
                    continue
                endpoint = self._peers.get(peer)
                if endpoint is None:
                    raise PartLostError("the communicator of this part is closed")
                if piece.nbytes:
                    work.append(endpoint.recv(piece.view(np.uint8)))
                if transfer.outgoing[peer].nbytes:
                    work.append(endpoint.send(np.ascontiguousarray(transfer.outgoing[peer]).view(np.uint8)))
        return work

    def close(self) -> None:
        peers, self._peers = self._peers, {}
        if peers:
            self._listener.run(_all([endpoint.close() for endpoint in peers.values()]))
            self._listener.stop()


async def _all(work: list[Coroutine]) -> None:
    await asyncio.gather(*work)
