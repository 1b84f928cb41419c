"""`Engine`: workers, one for each part, that run the same function at the same time."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ..communicator import Communicator


class Host:
    """What a worker keeps between calls.

    Attributes
    ----------
    comm : Communicator
    objects : dict
        Whatever calls have put there, by the number that `Engine.new_key` gave.
    """

    def __init__(self, comm: Communicator):
        self.comm = comm
        self.objects: dict[int, Any] = {}


class Engine(ABC):
    """Workers of which each has a `Host`, with a communicator to all others.

    Attributes
    ----------
    size : int
        Number of workers.
    """

    size: int
    keeps_results: ClassVar[bool] = False
    """Whether workers keep results until their arrays are asked for, and data frames are spread over them."""

    def __init__(self) -> None:
        self._keys = itertools.count()

    def new_key(self) -> int:
        """A number for `Host.objects` that no other object has."""
        return next(self._keys)

    @abstractmethod
    def run(self, function: Callable, shares: Sequence[tuple]) -> list[Any]:
        """Call ``function(host, *shares[rank])`` on every worker at the same time.

        Threads of the program may call it: all workers see the calls in one order.

        Returns
        -------
        list
            What each returned, in order of ranks.

        Raises
        ------
        Exception
            What the function has raised on the first worker where it did.
        PartLostError
            A worker is gone. The engine, and what its workers held, can be used no more.
        """

    def run_alike(self, function: Callable, *args: Any) -> list[Any]:
        """`run` with the same arguments everywhere."""
        return self.run(function, [args] * self.size)

    @abstractmethod
    def close(self) -> None:
        """Let the workers go."""

    def frame(self, key: int, columns: Any, counts: Sequence[int]) -> Any:
        """A data frame of the rows that every worker has under a key, which it gives up: where `keeps_results`.

        Parameters
        ----------
        columns : DataFrame
            One of pandas without rows.
        counts : sequence of int
            Number of rows of each worker.
        """
        raise NotImplementedError

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def first_error(errors: Sequence[BaseException | None]) -> BaseException | None:
    """The error to report, of those of all parts: what went wrong before others were left alone by it."""
    from ..communicator import PartLostError

    found = [error for error in errors if error is not None]
    return next((error for error in found if not isinstance(error, PartLostError)), found[0] if found else None)
