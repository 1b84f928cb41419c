"""`BaseCommunicator`: the interface of a communicator for windows, and for annotations below `Communicator`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from frontier.runtime import Device


class BaseCommunicator(ABC):  # `Communicator` has the abstract methods
    """The base of `Communicator`, which describes these."""

    rank: int
    size: int
    device: Device

    if TYPE_CHECKING:

        def gather_objects(self, value: Any) -> list[Any]: ...
        def reduce_numbers(self, numbers: Sequence[int], op: str = "sum") -> list[int]: ...
        def barrier(self) -> None: ...
