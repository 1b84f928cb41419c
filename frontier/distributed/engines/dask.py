"""The workers of a Dask cluster, one partition each.

Dask runs the processes, sends them calls, and detects lost ones. Partitions exchange data directly.
"""

from __future__ import annotations

import itertools
import signal
import threading
import uuid
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from frontier.core.arguments import one_of
from frontier.runtime import gpu_available

from ..transport.communicator import PartLostError
from ..transport.select import TRANSPORTS, meet, offer
from .engine import Answer, Engine, Host

LOOK = 1.0  # seconds between checks for missing workers
GRACE = 10.0  # seconds that partitions have to fail like the first one that did
SCATTER_BYTES = 2**20  # shares of batches above this go to the workers directly, not with the call

_engines: weakref.WeakKeyDictionary[Any, DaskEngine] = weakref.WeakKeyDictionary()
_hosts: dict[tuple[str, int], Any] = {}  # on workers: the objects of each partition there


class DaskEngine(Engine):
    """The workers that a Dask client has when this is made.

    Parameters
    ----------
    client : dask.distributed.Client
    transport : {"ucxx", "nccl"}, optional
        By default NCCL if all workers have a GPU. Each worker must see a different GPU first, as workers of
        ``dask_cuda`` do.

    See Also
    --------
    ProcessEngine : Workers on one host.
    """

    keeps_results = True

    def __init__(self, client: Any, transport: str | None = None):
        from distributed import wait

        super().__init__()
        self._wait = wait
        self._client = client
        self.addresses = sorted(client.nthreads())
        self.size = len(self.addresses)
        if not self.size:
            raise ValueError("the Dask cluster has no workers")
        if transport is None:
            transport = "nccl" if all(client.run(gpu_available).values()) else "ucxx"
        one_of(transport, "transport", TRANSPORTS)
        self._token = uuid.uuid4().hex
        self._lost: str | None = None
        client.run(_ignore_interrupts)
        ranks = range(self.size)
        offers = self._ask(_offer, [(self._token, rank, transport) for rank in ranks])
        hosts = [urlsplit(address).hostname or "127.0.0.1" for address in self.addresses]
        self._ask(_meet, [(self._token, rank, transport, offers, hosts) for rank in ranks])

    def run(self, function: Callable, shares: Sequence[tuple], *, whole: bool = False) -> list[Any]:
        arguments = [(self._token, rank, function, share) for rank, share in enumerate(shares)]
        return self._ask(_call, arguments, whole=whole)

    def _begin(self, function: Callable, arguments: Sequence[tuple]) -> _Call:
        if self._lost is not None:
            raise PartLostError(self._lost)
        client = self._client
        futures: list[Any] = []
        try:
            for address, args in zip(self.addresses, arguments, strict=True):
                share: Any = args
                if _bytes_of(args) > SCATTER_BYTES:
                    share = client.scatter([args], workers=[address], hash=False)[0]
                futures.append(
                    client.submit(
                        _attempt, function, share, workers=[address], allow_other_workers=False, pure=False, retries=0
                    )
                )
        except BaseException:
            if futures:  # which block until all workers are done
                self._give_up(futures, "a call did not reach all workers")
            raise
        return _Call(futures)

    def _answers(self, call: _Call) -> Sequence[Answer]:
        """Continues where it was interrupted. The call references the futures, or Dask would drop the results."""
        futures, answers = call.futures, call.answers
        while len(answers) < len(futures):
            with suppress(TimeoutError):
                self._wait([future for i, future in enumerate(futures) if i not in answers], timeout=LOOK)
            for i, future in enumerate(futures):
                if i not in answers and future.done():
                    if future.status != "finished" or self.addresses[i] not in self._client.nthreads():
                        return self._give_up(futures, f"the Dask worker {self.addresses[i]} is gone")
                    try:
                        answers[i] = future.result()
                    except Exception as error:
                        answers[i] = None, error
            if len(answers) == len(futures):
                break
            gone = set(self.addresses) - set(self._client.nthreads())
            if gone:
                return self._give_up(futures, f"the Dask worker {min(gone)} is gone")
            if any(error is not None for _, error in answers.values()):
                call.grace -= LOOK
            if call.grace <= 0:  # one has failed, and all other partitions wait for it
                self._give_up(futures, "a partition of the graph has failed")
                break
        if any(isinstance(error, PartLostError) for _, error in answers.values()):
            lost = set(self.addresses) - set(self._client.nthreads())
            if lost:
                return self._give_up(futures, f"the Dask worker {min(lost)} is gone")
        return [answers.get(i, (None, None)) for i in range(len(futures))]

    def _give_up(self, futures: list[Any], why: str) -> Sequence[Answer]:
        """Mark the engine as lost, and make the remaining partitions stop waiting. Returns the answer to the call."""
        self._lost = f"{why}, and its partition of the graph with it: load the graph from a file"
        self._client.cancel(futures, force=True)
        left = [address for address in self.addresses if address in self._client.nthreads()]
        self._client.run(_leave, self._token, workers=left, on_error="ignore")
        return [(None, PartLostError(self._lost))]

    def frame(self, key: int, columns: Any, counts: Sequence[int]) -> Any:
        """A frame of Dask with a partition on each worker, whose index numbers all rows."""
        import dask.dataframe

        pieces = [
            self._client.submit(
                _take, self._token, rank, key, workers=[address], allow_other_workers=False, pure=False, retries=0
            )
            for rank, address in enumerate(self.addresses)
        ]
        starts = [0, *itertools.accumulate(counts)]
        divisions = *starts[:-1], max(starts[-1] - 1, starts[-2])
        return dask.dataframe.from_delayed(pieces, meta=columns, divisions=divisions, prefix="part")

    def close(self) -> None:
        if self._lost is None:
            self._lost = "the engine of this graph is closed"
            self._client.run(_leave, self._token, workers=self.addresses)


class _Call:
    """The futures of a call, and the answers so far by rank."""

    def __init__(self, futures: list[Any]):
        self.futures = futures
        self.answers: dict[int, Answer] = {}
        self.grace = GRACE


def engine_of_client() -> Engine:
    """The engine of the current Dask client, with the workers that it had at the first request.

    Raises ImportError without Dask, and ValueError without a client.
    """
    try:
        from distributed import default_client
    except ImportError:
        raise ImportError(
            "a DistributedGraph needs workers: install dynfrontier[distributed] and make a dask.distributed.Client, or "
            "pass engine="
        ) from None
    client = default_client()
    engine = _engines.get(client)
    if engine is None or engine._lost is not None:
        engine = _engines[client] = DaskEngine(client)
    return engine


def _bytes_of(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(map(_bytes_of, value))
    return int(getattr(value, "nbytes", 0))


# ---- on workers -----------------------------------------------------------------------------------------------------


def _attempt(function: Callable, args: tuple) -> tuple[Any, Exception | None]:
    """The result of a function and None, or None and its error: Dask would log a raised error on every worker."""
    try:
        return function(*args), None
    except Exception as error:
        return None, error


def _ignore_interrupts(dask_worker: Any = None) -> None:
    """Leave SIGINT, which a terminal sends to all processes, to the program and the nanny that ends this worker.

    A worker without a nanny may be in the program's own process.
    """
    if dask_worker.nanny is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _offer(token: str, rank: int, transport: str) -> Any:
    known, _hosts[token, rank] = offer(transport, rank)
    return known


def _meet(token: str, rank: int, transport: str, offers: list[Any], hosts: list[str]) -> None:
    _hosts[token, rank] = Host(meet(transport, rank, offers, hosts, _hosts[token, rank]))


def _call(token: str, rank: int, function: Callable, share: tuple) -> Any:
    return function(_hosts[token, rank], *share)


def _take(token: str, rank: int, key: int) -> Any:
    """Pass the object under a key of this partition to Dask."""
    host = _hosts.get((token, rank))
    if host is None or key not in host.objects:
        raise PartLostError("a worker with rows of this frame is gone: make the frame again")
    return host.objects.pop(key)


def _leave(token: str) -> None:
    for key in [key for key in _hosts if key[0] == token]:
        host = _hosts.pop(key)
        if isinstance(host, Host):
            host.comm.close()
