"""Holding back Ctrl-C while something is done that must not be left half done."""

from __future__ import annotations

import _signal  # `signal` wraps it: its wrappers turn numbers into enums, which is slower than a small update
import threading
from signal import SIGINT
from typing import Any

_SIGINT = int(SIGINT)

_holding = False
"""Whether SIGINT is deferred already. Only the main thread, in which Python runs all handlers, writes it. Other threads
have nothing to defer, whatever they read."""


class HeldInterrupts:
    """SIGINT, deferred from construction to `release`, which calls the previous handler if the signal came.

    This covers Ctrl-C, `_thread.interrupt_main`, and users' handlers. It does nothing in other threads, which run no
    handlers, and inside another `HeldInterrupts`.
    """

    __slots__ = ("_came", "_handler")

    def __init__(self) -> None:
        global _holding
        self._handler: Any = None
        self._came: tuple[Any, Any] | None = None
        if _holding or threading.get_ident() != threading.main_thread().ident:
            return
        handler = _signal.getsignal(_SIGINT)
        if not callable(handler):  # the system's default action, or none: no Python code runs
            return
        try:
            _signal.signal(_SIGINT, self._note)
        except ValueError:  # not the main interpreter
            return
        self._handler = handler
        _holding = True

    def deliver(self) -> None:
        """Call the handler now if the signal has come, at a moment at which nothing is half done."""
        came, self._came = self._came, None
        if came is not None:
            self._handler(*came)

    def release(self) -> None:
        """Put the handler back, and call it if the signal has come."""
        global _holding
        if self._handler is None:
            return
        _holding = False
        if _signal.getsignal(_SIGINT) == self._note:  # no other handler was set meanwhile
            _signal.signal(_SIGINT, self._handler)
        if self._came is not None:
            self.deliver()

    def _note(self, number: int, frame: Any) -> None:
        self._came = number, frame
