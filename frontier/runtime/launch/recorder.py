"""The plan that receives the launches of a thread instead of the GPU during a capture."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Recorder(threading.local):
    launches: Any = None  # the plan


recorder = _Recorder()


@contextmanager
def not_recorded() -> Iterator[None]:
    """A block whose launches run at once, also during a capture."""
    held, recorder.launches = recorder.launches, None
    try:
        yield
    finally:
        recorder.launches = held


def refuse_to_wait() -> None:
    """Raise RuntimeError during a capture: nothing has run that the host could synchronize with."""
    if recorder.launches is not None:
        raise RuntimeError("launches are being captured, and none has run to synchronize with: read results afterwards")
