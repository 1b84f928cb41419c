"""Checks of single values that users pass, and the errors for unsuitable ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

OWN = ("builtins", "frontier", "structures", "algorithms")
"""Types of these modules are named without the module."""


def integer(value: Any, name: str, least: int | None = None) -> int:
    """Return `value` as an int. Raises TypeError if it is no integer, and ValueError if it is less than `least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, not {kind_of(value)}")
    if least is not None and value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return int(value)


def number(value: Any, name: str) -> float:
    """Return `value` as a float. TypeError if it is no number."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} must be a number, not {kind_of(value)}")
    return float(value)


def flag(value: Any, name: str) -> bool:
    """Return `value` as a bool. TypeError if it is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def one_of(value: Any, name: str, choices: Iterable[str]) -> str:
    """Return `value`, one of some strings. ValueError if it is none of them."""
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}")
    return value


def kind_of(value: Any) -> str:
    """The name of a value's type in errors."""
    if value is None:
        return "None"
    module, name = type(value).__module__.partition(".")[0], type(value).__name__
    return name if module in OWN else f"{module}.{name}"
