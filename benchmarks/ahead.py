"""Work in separate processes before a measurement, which fills the caches of compiled code on disk."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from typing import Any

import frontier as fr

from .context import Budget

LIMIT_S = 90.0
"""For all processes together."""


def processes_for(device: fr.advanced.Device, given: int | None) -> int:
    """The number of processes to compile in: one for each core if graphs are on a GPU, else none."""
    if given is not None:
        return given
    return (os.cpu_count() or 1) if device.is_gpu else 0


def in_processes(
    function: Callable[..., Any], jobs: Sequence[tuple], processes: int, meanwhile: Callable[[], Any] = lambda: None
) -> bool:
    """Call a function of a module with the arguments of each job, each in a separate process.

    Parameters
    ----------
    processes : int
        At the same time, at most.
    meanwhile : function
        Called again and again until all have ended.

    Returns
    -------
    bool
        Whether all have ended. Processes that run after `LIMIT_S` seconds are ended.
    """
    spawn, budget = multiprocessing.get_context("spawn"), Budget(LIMIT_S)
    waiting = [spawn.Process(target=function, args=job, daemon=True) for job in jobs]
    running: list[Any] = []
    try:
        while waiting or running:
            if budget.left() <= 0:
                return False
            while waiting and len(running) < processes:
                running.append(waiting.pop(0))
                running[-1].start()
            meanwhile()
            running[0].join(0.1)
            running = [process for process in running if process.is_alive()]
    finally:
        for process in running:
            process.terminate()
    return True
