"""`Engine`: workers, one for each part, that run the same function at the same time."""

from __future__ import annotations

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from frontier.runtime import HeldInterrupts

from ..transport.communicator import Communicator

Answer = tuple[Any, BaseException | None]
"""The value that a worker returned, or the error that it raised."""


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

    A call goes to all workers or to none, and all of its answers are read before the next one begins, though an
    interrupt may lie in between: so a call never gets the answers of another.

    Attributes
    ----------
    size : int
        Number of workers.
    abandoned : list of int
        Keys of `Host.objects` that nothing in the program refers to any more.
    """

    size: int
    keeps_results: ClassVar[bool] = False
    """Whether workers keep results until their arrays are asked for, and data frames are spread over them."""

    def __init__(self) -> None:
        self.abandoned: list[int] = []
        self._keys = itertools.count()
        self._lock = threading.Lock()
        self._current: Any = None

    def new_key(self) -> int:
        """A number for `Host.objects` that no other object has."""
        return next(self._keys)

    @contextmanager
    def making(self) -> Iterator[int]:
        """A key for what calls in the ``with`` block make, which is abandoned if they fail or are interrupted."""
        key = self.new_key()
        try:
            yield key
        except BaseException:
            self.abandoned.append(key)
            raise

    @abstractmethod
    def run(self, function: Callable, shares: Sequence[tuple], *, whole: bool = False) -> list[Any]:
        """Call ``function(host, *shares[rank])`` on every worker at the same time.

        Threads of the program may call it: all workers see the calls in one order.

        Parameters
        ----------
        whole : bool
            Hold Ctrl-C back until the call is over. Otherwise it is raised at once; the workers finish the call, and
            the next one waits for them.

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

    def _ask(self, function: Callable, arguments: Sequence[tuple], *, whole: bool = False) -> list[Any]:
        """`run` of ``function(*arguments[rank])``."""
        with self._lock:
            self._finish()
            interrupts = HeldInterrupts()
            try:
                self._current = self._begin(function, arguments)
                if not whole:
                    interrupts.release()
                answers = self._finish()
            finally:
                interrupts.release()
        error = first_error([error for _, error in answers])
        if error is not None:
            raise error
        return [value for value, _ in answers]

    def _finish(self) -> Sequence[Answer]:
        """Wait for the answers of the current call, if there is one: after an interrupt it is the call before."""
        answers = () if self._current is None else self._answers(self._current)
        self._current = None
        return answers

    @abstractmethod
    def _begin(self, function: Callable, arguments: Sequence[tuple]) -> Any:
        """*engine*: have each worker call ``function(*arguments[rank])``, or none if this raises; returns the call.

        Raises PartLostError if the workers are gone.
        """

    @abstractmethod
    def _answers(self, call: Any) -> Sequence[Answer]:
        """*engine*: wait until a call is over on all workers. A lost worker is an answer: `PartLostError`.

        Only what interrupts it is raised, such as `KeyboardInterrupt`. It can then be called again, and goes on.
        """

    @abstractmethod
    def close(self) -> None:
        """Let the workers go."""

    def frame(self, key: int, columns: Any, counts: Sequence[int]) -> Any:
        """A data frame of the rows that every worker has under a key, which it gives up: where `keeps_results`.

        `columns` is a frame of pandas without rows, and `counts` the number of rows of each worker.
        """
        raise NotImplementedError

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def first_error(errors: Sequence[BaseException | None]) -> BaseException | None:
    """The error to report, of those of all parts: what went wrong before others were left alone by it."""
    from ..transport.communicator import PartLostError

    found = [error for error in errors if error is not None]
    return next((error for error in found if not isinstance(error, PartLostError)), found[0] if found else None)
