"""`Communicator`: how the parts of a graph exchange arrays, whatever carries them."""

from __future__ import annotations

import itertools
import pickle
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..arguments import one_of
from ..runtime import Device

REDUCTIONS = ("sum", "min", "max")
SMALL = 4096
"""Arrays of up to so many entries are reduced by every part on its own: one exchange in place of two."""


class PartLostError(RuntimeError):
    """A worker that holds a part of the graph is gone, or has failed where the others have not."""


class Communicator(ABC):
    """What one of `size` parts needs to exchange arrays with the others.

    All methods are collective: every part calls the same ones in the same order. Arrays are contiguous, of one
    dimension and on `device`; those of the other parts have the same dtype. Results are new arrays.

    Attributes
    ----------
    rank : int
        Of this part, from 0 to ``size - 1``.
    size : int
        Number of parts.
    device : Device
    sent_bytes : int
        Bytes that this part has sent to others.
    seconds : float
        Time spent in exchanges, waiting for other parts included: of the host, which on a GPU goes on before they are
        done, unless `synchronizes`.
    synchronizes : bool
        Whether to wait for the device before and after each exchange, to measure it.
    """

    synchronizes = False

    def __init__(self, rank: int, size: int, device: Device):
        self.rank = rank
        self.size = size
        self.device = device
        self.sent_bytes = 0
        self.seconds = 0.0

    # ---- for transports ---------------------------------------------------------------------------------------------

    @abstractmethod
    def _exchange(self, outgoing: Sequence[Any], received: Sequence[int], out: Any) -> None:
        """*transport*: send ``outgoing[p]`` to each part p, and receive ``received[p]`` entries from each.

        They are written to `out` in the order of the parts. Either may be empty.
        """

    @abstractmethod
    def close(self) -> None:
        """*transport*: leave. Parts that wait for this one, or will, get a `PartLostError` where that can be told."""

    # ---- collectives ------------------------------------------------------------------------------------------------

    def alltoallv(self, values: Any, counts: Sequence[int], received: Sequence[int] | None = None) -> tuple[Any, list]:
        """Send the first ``counts[0]`` values to part 0, the next ``counts[1]`` to part 1, and so on.

        Parameters
        ----------
        received : sequence of int, optional
            How many values come from each part, if that is known: it spares an exchange.

        Returns
        -------
        values : array
            What was received, in the order of the parts.
        received : list of int
        """
        got = self.exchange_counts(counts) if received is None else list(received)
        ends = np.cumsum([0, *counts]).tolist()
        return self._run([values[a:b] for a, b in itertools.pairwise(ends)], got, values.dtype), got

    def allgather(self, values: Any, counts: Sequence[int] | None = None) -> tuple[Any, list]:
        """The values of all parts, in the order of the parts, and how many each has."""
        got = self.exchange_counts([int(values.size)] * self.size) if counts is None else list(counts)
        return self._run([values] * self.size, got, values.dtype), got

    def allreduce(self, values: Any, op: str = "sum") -> Any:
        """Entry by entry the sum, the minimum or the maximum over all parts: the same bits on each."""
        one_of(op, "op", REDUCTIONS)
        if self.size == 1 or not values.size:
            return values.copy()
        if values.size <= SMALL:
            return _combine(self._run([values] * self.size, [values.size] * self.size, values.dtype), self.size, op)
        # Each part reduces one piece, and hands it to all.
        ends = [values.size * p // self.size for p in range(self.size + 1)]
        pieces = [values[a:b] for a, b in itertools.pairwise(ends)]
        mine = int(pieces[self.rank].size)
        got = self._run(pieces, [mine] * self.size, values.dtype)
        return self._run([_combine(got, self.size, op)] * self.size, [int(p.size) for p in pieces], values.dtype)

    def barrier(self) -> None:
        """Wait until all parts have called this."""
        self.exchange_counts([0] * self.size)

    # ---- small things -----------------------------------------------------------------------------------------------

    def exchange_counts(self, counts: Sequence[int]) -> list[int]:
        """One integer for each part, and one from each."""
        mine = self.device.xp.asarray(np.asarray(counts, np.int64))
        pieces = [mine[p : p + 1] for p in range(self.size)]
        return self.device.to_host(self._run(pieces, [1] * self.size, mine.dtype)).tolist()

    def gather_counts(self, counts: Sequence[int]) -> np.ndarray:
        """As many integers of each part as there are parts: a row for each."""
        mine = self.device.xp.asarray(np.asarray(counts, np.int64))
        rows, _ = self.allgather(mine, [self.size] * self.size)
        return self.device.to_host(rows).reshape(self.size, self.size)

    def reduce_numbers(self, numbers: Sequence[int], op: str = "sum") -> list[int]:
        """`allreduce` of a few integers."""
        values = self.device.xp.asarray(np.asarray(numbers, np.int64))
        return self.device.to_host(self.allreduce(values, op)).tolist()

    def gather_objects(self, value: Any) -> list[Any]:
        """What each part has: anything that can be pickled, and is small."""
        data = self.device.xp.asarray(np.frombuffer(pickle.dumps(value), np.uint8))
        got, counts = self.allgather(data)
        ends = np.cumsum([0, *counts]).tolist()
        host = self.device.to_host(got)
        return [pickle.loads(host[a:b].tobytes()) for a, b in itertools.pairwise(ends)]

    def _run(self, outgoing: Sequence[Any], received: Sequence[int], dtype: np.dtype) -> Any:
        """`_exchange`, counted and timed."""
        if self.size == 1:
            return outgoing[0].copy()
        out = self.device.xp.empty(sum(received), dtype)
        with self._measured():
            if dtype == np.bool_:
                self._exchange([values.view(np.uint8) for values in outgoing], received, out.view(np.uint8))
            else:
                self._exchange(outgoing, received, out)
        self.sent_bytes += sum(values.nbytes for p, values in enumerate(outgoing) if p != self.rank)
        return out

    @contextmanager
    def _measured(self) -> Iterator[None]:
        """Add the time of a block to `seconds`."""
        if self.synchronizes:
            self.device.synchronize()
        start = time.perf_counter()
        yield
        if self.synchronizes:
            self.device.synchronize()
        self.seconds += time.perf_counter() - start


def _combine(values: Any, size: int, op: str) -> Any:
    """Entry by entry over the arrays of all parts, which follow each other in `values`."""
    rows = values.reshape(size, -1)
    return (rows.sum(axis=0, dtype=values.dtype) if op == "sum" else getattr(rows, op)(axis=0)).astype(values.dtype)
