"""The error that users see if a functor cannot be used: the line, and the reason, without the compiler's traceback."""

from __future__ import annotations

import dis
import linecache
import os
import re
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType

from frontier.runtime.compile.function_identity import captured


class FunctorError(TypeError):
    """A functor, or an argument for one, that cannot be used. The message shows the line and the reason.

    Attributes
    ----------
    original : Exception or None
        The compiler's message, if the compiler refused.

    See Also
    --------
    checking : Check the indices of functors.
    interpreted : Run functors as plain Python.
    """

    original: Exception | None = None


def blamed(functors: tuple, error: Exception) -> Callable | None:
    """Which of several functors an error of Numba's is about."""
    given = [f for f in functors if f is not None]
    named = [f for f in given if f'File "{_shown_name(f)}"' in str(error) or f"<function {f.__name__} " in str(error)]
    return (named or given or [None])[0]


def is_about_fields(error: TypeError) -> bool:
    """Whether a functor makes a named tuple of too few or too many fields. Numba passes on the errors of `inspect`."""
    return any(words in str(error) for words in ("missing a required argument", "too many positional arguments"))


def explain(function: Callable, error: Exception, where: str) -> FunctorError:
    """An error that shows which line of a functor, or of a function it calls, cannot be compiled, and why."""
    text = _ESCAPES.sub("", str(error))
    at = next((f for f in _called(function) if _lines_named(f, text)), function)
    number = _line_number(at, error, text)
    line = linecache.getline(at.__code__.co_filename, number).strip()
    within = "" if at is function else f", in {at.__name__}()"
    message = f"{function.__name__}() cannot be compiled for {where}: {_reason(text)}\n"
    message += f'  File "{at.__code__.co_filename}", line {number}{within}'
    found = FunctorError(message + (f"\n    {line}" if line else ""))
    found.original = error
    return found


_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_ARRAY_MISUSE = re.compile(
    r"(Unknown attribute '\w+' of type \w+\*|function len>\) found for signature:.*\*)", re.DOTALL
)
_TELLING = (
    "Unknown attribute", "No implementation", "Use of unsupported", "Untyped global", "NameError", "Cannot unify",
    "undefined", "not supported", "nsupported", "Cannot determine", "No conversion", "No definition",
)  # fmt: skip
_OURS = ("would lose the fraction", "must contain integers")
"""The words of the reasons that `frontier.functor.intrinsics.atomics` gives."""


def _reason(text: str) -> str:
    """The part of Numba's message that explains the error to a user."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in")]
    for line in lines:
        if any(words in line for words in _OURS):
            return line.rpartition("TypingError: ")[2]
    if "re-entrant" in text:
        return "a function that calls itself cannot be compiled for a GPU"
    if _ARRAY_MISUSE.search(text):
        return "arrays have no length, shape or methods inside a functor; pass what is needed as an argument"
    for line in lines:
        if any(word in line for word in _TELLING):
            return line.removesuffix(" found for signature:")
    return lines[0] if lines else text


def _called(function: Callable) -> Iterator[FunctionType]:
    """The plain functions that a functor calls, directly or through callees, the innermost first."""
    found: dict[int, FunctionType] = {}

    def follow(caller: FunctionType) -> None:
        for _, value, chains, _ in captured(caller):
            for chain in chains:
                target = value
                for attribute in chain:
                    target = getattr(target, attribute, None) if isinstance(target, ModuleType) else target
                target = getattr(target, "py_func", target)
                if isinstance(target, FunctionType) and id(target) not in found and target is not function:
                    found[id(target)] = target
                    follow(target)

    follow(getattr(function, "py_func", function))
    yield from reversed(found.values())


def _shown_name(function: Callable) -> str:
    """The functor's file as Numba's messages write it."""
    name = function.__code__.co_filename
    try:
        relative = os.path.relpath(name)
    except ValueError:  # another drive
        return name
    return name if relative.startswith("../../../..") else relative


def _lines_named(function: Callable, text: str) -> list[int]:
    """The lines of a function that a message of Numba's names by file and number."""
    first = function.__code__.co_firstlineno
    last = max((line for _, _, line in function.__code__.co_lines() if line), default=first)
    names = {_shown_name(function), function.__code__.co_filename}
    found = [int(n) for name, n in re.findall(r'File "([^"]*)", line (\d+)', text) if name in names]
    found += [int(n) for name, n in re.findall(r"at (\S+) \((\d+)\)", text) if name in names]
    return [n for n in found if first <= n <= last]


def _line_number(function: Callable, error: Exception, text: str) -> int:
    """The line of a functor that an error is about, or its first line if the error does not contain it."""
    unknown = re.search(r"name '(\w+)' is not defined", text)
    if unknown:
        lines = [i.positions.lineno for i in dis.get_instructions(function) if i.argval == unknown[1] and i.positions]
        if lines and lines[0]:
            return lines[0]
    first = function.__code__.co_firstlineno
    last = max((line for _, _, line in function.__code__.co_lines() if line), default=first)
    candidates = [int(n) for n in re.findall(r'File "[^"]*", line (\d+)', text)]
    candidates += [int(n) for n in re.findall(r"\((\d+)\)", text)]
    location = getattr(error, "loc", None)
    if location is not None and location.line:
        candidates.append(location.line)
    inside = [n for n in candidates if first <= n <= last]
    return max(inside) if inside else first
