"""The base of `IntegerNames`: the facts that its two halves, for either device, know of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.runtime import Counters, Device, Kernels


class BaseIntegerNames:
    """See `IntegerNames`, which documents these attributes."""

    device: Device
    kernels: Kernels
    counters: Counters
    by_id: Any
    named: Any
    free_ids: Any
    state: np.ndarray

    if TYPE_CHECKING:

        @property
        def slots(self) -> tuple[Any, Any, int]: ...
