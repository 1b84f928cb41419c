"""Memory for ``frontier/core/batch/slot_filter.cuh``."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import Device

FILTER_WORDS = 4096


def new_filter(device: Device, more: int = 0) -> Any:
    """An empty filter on a GPU, and so many words more behind it, all zero."""
    return device.xp.zeros(FILTER_WORDS + more, np.uint32)
