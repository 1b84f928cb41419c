"""Numbered messages through the pipes between a program and its workers, whole or not at all.

Arrays of more than some bytes go through a pipe as they are, and are read to where they stay: nothing copies them.
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
"""The number of a message, whether it is confirmed, the bytes that pickle it, and how many arrays follow."""

SIZE = struct.Struct("=Q")
SMALL = 2**16
"""Bytes of a message that go through a pipe with its header, and of an array that is pickled. Others follow as they
are: a receiver without memory for them can still take them out of the pipe."""

PROTOCOL = 5  # the first one that leaves the buffers of arrays where they are


def _reduce_array(array: np.ndarray) -> Any:
    """Arrays arrive as copies that can be written to, also of those that cannot."""
    return array.__reduce_ex__(PROTOCOL if array.flags.writeable else PROTOCOL - 1)


REDUCERS = ChainMap({np.ndarray: _reduce_array}, copyreg.dispatch_table)
"""How to pickle what does not do it by itself."""


class Packed(NamedTuple):
    """A value as it is sent.

    Attributes
    ----------
    pieces : list of memoryview
        What pickles it, and the large arrays of it.
    nbytes : int
        Of all pieces.
    """

    pieces: list[memoryview]
    nbytes: int


class Message(NamedTuple):
    """A message that came through a pipe.

    Attributes
    ----------
    number : int
        Of the call that it belongs to.
    confirmed : bool
        Whether the sender first asks all receivers if they have it.
    value : any
        None if there is an error.
    error : BaseException or None
        Why it could not be received, such as exhausted memory.
    """

    number: int
    confirmed: bool
    value: Any
    error: BaseException | None


class Reserve:
    """Memory that is given up when there is no other: for messages that must be received, though they are small."""

    def __init__(self, nbytes: int):
        self._nbytes = nbytes
        self._held: bytearray | None = None
        self.fill()

    def fill(self) -> None:
        """Hold the memory again, if it is there."""
        if self._held is None:
            with suppress(MemoryError):
                self._held = bytearray(self._nbytes)

    def spend(self) -> bool:
        """Give it up; returns whether there was any."""
        held, self._held = self._held, None
        return held is not None


def pack(value: Any) -> Packed:
    """Return the bytes by which `value` is sent, which show its arrays: they must not change before."""
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
    """Write a message to a pipe."""
    first, *arrays = packed.pieces
    sizes = b"".join(SIZE.pack(len(array)) for array in arrays)
    _write(pipe, HEADER.pack(number, confirmed, len(first), len(arrays)) + sizes + first[:SMALL])
    for rest in (first[SMALL:], *arrays):
        _write(pipe, rest)


def receive(pipe: Connection, reserve: Reserve | None = None) -> Message:
    """Read a message from a pipe, which is then at the begin of the next, whatever the message holds.

    `reserve` is given up where there is no memory for a message that is not confirmed. Raises EOFError or OSError if
    the other end is gone.
    """
    number, confirmed, size, count = HEADER.unpack(_read(pipe, HEADER.size))
    begin = count * SIZE.size
    data = _read(pipe, begin + min(size, SMALL))
    sizes = [size, *(nbytes for (nbytes,) in SIZE.iter_unpack(data[:begin]))]
    spend = reserve.spend if reserve is not None and not confirmed else _nothing
    pieces, error = _take(pipe, data[begin:], sizes, spend)
    value: Any = None
    if error is None:
        value, error = _load(pieces, spend)
    return Message(number, confirmed, value, error)


def _nothing() -> bool:
    return False


def _take(
    pipe: Connection, first: bytes, sizes: list[int], spend: Callable[[], bool]
) -> tuple[list[Any], BaseException | None]:  # fmt: skip
    """The pieces of a message, of which the first bytes are there. Without memory for them they leave the pipe, too."""
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
    """A few bytes."""
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
