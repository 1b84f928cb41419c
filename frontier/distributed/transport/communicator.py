"""`Communicator`: exchanges of arrays between the partitions of a graph, over any transport."""

from __future__ import annotations

import itertools
import pickle
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frontier.core.arguments import one_of
from frontier.runtime import Device
from frontier.runtime.memory.pinned import pinned

from .base import BaseCommunicator
from .windows import Window

REDUCTIONS = ("sum", "min", "max")
SMALL = 4096  # entries of an array that every partition reduces on its own: one exchange instead of two
FEW = 128  # integers that go to the device through page-locked memory: the driver copies other memory in two steps


class PartLostError(RuntimeError):
    """A worker with a partition of the graph is gone, or only some workers have failed."""


@dataclass
class Transfer:
    """An array of which every partition sends pieces to all partitions.

    ``outgoing[p]``, which may be empty, goes to partition p. ``received[p]`` entries come from partition p, to `out` in
    the order of the partitions.
    """

    outgoing: Sequence[Any]
    received: Sequence[int]
    out: Any


class DeferredReduction:
    """A small array that is reduced over all partitions along with the next exchange, and a `HostCopy` of the result.

    The result is written to `array`, unless it is None because another value was written there. `values` are this
    partition's.
    """

    def __init__(self, comm: Communicator, array: Any, op: str):
        self.array = array
        self.values = array.copy()
        self.op = op
        self._comm = comm
        self._result: Any = None

    @property
    def ready(self) -> bool:
        """Whether the result exists, the same on all partitions."""
        return self._result is not None

    def result(self) -> Any:
        """Return the result. All partitions request it at the same time, since it may need an exchange."""
        if self._result is None:
            self._comm.flush()
        return self._result

    def finish(self, values: Any) -> None:
        """Reduce the values of all partitions, which are contiguous."""
        self._result = _combine(values, self._comm.size, self.op)
        if self.array is not None:
            self.array[...] = self._result


class Communicator(BaseCommunicator):
    """The exchanges of one of `size` workers with the rest.

    All methods are collective: every partition calls the same ones in the same order. Arrays are contiguous, of one
    dimension and on `device`. The other partitions' arrays have the same dtype. Results are new arrays.

    Attributes
    ----------
    rank : int
        The rank of this partition, from 0 to ``size - 1``.
    size : int
        Number of partitions.
    device : Device
    sent_bytes : int
        Bytes that this partition has sent to other partitions.
    seconds : float
        The host's time in exchanges, including waits for other partitions. On a GPU the host continues before they are
        done, unless `synchronizes`. Searches whose kernels exchange by themselves (`persistent`) do not count.
    exchanges : int
        Exchanges so far. Each costs at least the latency of a message.
    waits : int
        The number of times that the host has blocked for data of other partitions.
    synchronizes : bool
        Whether to synchronize with the device before and after each exchange, to measure it.
    deferred : list of DeferredReduction
        The reductions of the next exchange, alike on all partitions.
    """

    synchronizes = False

    def __init__(self, rank: int, size: int, device: Device):
        self.rank = rank
        self.size = size
        self.device = device
        self.sent_bytes = 0
        self.seconds = 0.0
        self.exchanges = 0
        self.waits = 0
        self.deferred: list[DeferredReduction] = []
        self._staging: Any = None
        self._window: Window | None = None
        self._has_windows = size > 1
        self._cut_short = False

    # ---- for transports ---------------------------------------------------------------------------------------------

    @abstractmethod
    def _exchange(self, transfers: Sequence[Transfer]) -> None:
        """*transport*: run transfers at the same time, in their order between any two partitions."""

    @abstractmethod
    def close(self) -> None:
        """*transport*: leave. Partitions that wait for this one get a `PartLostError` if it can be detected."""

    def _open_window(self, nbytes: int) -> Window | None:
        """*transport*: return memory of each partition that kernels of all partitions access, or None on all if they
        cannot."""
        return None

    def _close_window(self, *, last: bool) -> None:
        """Free the window, after all partitions have unmapped it unless this is the `last` action of the partitions."""
        if self._window is not None:
            window, self._window = self._window, None
            window.unmap()
            if not last:
                self.barrier()
            window.free()

    # ---- collectives ------------------------------------------------------------------------------------------------

    def alltoallv(
        self, values: Any, counts: Sequence[int], received: Sequence[int] | None = None
    ) -> tuple[Any, list]:  # fmt: skip
        """Send the first ``counts[0]`` values to partition 0, the next ``counts[1]`` to partition 1, and so on.

        Parameters
        ----------
        received : sequence of int, optional
            The number of values from each partition, if known: it saves an exchange.

        Returns
        -------
        values : array
            The received values, in the order of the partitions.
        received : list of int
        """
        (found,), got = self.alltoallv_columns([values], counts, received)
        return found, got

    def alltoallv_columns(
        self, columns: Sequence[Any], counts: Sequence[int], received: Sequence[int] | None = None,
        outs: Sequence[Any] | None = None,
    ) -> tuple[list[Any], list[int]]:  # fmt: skip
        """`alltoallv` of several arrays of the same length, in one exchange."""
        got = self.exchange_counts(counts) if received is None else list(received)
        wanted, pieces = [], _pieces(counts)
        for values in columns:
            wanted.append((list(map(values.__getitem__, pieces)), got, values.dtype))
        return self._run_all(wanted, outs), got

    def alltoallv_both_ways(
        self, values: Any, back: Any, counts: Sequence[int], received: Sequence[int]
    ) -> tuple[Any, Any]:  # fmt: skip
        """`alltoallv` of values, and of an answer to each value, in one exchange."""
        wanted = []
        for array, sent, got in ((values, counts, received), (back, received, counts)):
            wanted.append((list(map(array.__getitem__, _pieces(sent))), list(got), array.dtype))
        there, answers = self._run_all(wanted)
        return there, answers

    def allgather(self, values: Any, counts: Sequence[int] | None = None) -> tuple[Any, list]:
        """Return the values of all partitions, in the order of the partitions, and the count of each."""
        got = self.exchange_counts([int(values.size)] * self.size) if counts is None else list(counts)
        return self._run([values] * self.size, got, values.dtype), got

    def allgather_columns(self, columns: Sequence[Any], counts: Sequence[int]) -> list[Any]:
        """`allgather` of several arrays of the same length, in one exchange."""
        return self._run_all([([values] * self.size, counts, values.dtype) for values in columns])

    def gather_others(
        self, columns: Sequence[Any], counts: Sequence[int], outs: Sequence[Any] | None = None
    ) -> list[Any]:  # fmt: skip
        """`allgather_columns`, without this partition's values."""
        received = [0 if peer == self.rank else count for peer, count in enumerate(counts)]
        wanted = []
        for values in columns:
            outgoing = [values] * self.size
            outgoing[self.rank] = values[:0]
            wanted.append((outgoing, received, values.dtype))
        return self._run_all(wanted, outs)

    def allreduce(self, values: Any, op: str = "sum") -> Any:
        """Return the entrywise sum, minimum or maximum over all partitions: the same bits on each."""
        one_of(op, "op", REDUCTIONS)
        if self.size == 1 or not values.size:
            return values.copy()
        if values.size <= SMALL:
            return _combine(self._run([values] * self.size, [values.size] * self.size, values.dtype), self.size, op)
        # Each partition reduces one piece, and sends it to all.
        ends = [values.size * p // self.size for p in range(self.size + 1)]
        pieces = [values[a:b] for a, b in itertools.pairwise(ends)]
        got = self._run(pieces, [int(pieces[self.rank].size)] * self.size, values.dtype)
        return self._run([_combine(got, self.size, op)] * self.size, [int(p.size) for p in pieces], values.dtype)

    def sum_into(self, values: Any, out: Any) -> None:
        """Write the sums over all partitions to `out`, which does not overlap with the values."""
        out[...] = self.allreduce(values)

    def exchange_into(self, outgoing: Sequence[Any], received: Sequence[int], out: Any) -> None:
        """Run one transfer into an existing array: ``outgoing[p]`` to partition p, ``received[p]`` entries from it.

        The piece from this partition to itself is empty.
        """
        for values in outgoing:
            self.sent_bytes += values.nbytes
        self._exchange_whole([Transfer(outgoing, received, out)])

    def defer_reduction(self, array: Any, op: str = "sum") -> None:
        """`allreduce` of a small array, in place, with the next exchange. On GPUs at once, without a host
        synchronization."""
        one_of(op, "op", REDUCTIONS)
        if self.size == 1:
            return
        if self.device.is_gpu:
            array[...] = self.allreduce(array, op)
        else:
            self.deferred.append(DeferredReduction(self, array, op))

    def deferred_of(self, array: Any) -> DeferredReduction | None:
        return next((each for each in self.deferred if each.array is array), None)

    def overwrite(self, array: Any) -> None:
        """Declare that an array will be written: the result of a deferred reduction no longer applies to it."""
        found = self.deferred_of(array)
        if found is not None:
            found.array = None

    def flush(self) -> None:
        if self.deferred:
            self._run_all([])

    def barrier(self) -> None:
        """Block until all partitions have called this."""
        self.exchange_counts([0] * self.size)

    def window(self, nbytes: int) -> Window | None:
        """Return memory of each partition that kernels of all partitions access, of at least `nbytes`, or None where
        they cannot.

        Its contents may be lost when all partitions ask for more.
        """
        if self._has_windows and (self._window is None or self._window.nbytes < nbytes):
            held = 0 if self._window is None else self._window.nbytes
            self._close_window(last=False)
            self._window = self._open_window(max(nbytes, 2 * held))  # for a graph that grows and grows
            if self._window is None and held:
                self._window = self._open_window(nbytes)
            self._has_windows = self._window is not None
        return self._window

    # ---- small things -----------------------------------------------------------------------------------------------

    def exchange_counts(self, counts: Sequence[int]) -> list[int]:
        """Send one integer to each partition, and return one from each."""
        if self.size == 1:
            return list(counts)
        mine = self._on_device(counts)
        pieces = [mine[p : p + 1] for p in range(self.size)]
        return self._on_host(self._run(pieces, [1] * self.size, mine.dtype)).tolist()

    def gather_counts(self, counts: Sequence[int]) -> np.ndarray:
        """Return a row of integers of each partition, of equal lengths."""
        if self.size == 1:
            return np.asarray([counts], np.int64)
        return self.gather_rows(self._on_device(counts))

    def gather_rows(self, row: Any) -> np.ndarray:
        """`gather_counts` of integers on the device, with the result on the host."""
        (rows,) = self._run_all([([row] * self.size, [row.size] * self.size, row.dtype)])
        return self._on_host(rows).reshape(self.size, -1)

    def queue_rows(self, row: Any) -> Any:
        """`gather_rows` with the result on the device, without a host synchronization."""
        return self._run([row] * self.size, [int(row.size)] * self.size, row.dtype)

    def queue(self, launch: Callable[[], None]) -> None:
        """Queue an exchange by kernels that access the windows of all partitions."""
        start = self._begin()
        launch()
        self._end(start)

    def reduce_numbers(self, numbers: Sequence[int], op: str = "sum") -> list[int]:
        """`allreduce` of a few integers of the host."""
        return getattr(self.gather_counts(numbers), op)(axis=0).tolist()

    def gather_objects(self, value: Any) -> list[Any]:
        """Return the small, picklable object of each partition."""
        got, counts = self.allgather(self.device.xp.asarray(np.frombuffer(pickle.dumps(value), np.uint8)))
        host = self._on_host(got)
        return [pickle.loads(host[piece].tobytes()) for piece in _pieces(counts)]

    def _run(self, outgoing: Sequence[Any], received: Sequence[int], dtype: np.dtype) -> Any:
        return self._run_all([(outgoing, received, dtype)])[0]

    def _run_all(
        self, wanted: Sequence[tuple[Sequence[Any], Sequence[int], np.dtype]], outs: Sequence[Any] | None = None
    ) -> list[Any]:  # fmt: skip
        """Run transfers and the deferred reductions, into `outs`, if given."""
        if self.size == 1:
            if outs is None:
                return [outgoing[0].copy() for outgoing, _, _ in wanted]
            for (outgoing, _, _), out in zip(wanted, outs, strict=True):
                out[...] = outgoing[0]
            return list(outs)
        deferred, self.deferred = self.deferred, []
        if deferred:
            packed = np.concatenate([each.values.view(np.uint8) for each in deferred])
            wanted = [*wanted, ([packed] * self.size, [packed.size] * self.size, packed.dtype)]
        outs, transfers = list(outs or ()), []
        for _, received, dtype in wanted[len(outs) :]:
            outs.append(self.device.xp.empty(sum(received), dtype))
        for (outgoing, received, dtype), out in zip(wanted, outs, strict=True):
            if dtype == np.bool_:
                outgoing, out = [values.view(np.uint8) for values in outgoing], out.view(np.uint8)
            transfers.append(Transfer(outgoing, received, out))
            for values in outgoing:
                self.sent_bytes += values.nbytes
            self.sent_bytes -= outgoing[self.rank].nbytes
        self._exchange_whole(transfers)
        if deferred:
            rows, begin = outs.pop().reshape(self.size, -1), 0
            for each in deferred:
                end = begin + each.values.nbytes
                each.finish(np.ascontiguousarray(rows[:, begin:end]).view(each.values.dtype))
                begin = end
        return outs

    def _exchange_whole(self, transfers: Sequence[Transfer]) -> None:
        """`_exchange`, counted and timed. An interrupted one is the last: the next would receive its data."""
        if self._cut_short:
            raise PartLostError("an exchange with the other partitions was cut short: load the graph from a file")
        self._cut_short = True
        start = self._begin()
        try:
            self._exchange(transfers)
        except PartLostError:
            raise
        except BaseException:  # such as an interrupt, in a program that is a partition itself
            self.close()
            raise
        self._end(start)
        self._cut_short = False

    def _on_device(self, numbers: Sequence[int]) -> Any:
        """Return integers of the host on the device, for a transfer with which the host then synchronizes (`_on_host`).

        A few go through page-locked memory, which is free again after that synchronization.
        """
        values = np.asarray(numbers, np.int64)
        if not self.device.is_gpu or not 0 < values.size <= FEW:
            return self.device.xp.asarray(values)
        if self._staging is None:
            self._staging = pinned(FEW, np.int64)
        self._staging[: values.size] = values
        out = self.device.xp.empty(values.size, np.int64)
        stream = self.device.xp.cuda.get_current_stream()
        out.data.copy_from_host_async(self._staging.ctypes.data, values.nbytes, stream)
        return out

    def _on_host(self, values: Any) -> Any:
        """Return an array of other partitions on the host, after a synchronization."""
        self.waits += self.size > 1
        return self.device.to_host(values)

    def _begin(self) -> float:
        """Start an exchange, and return the time."""
        if self.synchronizes:
            self.device.synchronize()
        return time.perf_counter()

    def _end(self, start: float) -> None:
        """Count an exchange, and its time."""
        if self.synchronizes:
            self.device.synchronize()
        self.seconds += time.perf_counter() - start
        self.exchanges += 1


def _pieces(counts: Sequence[int]) -> list[slice]:
    """Return contiguous slices of these lengths."""
    ends = list(itertools.accumulate(counts, initial=0))
    return list(map(slice, ends, ends[1:]))


def _combine(values: Any, size: int, op: str) -> Any:
    """Combine the arrays of all partitions, contiguous in `values`, entrywise."""
    rows = values.reshape(size, -1)
    return (rows.sum(axis=0, dtype=values.dtype) if op == "sum" else getattr(rows, op)(axis=0)).astype(values.dtype)
