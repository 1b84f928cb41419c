"""Files of published graphs, in the folder that DYNFRONTIER_DATA names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = os.environ.get("DYNFRONTIER_DATA")


def locate(name):
    path = Path(FOLDER) / name
    if not path.exists():
        pytest.skip(f"{name} is not in DYNFRONTIER_DATA")
    return path
