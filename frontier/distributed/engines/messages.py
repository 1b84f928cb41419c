"""What goes through the pipes between a program and its workers: numbered messages, whole or not at all."""

from __future__ import annotations

import pickle
import struct
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

HEADER = struct.Struct("=QQ?")
PIECE = 2**16
"""Bytes that go through a pipe at a time: whoever has no memory for a message can still take it out of the pipe."""
SMALL = PIECE - HEADER.size
"""Bytes of a message that is one piece."""


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
    for begin in range(SMALL, len(data), PIECE):
        pipe.send_bytes(data[begin : begin + PIECE])


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
    data, error = bytearray(), None
    try:
        data = bytearray(size)
    except MemoryError as problem:
        error = problem
    at, piece = 0, first
    while True:
        if error is None:
            data[at : at + len(piece)] = piece
        at += len(piece)
        if at == size:
            return data, error
        piece = memoryview(pipe.recv_bytes())
