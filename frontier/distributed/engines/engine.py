"""`Engine`: workers, one for each partition, that run the same function at the same time."""

from __future__ import annotations

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from frontier.runtime import HeldInterrupts

from ..transport.communicator import Communicator

Answer = tuple[Any, BaseException | None]  # the value that a worker returned, or the error that it raised


class Host:
    """The state of a worker between calls: its communicator, and objects by the keys of `Engine.new_key`."""

    def __init__(self, comm: Communicator):
        self.comm = comm
        self.objects: dict[int, Any] = {}


class Engine(ABC):
    """Workers, each with a `Host` and a communicator to all other workers.

    A call goes to all workers or to none. All of its answers are read before the next call starts, even after an
    interrupt, so a call never gets the answers of another.

    Attributes
    ----------
    size : int
        Number of workers.
    abandoned : list of int
        Keys of `Host.objects` that the program no longer references.
    """

    size: int
    keeps_results: ClassVar[bool] = False
    """Whether workers store results until their arrays are read, and data frames are distributed over them."""

    def __init__(self) -> None:
        self.abandoned: list[int] = []
        self._keys = itertools.count()
        self._lock = threading.Lock()
        self._current: Any = None

    def new_key(self) -> int:
        """A unique key for `Host.objects`."""
        return next(self._keys)

    @contextmanager
    def making(self) -> Iterator[int]:
        """A key for objects made in the ``with`` block, which is abandoned if it fails or is interrupted."""
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
            Delay Ctrl-C until the call is over. Otherwise it is raised at once. The workers finish the call, and the
            next call starts after it.

        Returns
        -------
        list
            The results, in order of ranks.

        Raises
        ------
        Exception
            The error of the first worker where the function failed.
        PartLostError
            A worker is gone. The engine, and the objects of its workers, can no longer be used.
        """

    def run_alike(self, function: Callable, *args: Any) -> list[Any]:
        """`run` with the same arguments everywhere."""
        return self.run(function, [args] * self.size)

    def _ask(self, function: Callable, arguments: Sequence[tuple], *, whole: bool = False) -> list[Any]:
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
        """Collect the answers of the current call, if any: after an interrupt it is the previous one."""
        answers = () if self._current is None else self._answers(self._current)
        self._current = None
        return answers

    @abstractmethod
    def _begin(self, function: Callable, arguments: Sequence[tuple]) -> Any:
        """*engine*: have each worker call ``function(*arguments[rank])``, or none if this raises, and return the call.

        Raises PartLostError if the workers are gone.
        """

    @abstractmethod
    def _answers(self, call: Any) -> Sequence[Answer]:
        """*engine*: block until a call is over on all workers. A lost worker is an answer: `PartLostError`.

        Only interrupts, such as `KeyboardInterrupt`, are raised. Another call then continues.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the workers."""

    def frame(self, key: int, columns: Any, counts: Sequence[int]) -> Any:
        """A data frame of the rows that every worker has under a key, which it releases, if `keeps_results`.

        `columns` is a frame of pandas without rows, and `counts` the number of rows of each worker.
        """
        raise NotImplementedError

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def first_error(errors: Sequence[BaseException | None]) -> BaseException | None:
    """The error to report: the first one that is not a consequence of another partition's failure."""
    from ..transport.communicator import PartLostError

    found = [error for error in errors if error is not None]
    return next((error for error in found if not isinstance(error, PartLostError)), found[0] if found else None)
