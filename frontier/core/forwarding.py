"""Properties forwarded to another object."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TypeVar

T = TypeVar("T", bound=type)


def forwards(to: str, *names: str) -> Callable[[T], T]:
    """Class decorator: properties of these names read the attribute `to`. Bases declare their types."""

    def decorate(cls: T) -> T:
        for name in names:
            setattr(cls, name, property(attrgetter(f"{to}.{name}"), doc=f"`{name}` of `{to.lstrip('_')}`."))
        return cls

    return decorate
