"""The display of objects in notebooks: a small table of the contents of their `repr`, without work on the device."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

LEFT = 'style="text-align:left"'

FIRST = 8
"""Entries of an array that are shown."""


def html_table(title: str, rows: Mapping[str, Any]) -> str:
    """A table of names and values, with a title."""
    cells = "".join(
        f"<tr><th {LEFT}>{escape(name)}</th><td {LEFT}>{escape(value_text(value))}</td></tr>"
        for name, value in rows.items()
    )
    return f"<table><caption>{escape(title)}</caption><tbody>{cells}</tbody></table>"


def value_text(value: Any) -> str:
    """A value in a few words: of an array the type and shape, and on the host its first entries."""
    if not hasattr(value, "dtype") or not getattr(value, "ndim", 0):
        return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    text = array_text(value)
    if isinstance(value, np.ndarray) and value.ndim == 1:
        shown = ", ".join(str(x) for x in value[:FIRST].tolist())
        text += f": {shown}{', ...' if value.size > FIRST else ''}"
    return text


def array_text(array: Any) -> str:
    """The type and shape of an array."""
    return f"{array.dtype}[{', '.join(f'{size:,}' for size in array.shape)}]"


def fields_text(name: str, values: Mapping[str, Any]) -> str:
    """The `repr` of a result: numbers as they are, of arrays the type and shape."""
    parts = [
        f"{key}={array_text(value) if getattr(value, 'ndim', 0) else value}" for key, value in values.items()
    ]  # fmt: skip
    return f"{name}({', '.join(parts)})"
