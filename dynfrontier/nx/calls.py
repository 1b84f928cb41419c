"""Count the calls that the backend ran, and the calls that it left to NetworkX, with the reasons.

If ``DYNFRONTIER_NETWORKX_CALLS`` names a file, the process writes the counts to it, as JSON, when it ends.
"""

from __future__ import annotations

import atexit
import json
import os
from collections import Counter
from pathlib import Path

VARIABLE = "DYNFRONTIER_NETWORKX_CALLS"

_file = os.environ.get(VARIABLE)
_ran: Counter[str] = Counter()
_left: Counter[tuple[str, str]] = Counter()


def ran(name: str) -> None:
    if _file:
        _ran[name] += 1


def fell_back(name: str, reason: str) -> None:
    """Count a call that is left to NetworkX."""
    if _file:
        _left[name, reason] += 1


def counts() -> dict[str, dict]:
    """The counts: ``{"ran": {name: calls}, "networkx": {name: {reason: calls}}}``."""
    left: dict[str, dict[str, int]] = {}
    for (name, reason), count in _left.items():
        left.setdefault(name, {})[reason] = count
    return {"ran": dict(_ran), "networkx": left}


def _write() -> None:
    Path(str(_file)).write_text(json.dumps(counts(), indent=1, sort_keys=True), encoding="utf-8")


if _file:
    atexit.register(_write)
