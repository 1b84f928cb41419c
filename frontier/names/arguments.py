"""The check of arguments that are names of vertices."""

from __future__ import annotations

from typing import Any

from frontier.runtime.values import kind_of

from .names import Names


def check_names(names: Any) -> Names | None:
    """The argument `names`; raises TypeError unless it is a `Names`, or None."""
    if not isinstance(names, Names | None):
        raise TypeError(f"names must be a frontier.Names, not {kind_of(names)}")
    return names
