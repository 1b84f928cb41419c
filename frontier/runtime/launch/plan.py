"""Plans: launches that are captured once and replayed, with values that the host has changed since.

A launch costs the host microseconds, nearly all for constants: the kernel, its grid, the addresses of arrays. A small
update is a dozen launches that are always the same. Numbers and arrays among the arguments stay. A `ByValue`, such as a
`Struct`, a `Field` or a `Number`, is read at each run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import is_
from typing import Any

from .launch import Fill, Launch
from .launch_graph import LaunchGraph, graph_of
from .recorder import recorder
from .streams import stream_getter

MAX_LAUNCHES = 1000  # of a plan: the host does not know when a frontier is empty


class Plan:
    """Launches in their order, captured and not run in a ``with`` block. The plan retains arrays among arguments.

    Meanwhile `recorder.launches.memory` is `memory`, and the scratch memory of `work` is `scratch`: launches contain
    its addresses, so nothing else may use it.
    """

    def __init__(self, memory: Any = None, work: Any = None, scratch: Any = None) -> None:
        self.memory = memory
        self._work, self._scratch = work, scratch
        self._stream = stream_getter()
        self._steps: list[Launch | Fill] = []
        self._repeaters: list[Callable[[int], None]] = []
        self._kept: list[Any] = []
        self._graph: LaunchGraph | None = None

    def __enter__(self) -> Plan:
        if recorder.launches is not None:
            raise RuntimeError("launches are being captured already")
        recorder.launches = self
        self._exchange_scratch()
        return self

    def __exit__(self, kind: Any, *raised: Any) -> None:
        recorder.launches = None
        self._exchange_scratch()
        self._work = None
        if kind is None:
            self._stream()  # sees to it that the driver may be called
            self._graph = graph_of(self._steps)

    def _exchange_scratch(self) -> None:
        if self._work is not None:
            self._work.scratch, self._scratch = self._scratch, self._work.scratch

    def add(self, step: Launch | Fill) -> None:
        """Append a step."""
        self._steps.append(step)
        self._repeaters.append(step.repeater())
        if len(self._steps) > MAX_LAUNCHES:
            raise RuntimeError(
                f"a capture of more than {MAX_LAUNCHES} launches: instead of a loop as long as a frontier has members, "
                "call traverse"
            )

    def add_fill(self, array: Any, byte: int) -> None:
        """Append that all bytes of an array are set."""
        self.add(Fill(array, byte))

    def keep(self, *arrays: Any) -> None:
        """Retain arrays that kernels address through structs."""
        self._kept.append(arrays)

    def run(self) -> None:
        """Queue all launches on the current stream."""
        stream = self._stream().ptr
        if self._graph is not None:
            self._graph.run(stream)
            return
        for repeat in self._repeaters:
            repeat(stream)

    def __len__(self) -> int:
        return len(self._steps)


class Plans:
    """Plans by key, each valid while its state and guards are the same."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[Hashable, tuple[Any, tuple, Any]] = {}

    def find(self, key: Hashable, state: Any = None, guards: tuple = ()) -> Any:
        """The plan of a key, if its state is equal and its guards are the same objects. Otherwise it is dropped."""
        held = self._held.get(key)
        if held is None:
            return None
        made_for, same, plan = held
        if made_for == state and (same is guards or (len(same) == len(guards) and all(map(is_, same, guards)))):
            return plan
        del self._held[key]
        return None

    def add(self, key: Hashable, plan: Any, state: Any = None, guards: tuple = ()) -> Any:
        """Store a plan with its state and guards, and return it."""
        self._held[key] = state, guards, plan
        return plan

    def values(self) -> list[Any]:
        """All stored plans."""
        return [plan for _, _, plan in self._held.values()]
