"""`Delivery`: call the callbacks of a pipeline in a separate thread, in order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from .batch import PipelineBatch, PipelineError
from .channel import Channel, ChannelClosed

Callback = Callable[[PipelineBatch], object]


class Delivery:
    """Calls callbacks with one batch after another; `put` blocks while more than `depth` batches are queued."""

    def __init__(self, callbacks: Sequence[Callback], depth: int):
        self.callbacks = callbacks
        self._channel = Channel(depth)
        self._open = 0  # batches that were put and not delivered
        self._changed = threading.Condition()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="dynfrontier-deliver", daemon=True)
        self._thread.start()

    def put(self, batch: PipelineBatch) -> None:
        """Queue a batch. Raises the exception of a callback for an earlier batch."""
        with self._changed:
            self._open += 1
        try:
            self._channel.put(batch)
        except ChannelClosed:
            self._raise()

    def drain(self) -> None:
        """Wait until all batches are delivered. Raises the exception of a callback."""
        with self._changed:
            while self._open and self._error is None:
                self._changed.wait()
        self._raise()

    def close(self) -> None:
        """End the thread after the running callback; queued batches are dropped. Idempotent."""
        self._channel.close()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _raise(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _run(self) -> None:
        while True:
            try:
                batch = self._channel.get()
            except ChannelClosed:
                return
            error = self._deliver(batch)
            with self._changed:
                self._open -= 1
                self._error = error
                self._changed.notify_all()
            if error is not None:
                self._channel.close()
                return

    def _deliver(self, batch: PipelineBatch) -> BaseException | None:
        try:
            batch.results  # noqa: B018  (waits for the copies)
            for callback in self.callbacks:
                callback(batch)
        except Exception as error:
            return PipelineError.of("callback", batch.number, batch.begin, error, batch.end)
        except BaseException as error:
            return error
        return None
