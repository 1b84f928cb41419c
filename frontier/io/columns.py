"""The roles of columns: names, their synonyms, and columns without a role."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .errors import ParseError
from .words import is_number

Columns = Sequence[str | None] | Mapping[str, str] | None
"""Roles by position (None skips one), or a mapping of role to column name."""

_SYNONYMS = {
    "src": "src source from fromnodeid from_id source_id u start tail i row",
    "dst": "dst dest destination target to tonodeid to_id target_id v end head j col",
    "weight": "weight weights w wgt value val amount cost distance",
    "time": "time times t timestamp ts datetime date when unixtime unixts unix_time",
}
"""If several columns name one role, the column whose name comes first here has it."""
_ROLE_OF = {name: role for role, names in _SYNONYMS.items() for name in names.split()}
_RANK = {name: rank for names in _SYNONYMS.values() for rank, name in enumerate(names.split())}
_ROLES = tuple(_SYNONYMS)
_ENDS = ("src", "dst")
UNKNOWN = "unknown"  # the role of an unnamed third column: a weight or a time, by its values

EARLIEST_TIME = 10**8
"""An unnamed third column of integers that are all at least this large is read as times (Unix: March 1973)."""


class ReaderWarning(UserWarning):
    """A reader has made a decision that the file does not determine.

    Parameters
    ----------
    source : str
        Name of the file or table.
    decision : str
        The decision.
    advice : str
        How to decide otherwise.

    Attributes
    ----------
    source, decision, advice
        The parameters, as given.

    See Also
    --------
    read_edges : Issues it.
    """

    def __init__(self, source: str, decision: str, advice: str) -> None:
        self.source, self.decision, self.advice = source, decision, advice
        super().__init__(f"{self.summary}; {advice}")

    def __reduce__(self) -> tuple:
        return type(self), (self.source, self.decision, self.advice)

    @property
    def summary(self) -> str:
        """The decision, and the file."""
        return f"{self.source}: {self.decision}"


class IgnoredColumnsWarning(ReaderWarning):
    """A table has columns that are neither ends nor weight nor time, and that the caller has not excluded.

    Parameters
    ----------
    source : str
        Name of the table.
    names : sequence of str
        The columns.
    example : tuple of (role, name), optional
        A column of numbers or dates that could be chosen.

    Attributes
    ----------
    source, names, example
        The parameters, as given.

    See Also
    --------
    read_edges : Issues it.
    """

    def __init__(self, source: str, names: Sequence[str], example: tuple[str, str] | None = None) -> None:
        self.names, self.example = tuple(names), example
        said = ", ".join(repr(name) if name else "without a name" for name in self.names)
        such = "" if example is None else f", such as columns={{{example[0]!r}: {example[1]!r}}}"
        decision = f"ignored the column{'s' * (len(self.names) > 1)} {said}"
        super().__init__(source, decision, f"choose with columns={such}")

    def __reduce__(self) -> tuple:
        return type(self), (self.source, self.names, self.example)


def role_of(name: str) -> str | None:
    """Return the role of a column called `name`, or None if the name implies none."""
    return _ROLE_OF.get(_plain(name))


def _plain(name: str) -> str:
    return name.strip().strip('"').lower()


def roles_from_names(names: Sequence[str]) -> list[str | None] | None:
    """Return the role of each column by name (None for columns to skip), or None unless both ends are named."""
    roles = _named_roles(names)
    return roles if "src" in roles and "dst" in roles else None


def surely_names_columns(words: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether fields of a line cannot be a row: known names of ends, longer than a letter or above a number."""
    ends = [word for word in words if role_of(word) in _ENDS]
    if roles_from_names(words) is None:
        return False
    return bool(_over_numbers(words, below)) or all(len(_plain(word)) > 1 for word in ends)


def _over_numbers(words: Sequence[str], below: Sequence[str]) -> list[str]:
    """Return the numbers of a line that stand below words."""
    pairs = zip(words, below, strict=False)
    return [there for word, there in pairs if word and not is_number(word) and is_number(there)]


def names_columns(words: Sequence[str], below: Sequence[str], table: bool) -> bool | None:
    """Return whether the first line of a text has the names of the columns, or None if two lines do not determine this.

    Both are given as fields, and compared column by column: names are neither numbers nor dates. A `table` is expected
    to have a line of names, whatever the names are.
    """
    numbers = any(map(is_number, words))
    over = _over_numbers(words, below)
    if roles_from_names(words) is not None:
        return bool(over) or not numbers
    if not table:
        return False
    ends = sum(re.fullmatch(r"[0-9]+", there, re.ASCII) is not None for there in over) >= 2  # words above two integers
    if numbers:
        return None if ends else False
    return True if ends or len(words) < 2 else None


def _named_roles(names: Sequence[str]) -> list[str | None]:
    """Return the role of each column whose name is the best one for that role."""
    roles: list[str | None] = [None] * len(names)
    for role in _ROLES:
        with_role = [k for k, name in enumerate(names) if role_of(name) == role]
        if with_role:
            roles[min(with_role, key=lambda k: _RANK[_plain(names[k])])] = role
    return roles


DATA = "data "  # the prefix of the role of a column of edge data, followed by its name


def resolve_roles(
    names: Sequence[str], columns: Columns, weighted: bool | None, source: str, data: Sequence[str] = (), *,
    fits: Callable[[int], str | None],
) -> list[str | None]:  # fmt: skip
    """Return the roles of the columns of a table of any kind.

    `fits` returns a column's possible role by its values: ``"weight"``, ``"time"`` or None. Columns in `data` have the
    role `DATA` and their name. All further roles and errors are as in `_resolve`. ValueError, too, if a column in
    `data` is missing, or has a role by `columns`.
    """
    if not data:
        return _resolve(names, columns, weighted, source, fits)
    chosen = {_place_of(name, names, source): name for name in check_data(data)}
    by_position = columns is not None and not isinstance(columns, Mapping)
    rest = list(range(len(names))) if by_position else [k for k in range(len(names)) if k not in chosen]
    if isinstance(columns, Mapping):
        for role, name in columns.items():
            if name in chosen.values():
                raise ValueError(f"{source}: data and columns[{role!r}] name the same column, {name!r}")
    roles: list[str | None] = [None] * len(names)
    found = _resolve([names[k] for k in rest], columns, weighted, source, lambda k: fits(rest[k]))
    for k, role in zip(rest, found, strict=True):
        roles[k] = role
    for k, name in chosen.items():
        if roles[k] is not None:
            raise ValueError(f"{source}: data names the column {name!r}, which is the {roles[k]}")
        roles[k] = DATA + name
    return roles


def check_data(data: Sequence[str], argument: str = "data") -> Sequence[str]:
    """Raise unless `data`, an argument of this name, lists names of columns."""
    if isinstance(data, str) or not all(isinstance(name, str) for name in data):
        raise TypeError(f"{argument} must be a list of names of columns, not {data!r}")
    if len(set(data)) < len(data):
        raise ValueError(f"{argument} names a column twice: {list(data)}")
    return data


def data_of(picked: Mapping[str, np.ndarray]) -> dict[str, np.ndarray] | None:
    """Return the columns of edge data among columns by role, by name, or None if there are none."""
    return {role.removeprefix(DATA): column for role, column in picked.items() if role.startswith(DATA)} or None


def measures_of(
    picked: Mapping[str, np.ndarray], weighted: bool | None, are_times: Callable[[np.ndarray], bool]
) -> tuple[np.ndarray | None, np.ndarray | None]:  # fmt: skip
    """Return weights and times among columns by role. `are_times` decides about `UNKNOWN` if `weighted` is None."""
    weights, times = picked.get("weight"), picked.get("time")
    if UNKNOWN in picked:
        if weighted is None and are_times(picked[UNKNOWN]):
            times = picked[UNKNOWN]
        else:
            weights = picked[UNKNOWN]
    return None if weighted is False else weights, times


def _place_of(name: object, names: Sequence[str], source: str, advice: str = "") -> int:
    """Return the position of the only column of a name. `advice` is for the error if several have it."""
    there = [k for k, other in enumerate(names) if other == str(name)]
    if not there:
        raise ValueError(f"{source}: there is no column {name!r}; the columns are {', '.join(map(str, names))}")
    if len(there) > 1:
        raise ValueError(f"{source}: {len(there)} columns are called {name!r}{advice}")
    return there[0]


def _resolve(
    names: Sequence[str], columns: Columns, weighted: bool | None, source: str, fits: Callable[[int], str | None]
) -> list[str | None]:  # fmt: skip
    """Return the roles of the columns of a table, except edge data. `UNKNOWN` is a third column, a weight or a time.

    Remaining columns are skipped, with an `IgnoredColumnsWarning` unless `columns` names both ends. `columns` and
    `weighted` are parameters of `frontier.io.read_edges`. Raises ParseError if there are fewer than two columns, or the
    names do not determine the ends, and ValueError if `columns` does not suit the table.
    """
    if columns is not None and not isinstance(columns, Mapping):
        roles = check_roles(columns)
        if len(roles) > len(names):
            raise ParseError(f"missing column: {len(roles)} named, the table has {len(names)}", source)
        return roles + [None] * (len(names) - len(roles))
    given = {} if columns is None else _check_mapping(columns, names, source)
    if set(_ENDS) <= set(given.values()):
        return [given.get(k) for k in range(len(names))]
    if len(names) < 2:
        other = next((mark for mark in ";|\t" for name in names if mark in name), None)
        hint = f" (is delimiter={other!r} meant?)" if other else ""
        raise ParseError(f"missing column: a table of edges needs two, this one has {len(names)}{hint}", source)
    roles = _amended(names, given, weighted, source)
    ignored = [k for k, role in enumerate(roles) if role is None]
    if ignored:
        could = ((fits(k), names[k]) for k in ignored if names[k])
        example = next(((role, name) for role, name in could if role is not None), None)
        tell(IgnoredColumnsWarning(source, [names[k] for k in ignored], example))
    return roles


def _amended(names: Sequence[str], given: dict[int, str], weighted: bool | None, source: str) -> list[str | None]:
    """Return the given roles, and for the other columns the roles that their names imply."""
    rest = [k for k in range(len(names)) if k not in given]
    roles: list[str | None] = [given.get(k) for k in range(len(names))]
    for k, role in zip(rest, _named_roles([names[k] for k in rest]), strict=True):
        roles[k] = None if role in given.values() else role
    missing = [role for role in _ENDS if role not in roles]
    plain = [k for k in rest if role_of(names[k]) is None]
    measured = "weight" in roles or "time" in roles
    if missing and len(plain) == len(missing) + 1 and len(missing) == 2 and not measured:
        missing.append("weight" if weighted else UNKNOWN)  # like three columns without names
    if missing and len(plain) != len(missing):
        raise ParseError(
            f"which columns are the ends of the edges? The columns are {', '.join(map(repr, names))}; "
            "pass columns={'src': ..., 'dst': ...}", source,
        )  # fmt: skip
    for k, role in zip(plain, missing, strict=False):
        roles[k] = role
    return roles


def tell(warning: ReaderWarning) -> None:
    """Warn the caller of the reader."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("frontier.io"):
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)


def check_roles(columns: Sequence[str | None]) -> list[str | None]:
    """Check roles given by position, and resolve synonyms. Skipped columns (None, ``""``, ``"_"``) have None.

    ValueError for an unknown or repeated name, or without ``src`` or ``dst``. TypeError for one string.
    """
    if isinstance(columns, str):
        raise TypeError(f"columns is a sequence such as ('src', 'dst', 'time'), got the string {columns!r}")
    roles = [None if name in (None, "", "_") else _known_role(name) for name in columns]
    for role in roles:
        if role is not None and roles.count(role) > 1:
            raise ValueError(f"column {role!r} is named twice")
    if "src" not in roles or "dst" not in roles:
        raise ValueError("columns must name both 'src' and 'dst'")
    while roles[-1] is None:  # skipping the last columns needs no column there
        roles.pop()
    return roles


def _known_role(name: object) -> str:
    role = role_of(name) if isinstance(name, str) else None
    if role is None:
        raise ValueError(f"unknown column {name!r}; columns are {', '.join(_ROLES)}, or None to skip one")
    return role


def _check_mapping(columns: Mapping[str, str], names: Sequence[str], source: str) -> dict[int, str]:
    """Return roles by position, from a mapping of role to name such as ``{"src": "sender"}``."""
    found: dict[int, str] = {}
    for key, name in columns.items():
        role = _known_role(key)
        if role in found.values():
            raise ValueError(f"column {role!r} is named twice")
        place = _place_of(name, names, source, "; give the roles by position")
        if place in found:
            raise ValueError(f"columns: {name!r} cannot be both the {found[place]} and the {role}")
        found[place] = role
    return found


def looks_like_times(values: np.ndarray) -> bool:
    """Return whether an unnamed third column is times: integers that are all at least `EARLIEST_TIME`."""
    return values.dtype.kind in "iu" and len(values) > 0 and int(values.min()) >= EARLIEST_TIME
