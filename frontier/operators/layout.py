"""`ReadLayout`: whether an algorithm reads a graph as it is stored, or a static copy of it, and why."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph
from frontier.runtime.values import one_of

GAIN = 1.1
"""The expected speedup by a copy, the time to make it included, from which it is made."""
MEMORY_SHARE = 0.5  # of the free memory, the most that a copy may use


LAYOUTS = ("auto", "native", "csr")


@dataclass(frozen=True)
class ReadLayout:
    """The layout from which an algorithm reads a graph.

    Attributes
    ----------
    name : {"native", "csr"}
        ``"csr"`` is a static copy, made for the purpose. Otherwise the neighbor iterator of the structure is walked.
    reason : str
        Why.

    See Also
    --------
    choose_layout : Decides it.
    """

    name: str
    reason: str

    @property
    def is_copy(self) -> bool:
        return self.name != "native"

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def choose_layout(
    graph: BaseGraph, layout: str, costs: Callable[[], tuple[float, float]], copy_bytes: int = 0
) -> ReadLayout:
    """The layout that a user asks for. With ``"auto"`` the one expected to be faster.

    Parameters
    ----------
    graph : Graph
    layout : {"auto", "native", "csr"}
    costs : function
        The expected cost of walking the graph as it is stored, and the expected cost of making a copy and walking it,
        in any unit. Called only for ``"auto"``.
    copy_bytes : int
        Memory that the copy needs. If it is more than half of the free memory of the device, none is made.

    Raises
    ------
    TypeError, ValueError
        `layout` is none of these.

    See Also
    --------
    copy_for_passes : The graph in the layout.
    """
    check_graph(graph)
    if one_of(layout, "layout", LAYOUTS) != "auto":
        return ReadLayout(layout, f"layout={layout!r} was asked for")
    native, copied = costs()
    if native <= 0:
        return ReadLayout("native", "there is nothing to do")
    ratio = native / max(copied, 1e-9)
    if ratio > GAIN:
        free = free_bytes(graph)  # slower on a GPU than finding the costs
        if free is not None and copy_bytes > MEMORY_SHARE * free:
            return ReadLayout(
                "native", f"a copy would take {copy_bytes:,} bytes, more than half of the {free:,} that are free"
            )
        return ReadLayout("csr", f"a copy is expected to be {ratio:.2g} times as fast, its making included")
    if ratio >= 1:
        return ReadLayout(
            "native", f"a copy is expected to be {ratio:.2g} times as fast, which is not worth its memory"
        )
    return ReadLayout("native", f"a copy is expected to take {1 / ratio:.2g} times as long, its making included")


def free_bytes(graph: BaseGraph) -> int | None:
    """Free memory of the graph's device, as far as this process may have it, if it is known."""
    if graph.device.is_gpu:
        cuda: Any = graph.xp.cuda
        return int(cuda.runtime.memGetInfo()[0]) + int(graph.xp.get_default_memory_pool().free_bytes())
    try:
        page = os.sysconf("SC_PAGE_SIZE")
        free = os.sysconf("SC_AVPHYS_PAGES") * page
    except (AttributeError, OSError, ValueError):
        return None
    import resource  # not on all systems, but where sysconf is

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return free
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * page
    except OSError:
        return None
    return max(min(free, limit - used), 0)
