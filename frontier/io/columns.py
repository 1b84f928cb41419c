"""Which column holds what: names, their synonyms, and the rule for an unnamed third column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

Columns = Sequence[str | None] | Mapping[str, str] | None
"""Roles by position (None skips one), or a mapping of role to column name."""

_SYNONYMS = {
    "src": "src source from fromnodeid from_id source_id u start tail i row",
    "dst": "dst dest destination target to tonodeid to_id target_id v end head j col",
    "weight": "weight weights w wgt value val",
    "time": "time times t timestamp ts unixtime unixts unix_time",
}
_ROLE_OF = {name: role for role, names in _SYNONYMS.items() for name in names.split()}
_ROLES = tuple(_SYNONYMS)

EARLIEST_TIME = 10**8
"""An unnamed third column of integers that are all at least this large is taken for times (Unix: March 1973)."""


def role_of(name: str) -> str | None:
    """Role of a column called `name`, or None where the name says nothing."""
    return _ROLE_OF.get(name.strip().strip('"').lower())


def roles_from_names(names: Sequence[str]) -> list[str | None] | None:
    """Roles of named columns.

    Parameters
    ----------
    names : sequence of str
        Column names in order.

    Returns
    -------
    list of (str or None), or None
        The role of each column, None for one to skip; None altogether if no column is a source or a destination.
    """
    roles: list[str | None] = []
    for name in names:
        role = role_of(name)
        roles.append(None if role in roles else role)
    return roles if "src" in roles and "dst" in roles else None


def check_roles(columns: Sequence[str | None]) -> list[str | None]:
    """Check roles given by position.

    Parameters
    ----------
    columns : sequence of (str or None)
        Names or synonyms of ``src``, ``dst``, ``weight`` and ``time``; None, ``""`` and ``"_"`` skip a column.

    Returns
    -------
    list of (str or None)
        The same with synonyms resolved and skipped columns as None.

    Raises
    ------
    ValueError
        If a name is unknown or occurs twice, or if ``src`` or ``dst`` is missing.
    TypeError
        If `columns` is one string.
    """
    if isinstance(columns, str):
        raise TypeError(f"columns is a sequence such as ('src', 'dst', 'time'), got the string {columns!r}")
    roles = [None if name in (None, "", "_") else (role_of(name) or name) for name in columns]
    for role in roles:
        if role is not None and role not in _ROLES:
            raise ValueError(f"unknown column {role!r}; columns are {', '.join(_ROLES)}, or None to skip one")
        if role is not None and roles.count(role) > 1:
            raise ValueError(f"column {role!r} is named twice")
    if "src" not in roles or "dst" not in roles:
        raise ValueError("columns must name both 'src' and 'dst'")
    while roles[-1] is None:  # skipping the last columns needs no column there
        roles.pop()
    return roles


def roles_from_mapping(columns: Mapping[str, str], names: Sequence[str]) -> list[str | None]:
    """Roles of named columns from a mapping of role to name.

    Parameters
    ----------
    columns : mapping of str to str
        For example ``{"src": "sender", "dst": "receiver", "time": "sent"}``.
    names : sequence of str
        The names that the file or table has, in order.

    Returns
    -------
    list of (str or None)
        The role of each column.

    Raises
    ------
    ValueError
        If a role is unknown or `names` lacks a column.
    """
    for name in columns.values():
        if name not in names:
            raise ValueError(f"there is no column {name!r}; the columns are {', '.join(map(str, names))}")
    by_name = {name: role for role, name in columns.items()}
    return check_roles([by_name.get(name) for name in names])


def looks_like_times(values: np.ndarray) -> bool:
    """Whether an unnamed third column is taken for times.

    Parameters
    ----------
    values : ndarray, shape (m,)
        The column.

    Returns
    -------
    bool
        True for integers that are all at least `EARLIEST_TIME`.
    """
    return values.dtype.kind in "iu" and len(values) > 0 and int(values.min()) >= EARLIEST_TIME
