"""Numbered messages through the pipes between a program and its workers, whole or not at all.

Large arrays go through a pipe unpickled and are read to their final memory, without copies.
"""

from __future__ import annotations

import copyreg
import io
import os
import pickle
import struct
from collections import ChainMap
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

HEADER = struct.Struct("=Q?QQ")
"""The number of a message, whether it is confirmed, its pickled bytes, and the number of arrays that follow."""

SIZE = struct.Struct("=Q")
SMALL = 2**16
"""Bytes of a message that go through a pipe with its header, and of an array that is pickled. Larger arrays follow
unpickled: a receiver without memory for them can still read them out of the pipe."""

PROTOCOL = 5  # the first one with out-of-band buffers


def _reduce_array(array: np.ndarray) -> Any:
    """Arrays arrive as writable copies, also read-only ones."""
    return array.__reduce_ex__(PROTOCOL if array.flags.writeable else PROTOCOL - 1)


REDUCERS = ChainMap({np.ndarray: _reduce_array}, copyreg.dispatch_table)  # how to pickle what does not do it by itself


class Packed(NamedTuple):
    """A value to send: its pickle and its large arrays, and their total size."""

    pieces: list[memoryview]
    nbytes: int


class Message(NamedTuple):
    """A message from a pipe."""

    number: int  # of its call
    confirmed: bool  # whether the sender first asks all receivers if they have it
    value: Any  # None after an error
    error: BaseException | None  # of the reception, such as exhausted memory


class Reserve:
    """Memory that is released when none is left, for messages that must be received, though they are small."""

    def __init__(self, nbytes: int):
        self._nbytes = nbytes
        self._held: bytearray | None = None
        self.fill()

    def fill(self) -> None:
        """Allocate the memory again, if possible."""
        if self._held is None:
            with suppress(MemoryError):
                self._held = bytearray(self._nbytes)

    def spend(self) -> bool:
        """Release it, and return whether there was any."""
        held, self._held = self._held, None
        return held is not None


def pack(value: Any) -> Packed:
    """Return the bytes by which `value` is sent. They share memory with its arrays, which must not change before."""
    buffers: list[memoryview] = []

    def is_small(buffer: pickle.PickleBuffer) -> bool:
        data = buffer.raw()
        if data.nbytes < SMALL:
            return True
        buffers.append(data)
        return False

    out = io.BytesIO()
    pickler = pickle.Pickler(out, PROTOCOL, buffer_callback=is_small)
    pickler.dispatch_table = REDUCERS
    pickler.dump(value)
    first = out.getbuffer()
    return Packed([first, *buffers], len(first) + sum(map(len, buffers)))


def send(pipe: Connection, number: int, packed: Packed, *, confirmed: bool = False) -> None:
    first, *arrays = packed.pieces
    sizes = b"".join(SIZE.pack(len(array)) for array in arrays)
    _write(pipe, HEADER.pack(number, confirmed, len(first), len(arrays)) + sizes + first[:SMALL])
    for rest in (first[SMALL:], *arrays):
        _write(pipe, rest)


def receive(pipe: Connection, reserve: Reserve | None = None) -> Message:
    """Read a message from a pipe, up to the start of the next, whatever the message contains.

    `reserve` is released if memory for an unconfirmed message is short. EOFError or OSError if the other end is gone.
    """
    number, confirmed, size, count = HEADER.unpack(_read(pipe, HEADER.size))
    begin = count * SIZE.size
    data = _read(pipe, begin + min(size, SMALL))
    sizes = [size, *(nbytes for (nbytes,) in SIZE.iter_unpack(data[:begin]))]
    spend = reserve.spend if reserve is not None and not confirmed else lambda: False
    pieces, error = _take(pipe, data[begin:], sizes, spend)
    value: Any = None
    if error is None:
        value, error = _load(pieces, spend)
    return Message(number, confirmed, value, error)


def _take(
    pipe: Connection, first: bytes, sizes: list[int], spend: Callable[[], bool]
) -> tuple[list[Any], BaseException | None]:  # fmt: skip
    """Read the pieces of a message after its first bytes. Without memory for them they leave the pipe, too."""
    if sizes == [len(first)]:
        return [first], None
    try:
        pieces = _allocate(sizes, spend)
    except MemoryError as error:
        left = sum(sizes) - len(first)
        for begin in range(0, left, SMALL):
            _read(pipe, min(SMALL, left - begin))
        return [], error
    pieces[0][: len(first)] = first
    for piece, begin in zip(pieces, [len(first)] + [0] * len(sizes), strict=False):
        _read_into(pipe, piece[begin:])
    return pieces, None


def _allocate(sizes: list[int], spend: Callable[[], bool]) -> list[memoryview]:
    try:
        return [memoryview(bytearray(size)) for size in sizes]
    except MemoryError:
        if spend():
            return _allocate(sizes, spend)
        raise


def _load(pieces: list[Any], spend: Callable[[], bool]) -> tuple[Any, BaseException | None]:
    """Return the value of the pieces of a message, or the error that prevents it."""
    try:
        return pickle.loads(pieces[0], buffers=pieces[1:]), None
    except MemoryError as error:
        return _load(pieces, spend) if spend() else (None, error)
    except BaseException as error:  # of any class in it
        return None, error


def _write(pipe: Connection, data: Any) -> None:
    while data:
        count = os.write(pipe.fileno(), data)
        data = data[count:] if count < len(data) else b""


def _read(pipe: Connection, size: int) -> bytes:
    data = os.read(pipe.fileno(), size)
    while len(data) < size:
        more = os.read(pipe.fileno(), size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _read_into(pipe: Connection, out: memoryview) -> None:
    while out:
        count = os.readv(pipe.fileno(), [out])
        if not count:
            raise EOFError
        out = out[count:]
