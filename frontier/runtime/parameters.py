"""Parameters of a CUDA kernel, packed for the driver.

A launch hands the driver an array of pointers, one to each parameter. Every parameter here is a word of eight bytes (of
which a narrower integer is the first bytes, as GPUs' hosts are little-endian), or a struct that is passed by value.
Packing all at once takes about ten microseconds less than CuPy's conversion of each; a small update is three launches.
"""

from __future__ import annotations

import struct

import numpy as np

MASK = 2**64 - 1


class ByValue:
    """A struct of eight-byte fields, which a kernel takes by value.

    Attributes
    ----------
    fields : array of int64
    address : int
        Where they are in the host's memory.
    """

    __slots__ = ("address", "fields")

    def __init__(self, fields: np.ndarray):
        self.fields = fields
        self.address = fields.ctypes.data


class Parameters:
    """Memory for the parameters of one launch of a kernel that takes `count` of them.

    Attributes
    ----------
    address : int
        Of the array of pointers.
    """

    __slots__ = ("_memory", "_pack", "_pointers", "_words_at", "address")

    def __init__(self, count: int):
        self._memory = np.empty(2 * count, np.uint64)
        self.address = self._memory.ctypes.data
        self._words_at = 8 * count
        self._memory[:count] = self.address + self._words_at + 8 * np.arange(count, dtype=np.uint64)
        self._pointers = memoryview(self._memory)
        self._pack = struct.Struct(f"{count}Q").pack_into

    def fill(self, words: list[int], structs: list[tuple[int, ByValue]]) -> None:
        """Take parameters as `words_of` returns them. A kernel's structs are always at the same positions."""
        self._pack(self._memory, self._words_at, *words)
        for position, value in structs:
            self._pointers[position] = value.address


def words_of(count: int, args: tuple) -> tuple[list[int], list[tuple[int, ByValue]]]:
    """A kernel's arguments as words, and the structs among them with their positions.

    Parameters
    ----------
    count : int
        The first argument.
    args : tuple
        The others: arrays of the device, Python and NumPy numbers, `ByValue`, or None for no array.
    """
    words = [count]
    structs: list[tuple[int, ByValue]] = []
    for value in args:
        kind = type(value)
        if kind is int:
            words.append(value & MASK)
        elif value is None:
            words.append(0)
        elif kind is ByValue:
            structs.append((len(words), value))
            words.append(0)
        elif kind is bool:
            words.append(int(value))
        elif kind is float:
            words.append(_bits(np.float64(value)))
        elif isinstance(value, np.generic):
            words.append(_bits(value))
        else:
            words.append(value.data.ptr)
    return words, structs


def _bits(value: np.generic) -> int:
    """The bits of a number, the lowest first."""
    if isinstance(value, np.integer):
        return int(value) & MASK
    return int.from_bytes(value.tobytes(), "little")  # type: ignore[attr-defined]

