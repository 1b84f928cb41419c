"""Calls on several threads, and programs that are run by another process."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """The results of `work` in each of `count` threads that start together."""
    start = threading.Barrier(count)

    def run(i: int) -> Any:
        start.wait()
        return work(i)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def needs_layer(layer: str) -> None:
    """Skip the test if Numba lacks a threading layer, which may be a package."""
    if layer == "tbb":
        try:
            importlib.metadata.version("tbb")
        except importlib.metadata.PackageNotFoundError:
            pytest.skip("the package tbb is not installed")


def run(program: str, timeout: int = 240, **environment: str) -> str:
    """The output of a program in a separate process."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], env=os.environ | environment, capture_output=True, text=True,
        timeout=timeout,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
