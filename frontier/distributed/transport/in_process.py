"""Partitions that are threads of one process, which read each other's arrays: for tests, and to try out programs."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from frontier.runtime import Device

from .communicator import Communicator, PartLostError, Transfer
from .windows import Window, open_in_process


class InProcessCommunicator(Communicator):
    """A partition among threads. `group` makes all of them.

    `kernels_meet` is whether kernels of all partitions run concurrently, and can wait for each other. Threads share a
    GPU, which guarantees this for a single kernel only. An emulated GPU runs any number.
    """

    kernels_meet = False

    def __init__(self, rank: int, board: Board, device: Device):
        super().__init__(rank, len(board.transfers), device)
        self._board = board

    @classmethod
    def group(cls, size: int, device: Device) -> list[InProcessCommunicator]:
        """Return the communicators of `size` partitions, each for its own thread."""
        board = Board(size)
        return [cls(rank, board, device) for rank in range(size)]

    def _exchange(self, transfers: Sequence[Transfer]) -> None:
        board = self._board
        board.transfers[self.rank] = transfers
        board.wait()
        for at, transfer in enumerate(transfers):
            start = 0
            for peer, count in enumerate(transfer.received):
                transfer.out[start : start + count] = board.transfers[peer][at].outgoing[self.rank]
                start += count
        board.wait()

    def _open_window(self, nbytes: int) -> Window | None:
        return open_in_process(self, nbytes) if self.kernels_meet and self.device.is_gpu else None

    def close(self) -> None:
        if self._window is not None:
            self._window.abandon()
        self._board.barrier.abort()


class Board:
    """The transfers that each partition shows to the rest."""

    def __init__(self, size: int):
        self.transfers: list[Any] = [None] * size
        self.barrier = threading.Barrier(size)

    def wait(self) -> None:
        try:
            self.barrier.wait()
        except threading.BrokenBarrierError:
            raise PartLostError("another partition of the graph has failed") from None
