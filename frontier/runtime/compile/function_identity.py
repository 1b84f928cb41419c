"""The meaning of a function: its code, and the values of everything that the code names, at this moment.

Compiled code is cached by this key in memory, and by its hash on disk, on both devices. Functions with equal keys do
the same, whatever modules they come from. Globals, defaults, closures, attributes of modules and called functions are
followed, recursively.
"""

from __future__ import annotations

import builtins
import dis
import enum
import functools
import hashlib
import struct
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple
from weakref import ref

import numpy as np
from numba.core import types
from numba.core.extending import _Intrinsic

from .caches import clearable
from .source_text import text_of

LIBRARIES = frozenset({"numpy", "numba", "llvmlite", "cupy", "math"})
"""Such functions are distinguished by name. Their versions are part of the key on disk."""

MUTABLE = (list, dict, set, bytearray)

Chain = tuple[str, ...]


class MutableGlobalError(TypeError):
    """A function names an array, a container or a whole module, whose contents its compiled code would not follow."""

    def __init__(self, name: str, value: Any):
        super().__init__(f"{name} is a {type(value).__name__}")
        self.name = name
        self.value = value


class Reads(NamedTuple):
    """The names that a code object uses from outside: each with the chains of attributes that are read from it."""

    globals: dict[str, tuple[Chain, ...]]
    free: dict[str, tuple[Chain, ...]]


class _Unknown:
    """An object without a value that identifies it: equal only to itself, and never found on disk."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Unknown) and other.value is self.value


RECURSIVE = _Unknown("calls itself")
"""Part of the key of a recursive function, which is never found on disk: loaded from there by Numba, it crashes when it
calls itself (Numba's issue 6061)."""


@clearable
@functools.lru_cache(4096)
def reads(code: CodeType) -> Reads:
    """The globals and free variables that a code object and those inside it name."""
    found: tuple[dict[str, set[Chain]], dict[str, set[Chain]]] = ({}, {})
    _collect(code, frozenset(code.co_freevars), *found)
    in_order = ({name: tuple(sorted(part[name])) for name in sorted(part)} for part in found)
    return Reads(*in_order)


def _collect(code: CodeType, free: frozenset[str], in_globals: dict, in_free: dict) -> None:
    instructions = list(dis.get_instructions(code))
    for i, instruction in enumerate(instructions):
        kind, name = instruction.opname, instruction.argval
        if kind in ("LOAD_GLOBAL", "LOAD_NAME"):
            in_globals.setdefault(name, set()).add(_chain(instructions, i + 1))
        elif kind in ("LOAD_DEREF", "LOAD_CLASSDEREF") and name in free:
            in_free.setdefault(name, set()).add(_chain(instructions, i + 1))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _collect(constant, free & frozenset(constant.co_freevars), in_globals, in_free)


def _chain(instructions: list[dis.Instruction], start: int) -> Chain:
    """The attributes that are read, one after another, from a value that has just been loaded."""
    names = []
    for instruction in instructions[start:]:
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            names.append(instruction.argval)
        elif instruction.opname != "EXTENDED_ARG":
            break
    return tuple(names)


def captured(function: FunctionType) -> Iterator[tuple[str, Any, tuple[Chain, ...], bool]]:
    """Yield the names that a function uses from outside: name, value, chains, and whether it is free. Unbound names are
    left to the compiler."""
    named = reads(function.__code__)
    for name, chains in named.globals.items():
        value = function.__globals__.get(name, _MISSING)
        if value is _MISSING:
            value = getattr(builtins, name, _MISSING)
        if value is not _MISSING:
            yield name, value, chains, False
    if named.free:
        cells = _cells(function)
        for name, chains in named.free.items():
            value = _contents(cells[name])
            if value is not _MISSING:
                yield name, value, chains, True


_MISSING = object()


def _cells(function: FunctionType) -> dict[str, CellType]:
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return _MISSING


class Identity:
    """The meaning of a function: a `key` of code and values. Equal meanings are one object, quick to compare."""

    __slots__ = ("_digest", "_portable", "key")

    def __init__(self, key: tuple):
        self.key = key
        self._digest: Any = _MISSING
        self._portable: Any = _MISSING

    @property
    def digest(self) -> str | None:
        """A hash, the same in every process. None for a key that only has a meaning within this process."""
        if self._digest is _MISSING:
            state = hashlib.sha256()
            self._digest = state.hexdigest() if _feed(state, self.key) else None
        return self._digest

    @property
    def portable(self) -> str | None:
        """A hash of texts, the same in all versions of Python. None if a function's text is missing or has changed."""
        if self._portable is _MISSING:
            state = hashlib.sha256()
            self._portable = state.hexdigest() if _feed(state, self.key, text_of) else None
        return self._portable


_by_overloads: set[Callable] = set()


def replaced(functions: Iterable[Any]) -> None:
    """Declare functions that Numba's overloads replace in compiled code: the names in their code need no watch."""
    _by_overloads.update(functions)


_identities: dict[tuple, Identity] = clearable({})
_latest: dict[int, Known] = clearable({})
"""By the addresses of functions that are alive."""


def identity(function: FunctionType, *, arrays: bool = False) -> Identity:
    """Return the identity of a function, with `arrays` also of the contents of arrays that it names.

    MutableGlobalError if it, or a function that it calls, names a container, a whole module, or otherwise an array.
    """
    return known(function, arrays=arrays).identity


def known(function: FunctionType, *, arrays: bool = False) -> Known:
    """`identity`, with the data that later verify it. The latest result is returned while it is current."""
    address = id(function)
    latest = _latest.get(address)
    if latest is not None and latest.is_current(function):
        return latest
    reader = _Reader(arrays)
    key = reader.function(function)
    found = _identities.setdefault(key, Identity(key))
    forget = _latest.pop  # not by its global name, which is gone when functions die at the end of the process
    reader.watched.found(ref(function, lambda _: forget(address, None)), found)
    _latest[address] = reader.watched
    return reader.watched


class _Function(NamedTuple):
    """A function that a key was made of, and the objects that it named: functions, and other values."""

    function: ref[FunctionType]
    code: CodeType
    defaults: Any
    keyword_defaults: dict[str, Any] | None
    values: tuple[tuple[str, Any], ...]
    functions: tuple[tuple[str, ref[FunctionType]], ...]
    cells: tuple[tuple[int, Any], ...]


class Known:
    """The identity of a function, and the values of the names in it. References to functions are weak, as functions may
    refer to themselves.

    It is never current unless `steady`: a module may compute an attribute at each access, an array may be written to.
    """

    __slots__ = ("__weakref__", "_function", "functions", "identity", "modules", "of_modules", "steady")

    def __init__(self) -> None:
        self.functions: list[_Function] = []
        self.modules: list[tuple[dict[str, Any], str, Any]] = []
        self.of_modules: list[tuple[dict[str, Any], str, ref[FunctionType]]] = []  # functions among their attributes
        self.steady = True

    def found(self, function: ref[FunctionType], identity: Identity) -> None:
        """Set the function for which the identity was found."""
        self._function = function
        self.identity = identity

    def is_current(self, function: Any) -> bool:
        """Whether it was found for this function, and every name still stands for the same object."""
        if self._function() is not function or not self.steady:
            return False
        # Written out, as every call of an operator comes by here. (A reference that is dead is no name's None.)
        for held, code, defaults, keyword_defaults, values, functions, cells in self.functions:
            each = held()
            if each is None or each.__code__ is not code or each.__defaults__ is not defaults:
                return False
            now = each.__kwdefaults__
            if (now or keyword_defaults) and not _same_items(now, keyword_defaults):
                return False
            space = each.__globals__
            for name, kept in values:
                if space.get(name, _MISSING) is not kept:
                    return False
            for name, kept in functions:
                value = space.get(name)
                if value is None or value is not kept():
                    return False
            if cells:
                closure = each.__closure__ or ()
                for i, kept in cells:
                    value = _contents(closure[i])
                    if value is not kept and not _same(value, kept):
                        return False
        for space, name, kept in self.modules:
            if space.get(name, _MISSING) is not kept:
                return False
        for space, name, kept in self.of_modules:
            value = space.get(name)
            if value is None or value is not kept():
                return False
        return True

    def watch_module(self, space: dict[str, Any], name: str, value: Any) -> None:
        """Watch the value of an attribute of a module."""
        if type(value) is FunctionType:
            self.of_modules.append((space, name, ref(value)))
        else:
            self.modules.append((space, name, value))


def _weakly(value: Any) -> Any:
    """A weak reference to a function, any other value itself."""
    return ref(value) if type(value) is FunctionType else value


def _same(value: Any, held: Any) -> bool:
    """Whether `value` is the object that `_weakly` made `held` of."""
    return value is held or (type(held) is ref and value is not None and held() is value)


def _same_items(items: dict[str, Any] | None, held: dict[str, Any] | None) -> bool:
    if not items or not held:
        return not items and not held
    return items.keys() == held.keys() and all(items[name] is held[name] for name in held)


_PLAIN = frozenset({int, bool, str, bytes, type(None), type(...)})


_replaced: dict[FunctionType, tuple[CodeType, tuple]] = {}
"""The keys of functions in `_by_overloads`, of which there are few, and the code that each was made of."""


def _key_of_replaced(function: FunctionType) -> tuple:
    """The key of a function that compiled code does not call. No names are watched for it."""
    known = _replaced.get(function)
    if known is None or known[0] is not function.__code__:
        known = _replaced[function] = function.__code__, _Reader(False).function(function)
    return known[1]


class _Reader:
    """Makes the key of a function, and notes by which names."""

    def __init__(self, arrays: bool):
        self._arrays = arrays
        self._seen: dict[int, int] = {}
        self._open: set[int] = set()  # functions that are being read: one met again among them calls itself
        self.watched = Known()

    def function(self, function: FunctionType) -> tuple:
        """Its code, and the keys of its defaults and of all that it names."""
        address = id(function)
        if address in self._seen:  # it calls itself, or two call it
            return ("again", self._seen[address], *([RECURSIVE] if address in self._open else []))
        self._seen[address] = len(self._seen)
        self._open.add(address)
        try:
            return self._read(function)
        finally:
            self._open.discard(address)

    def _read(self, function: FunctionType) -> tuple:
        defaults, keyword_defaults = function.__defaults__, function.__kwdefaults__
        kept = None if keyword_defaults is None else dict(keyword_defaults)
        named, space, cells = reads(function.__code__), function.__globals__, _cells(function).items()
        values = {name: space.get(name, _MISSING) for name in named.globals}
        functions = {name: ref(value) for name, value in values.items() if type(value) is FunctionType}
        self.watched.functions.append(_Function(
            ref(function), function.__code__, defaults, kept,
            tuple((name, value) for name, value in values.items() if name not in functions), tuple(functions.items()),
            tuple((i, _weakly(_contents(cell))) for i, (name, cell) in enumerate(cells) if name in named.free),
        ))  # fmt: skip
        parts: list[Any] = [function.__code__]
        parts += (self._value("a default", value) for value in defaults or ())
        parts += ((name, self._value(name, value)) for name, value in sorted((kept or {}).items()))
        for name, value, chains, _ in captured(function):
            if isinstance(value, ModuleType):
                parts.extend(self._follow(name, value, chain) for chain in chains)
            else:
                parts.append((name, self._value(name, value)))
        return tuple(parts)

    def _follow(self, name: str, value: Any, chain: Chain) -> tuple:
        """The key of the value at the end of a chain of attributes, as far as it goes through modules."""
        for attribute in chain:
            if not isinstance(value, ModuleType):
                break
            name = f"{name}.{attribute}"
            held = value.__dict__.get(attribute, _MISSING)
            self.watched.watch_module(value.__dict__, attribute, held)
            if held is _MISSING:
                held = getattr(value, attribute, _MISSING)
                self.watched.steady = False
            value = held
        return name, self._value(name, value)

    def _value(self, name: str, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return kind, value
        if kind is float:
            return kind, struct.pack("d", value)  # distinguishes 0.0 and -0.0, and finds nan again
        if kind is FunctionType:
            if (value.__module__ or "").partition(".")[0] in LIBRARIES:
                return "library", value.__module__, value.__qualname__
            return _key_of_replaced(value) if value in _by_overloads else self.function(value)
        if kind is complex:
            return kind, struct.pack("dd", value.real, value.imag)
        if isinstance(value, tuple):
            return _named(kind), getattr(kind, "_fields", ()), tuple(self._value(name, item) for item in value)
        if isinstance(getattr(value, "py_func", None), FunctionType):
            return "compiled", repr(sorted(getattr(value, "targetoptions", {}).items())), self.function(value.py_func)
        if isinstance(value, _Intrinsic):
            return "intrinsic", self.function(value._defn)
        is_library = isinstance(value, ModuleType) and value.__name__.partition(".")[0] in LIBRARIES
        if is_library or isinstance(value, BuiltinFunctionType | np.ufunc):
            return "library", getattr(value, "__module__", ""), value.__name__
        if isinstance(value, np.generic):
            return value.dtype.str, value.tobytes()
        if isinstance(value, np.dtype | types.Type):
            return _named(kind), str(value)
        if isinstance(value, enum.Enum):
            return _named(kind), value.name, self._value(name, value.value)
        if isinstance(value, enum.EnumMeta):
            members = value.__members__.items()  # aliases, too
            return _named(value), tuple((alias, self._value(name, member)) for alias, member in members)
        if isinstance(value, type):
            return _named(value), getattr(value, "_fields", ())
        if isinstance(value, np.ndarray) and self._arrays:
            self.watched.steady = False
            return "array", value.dtype.str, value.shape, value.tobytes()
        is_array = hasattr(value, "__array__") or hasattr(value, "__cuda_array_interface__")
        if is_array or isinstance(value, (*MUTABLE, ModuleType)):
            raise MutableGlobalError(name, value)
        return _Unknown(value)


def _named(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _parts_of(code: CodeType) -> tuple:
    """The parts of code that define its behavior in this version of Python."""
    return (
        code.co_name, code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
        code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags,
        getattr(code, "co_exceptiontable", b""),
    )  # fmt: skip


def _feed(state: Any, key: Any, code_as: Callable[[CodeType], Any] = _parts_of) -> bool:
    """Add a key to a hash, with code as `code_as` returns it. False if it, or code in it, has no lasting value."""
    if isinstance(key, _Unknown):
        return False
    if isinstance(key, tuple | frozenset):
        items = sorted(key, key=repr) if isinstance(key, frozenset) else key
        state.update(f"({len(key)} ".encode())
        return all(_feed(state, item, code_as) for item in items)
    if isinstance(key, CodeType):
        stands_for = code_as(key)
        return stands_for is not None and _feed(state, stands_for, code_as)
    text = _named(key) if isinstance(key, type) else f"{type(key).__name__} {key!r}"
    state.update(f"{len(text)} {text}".encode())
    return True


def function_digest(function: Callable) -> str | None:
    """The hash of a function of the project, which may name arrays."""
    return identity(getattr(function, "py_func", function), arrays=True).digest
