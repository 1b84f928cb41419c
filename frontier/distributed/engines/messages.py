"""What goes through the pipes between a program and its workers: numbered messages, whole or not at all."""

from __future__ import annotations

import os
import pickle
import struct
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

HEADER = struct.Struct("=QQ?")
SMALL = 2**16
"""Bytes of a message that go through a pipe with its header. The others follow as they are: they are read to where they
belong, and whoever has no memory for them can still take them out of the pipe."""


class Message(NamedTuple):
    """What has come through a pipe.

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


def pack(value: Any) -> memoryview:
    """Return the bytes by which `value` is sent."""
    return memoryview(ForkingPickler.dumps(value))


def send(pipe: Connection, number: int, data: memoryview, *, confirmed: bool = False) -> None:
    """Write a message to a pipe."""
    pipe.send_bytes(HEADER.pack(number, len(data), confirmed) + data[:SMALL])
    rest = data[SMALL:]
    while rest:
        rest = rest[os.write(pipe.fileno(), rest) :]


def receive(pipe: Connection) -> Message:
    """Read a message from a pipe, which is then at the begin of the next, whatever the message holds.

    Raises
    ------
    EOFError, OSError
        The other end is gone.
    """
    first = memoryview(pipe.recv_bytes())
    number, size, confirmed = HEADER.unpack_from(first)
    data, error = _take(pipe, first[HEADER.size :], size)
    value: Any = None
    if error is None:
        try:
            value = pickle.loads(data)
        except BaseException as problem:  # of any class in it
            error = problem
    return Message(number, confirmed, value, error)


def _take(pipe: Connection, first: memoryview, size: int) -> tuple[Any, BaseException | None]:
    """The bytes of a message, of which the first are there. Without memory for them they leave the pipe, too."""
    if size == len(first):
        return first, None
    try:
        data = memoryview(bytearray(size))
    except MemoryError as error:
        for begin in range(len(first), size, SMALL):
            _read(pipe, memoryview(bytearray(min(SMALL, size - begin))))
        return None, error
    data[: len(first)] = first
    _read(pipe, data[len(first) :])
    return data, None


def _read(pipe: Connection, out: memoryview) -> None:
    while out:
        count = os.readv(pipe.fileno(), [out])
        if not count:
            raise EOFError
        out = out[count:]
