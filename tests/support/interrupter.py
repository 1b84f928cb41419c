"""Interrupts at a chosen moment of an update."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from model import Model


class Interrupter:
    """Sends SIGINT at the `at`-th moment, of all moments within calls at which Python may run a signal's handler."""

    def __init__(self, at: int | None = None):
        self.at = at
        self.moments = 0

    def __call__(self, frame: Any, event: str, arg: Any) -> None:
        if event in ("call", "c_return") and frame.f_globals.get("__name__") != __name__:
            self.moments += 1
            if self.moments == self.at:
                signal.raise_signal(signal.SIGINT)

    def run(self, work: Callable[[], Any]) -> bool:
        """Whether `work` was interrupted."""
        sys.setprofile(self)
        try:
            work()
        except KeyboardInterrupt:
            return True
        finally:
            sys.setprofile(None)
        return False


UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "insert": lambda g, b: g.insert_edges(*b),
    "keep": lambda g, b: g.insert_edges(*b, on_existing="keep"),
    "add": lambda g, b: g.insert_edges(*b, on_existing="add"),
    "delete": lambda g, b: g.delete_edges(*b[:2]),
    "insert-vertices": lambda g, b: g.insert_vertices(30),
    "delete-vertices": lambda g, b: g.delete_vertices(np.unique(b[0][:5])),
    "compact": lambda g, b: None if isinstance(g, Model) else g.compact(),
}
