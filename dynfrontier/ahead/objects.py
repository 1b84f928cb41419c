"""Functions and classes by name: ``"package.module:qualified.name"``."""

from __future__ import annotations

import importlib
import operator
from typing import Any


def name_of(found: Any) -> str:
    """The name of a function or class that its module has.

    Raises
    ------
    TypeError
        It has no name by which other processes can find it.
    """
    name = f"{found.__module__}:{found.__qualname__}"
    if "<locals>" in name:
        raise TypeError(f"{name} cannot be found by name")
    return name


def named(name: str) -> Any:
    """The function or class of this name."""
    module, _, path = name.partition(":")
    return operator.attrgetter(path)(importlib.import_module(module))
