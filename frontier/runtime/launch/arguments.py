"""Parameters of a CUDA kernel, packed for the driver.

A launch hands the driver an array of pointers, one to each parameter. Every parameter here is a word of eight bytes, or
a struct that is passed by value. Narrower integers are the first bytes of a word, as GPUs' hosts are little-endian.
Packing all at once is faster than CuPy's conversion of each, and a small update is mostly launches.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

MASK = 2**64 - 1
_WORD = struct.Struct("Q")


class ByValue:
    """A struct of eight-byte fields, which a kernel receives by value. `address` is in the host's memory."""

    __slots__ = ("address", "fields")

    def __init__(self, fields: np.ndarray):
        self.fields = fields
        self.address = fields.ctypes.data


class Struct(ByValue):
    """A struct whose fields, named in order, change from launch to launch, all or a few of them."""

    __slots__ = ("_all", "_at", "_words", "names")

    def __init__(self, names: tuple[str, ...]):
        super().__init__(np.zeros(len(names), np.int64))
        self.names = names
        self._at = {name: at for at, name in enumerate(names)}
        self._words = memoryview(self.fields)  # type: ignore[arg-type]
        self._all = _packer(len(names))

    def set(self, *values: int) -> None:
        """Set all fields."""
        self._all(self.fields, 0, *values)

    def set_first(self, *values: int) -> None:
        """Set the first so many fields."""
        _packer(len(values))(self.fields, 0, *values)

    def put(self, name: str, value: int) -> None:
        """Set one field."""
        self._words[self._at[name]] = value


@functools.cache
def _packer(count: int) -> Callable[..., None]:
    return struct.Struct(f"{count}q").pack_into


class Field(ByValue):
    """A field of a struct as a separate argument."""

    __slots__ = ("_of",)

    def __init__(self, of: Struct, name: str):
        at = of.names.index(name)
        super().__init__(of.fields[at : at + 1])
        self._of = of  # which owns the memory


class Number(ByValue):
    """A number that may change from launch to launch, instead of one of a functor's arguments."""

    __slots__ = ("_value", "dtype")

    ndim = 0

    def __init__(self, dtype: np.dtype):
        super().__init__(np.zeros(1, np.int64))
        self.dtype = dtype
        self._value = self.fields.view(dtype)

    def set(self, value: Any) -> None:
        """Change it."""
        self._value[0] = value


class Matrix:
    """An array of two dimensions, which a kernel receives as three parameters: its address, rows and columns."""

    __slots__ = ("array", "dtype", "words")

    ndim = 2

    def __init__(self, array: Any):
        self.array = array
        self.dtype = array.dtype
        self.words = (array.data.ptr, *array.shape)


class Parameters:
    """Memory for a launch's `count` parameters. `address` is the array of pointers, `set_count` changes the first."""

    __slots__ = ("_memory", "_pack", "_pointers", "_words_at", "address", "set_count")

    def __init__(self, count: int):
        self._memory = np.empty(2 * count, np.uint64)
        self.address = self._memory.ctypes.data
        self._words_at = 8 * count
        self._memory[:count] = self.address + self._words_at + 8 * np.arange(count, dtype=np.uint64)
        self._pointers = memoryview(self._memory)
        self._pack = struct.Struct(f"{count}Q").pack_into
        self.set_count = functools.partial(_WORD.pack_into, self._memory, self._words_at)

    def fill(self, words: list[int], structs: list[tuple[int, ByValue]]) -> None:
        """Set the parameters to the result of `words_of`. A kernel's structs are always at the same positions."""
        self._pack(self._memory, self._words_at, *words)
        for position, value in structs:
            self._pointers[position] = value.address


def words_of(count: int, args: tuple, array_type: type) -> tuple[list[int], list[tuple[int, ByValue]]]:
    """Return a kernel's arguments, `count` first, as words, and the structs among them with their positions.

    Arguments are arrays of `array_type`, Python and NumPy numbers, `ByValue`, `Matrix`, or None (no array).
    """
    words = [count]
    append = words.append
    structs: list[tuple[int, ByValue]] = []
    for value in args:  # the most frequent kinds first
        kind = type(value)
        if kind is array_type:
            append(value.data.ptr)
        elif kind is int or kind is bool:
            append(value & MASK)
        elif value is None:
            append(0)
        elif kind in INTEGERS:
            append(int(value) & MASK)
        elif issubclass(kind, ByValue):
            structs.append((len(words), value))
            append(0)
        elif kind is Matrix:
            words.extend(value.words)
        elif kind is float:
            append(_bits(np.float64(value)))
        else:
            append(_bits(value) if isinstance(value, np.generic) else value.data.ptr)
    return words, structs


INTEGERS = frozenset({
    np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64,
})  # fmt: skip


def _bits(value: np.generic) -> int:
    return int.from_bytes(value.tobytes(), "little")


NUMBER_WORDS: dict[type, Callable[[Any], int]] = {
    bool: int,
    int: lambda value: int(np.int64(value)) & MASK,  # raises OverflowError
    float: lambda value: _bits(np.float64(value)),
    np.float32: _bits,
    np.float64: _bits,
    **dict.fromkeys(INTEGERS, lambda value: int(value) & MASK),
}
"""The conversion of a functor's number to a word, by its type. Python's are int64 and float64 there."""
