"""`Channel` and `Ahead`: threads of a pipeline pass items on in order and in bounded memory."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

JOIN_SECONDS = 5.0
"""The time that `Ahead.close` grants a source that does not yield. Its thread then ends with the source or process."""


class ChannelClosed(Exception):
    """Nothing more goes through a channel."""


class Channel:
    """A queue of at most `depth` items, which either side may close."""

    def __init__(self, depth: int):
        self.depth = depth
        self._items: deque[Any] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: Any) -> None:
        """Add an item, blocking until capacity is free. Raises `ChannelClosed`."""
        with self._changed:
            while len(self._items) >= self.depth and not self._closed:
                self._changed.wait()
            if self._closed:
                raise ChannelClosed
            self._items.append(item)
            self._changed.notify_all()

    def get(self) -> Any:
        """Remove the first item, blocking until one exists. Raises `ChannelClosed`."""
        with self._changed:
            while not self._items and not self._closed:
                self._changed.wait()
            if self._closed:
                raise ChannelClosed
            item = self._items.popleft()
            self._changed.notify_all()
            return item

    def close(self) -> None:
        """Drop all items and wake all blocked threads."""
        with self._changed:
            self._closed = True
            self._items.clear()
            self._changed.notify_all()


class Ahead:
    """Runs an iterator in a separate thread, up to `depth` items ahead of its reader.

    An exception of the iterator is raised here, once, after the items before it. `close` ends the thread and closes the
    iterator there, as the ``finally`` blocks of a generator expect.
    """

    def __init__(self, items: Iterable[Any], depth: int = 2, name: str = "dynfrontier-read"):
        self.channel = Channel(depth)
        self._ended = False
        self._thread = threading.Thread(target=_run, args=(items, self.channel), name=name, daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        try:
            item, error = self.channel.get()
        except ChannelClosed:
            self._ended = True
            raise StopIteration from None
        if error is None:
            return item
        self.close()
        if isinstance(error, _End):
            raise StopIteration
        raise error

    def close(self) -> None:
        """End the thread. Idempotent."""
        self._ended = True
        self.channel.close()
        if self._thread is not threading.current_thread():
            self._thread.join(JOIN_SECONDS)

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()


class _End(Exception):
    """The iterator has ended."""


def _run(items: Iterable[Any], channel: Channel) -> None:
    """The body of the thread. A method would keep an unused `Ahead` alive."""
    try:
        try:
            for item in items:
                channel.put((item, None))
                del item
        finally:
            close = getattr(items, "close", None)
            if callable(close) and isinstance(items, Iterator):
                close()
        channel.put((None, _End()))
    except ChannelClosed:
        pass
    except BaseException as error:
        with suppress(ChannelClosed):
            channel.put((None, error))
