"""Who may use a graph when: many threads that read it, or one that changes it.

Each thread has its own lock for each graph. A reader holds its own lock, an update the locks of all threads. So readers
do not contend, and a thread that updates may also read. No exception can be raised between the acquisition of a Python
lock and the start of its `with` block, so readers acquire a single one.

On a GPU the host is ahead of the device. Reads in several CUDA streams need no order. An update synchronizes, on the
device, with all streams that have read since the last update. The first read of a stream after an update synchronizes
with the update's stream. With one stream no synchronization is needed.
"""

from __future__ import annotations

import functools
import inspect
import os
import threading
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import Any, Protocol, TypeVar

from frontier.runtime import Device, HeldInterrupts, Workspace

F = TypeVar("F", bound=Callable)
E = TypeVar("E", bound="Entry")

WHOLE = (MemoryError, TypeError, ValueError, OverflowError)
"""The exceptions that structures may raise in an update and then leave the graph unchanged."""
STREAM_WORKSPACES = 8  # per thread. With more streams, the memory of the first is freed
POLL = 0.05  # seconds between checks whether a blocked update was interrupted
CONTENTS, LAYOUT = "contents", "layout"
"""The possible values of the attribute `changes` of a graph's methods, set by `update` and `rearranges`."""
PER_THREAD_STREAM = 2  # one address for the default streams of all threads


class Entry(Protocol):
    """The type of a cached value."""

    def nbytes(self) -> int:
        """Bytes of memory."""


class VersionCache:
    """The entries of one graph, by name, which an update clears."""

    def __init__(self) -> None:
        self.entries: dict[Any, Any] = {}
        self.lock: Any = threading.RLock()  # held while one of several readers makes an expensive entry

    def get(self, name: Any, make: Callable[[], E]) -> E:
        """The entry of this name, made now if there is none."""
        found = self.entries.get(name)
        return self.entries.setdefault(name, make()) if found is None else found  # another thread may do the same

    def put(self, name: Any, entry: E) -> E:
        """Replace an entry."""
        self.entries[name] = entry
        return entry

    def nbytes(self) -> int:
        return sum(entry.nbytes() for entry in list(self.entries.values()))

    def forked(self) -> None:
        """In a child process: no other thread exists there to release the lock."""
        self.lock = threading.RLock()


class Share:
    """A thread's part in a graph: the lock that it reads under, and its workspaces."""

    __slots__ = ("__weakref__", "lock", "workspaces")

    def __init__(self) -> None:
        self.lock: Any = threading.RLock()
        self.workspaces: dict[Any, Workspace] = {}


class Access:
    """The readers and the writer of one graph."""

    def __init__(self, device: Device):
        self.device = device
        self.writer: int | None = None  # the thread that updates the graph, and may also read it
        self.broken: str | None = None  # why the graph can no longer be used
        self.checks_reads = device.is_gpu  # whether `check` does anything
        self._local = threading.local()  # `share`: this thread's
        self._shares: list[weakref.ref[Share]] = []  # the shares of all live threads
        self._members: Any = threading.RLock()  # held by the writer. New threads block on it
        self._barred = False  # whether readers must check further: a thread updates or will, or the graph broke
        self._streams = Streams(device) if device.is_gpu else None
        self.updates = 0  # that have ended or failed: after each, arrays may have changed
        self.kept = VersionCache()  # entries made by readers since the last update. None are added during an update
        with _all_lock:
            _all.add(self)

    # ---- reading ----------------------------------------------------------------------------------------------------

    def share(self) -> Share:
        """This thread's share, whose lock readers acquire. Blocks while an earlier writer runs."""
        try:
            share = self._local.share
        except AttributeError:
            share = self._join()
        if self._barred and not share.lock._is_owned():
            with self._members:  # a blocked writer goes first, or a thread that reads all the time would starve it
                pass
        return share

    def check(self) -> None:
        """Check the graph before anything is read. The caller has acquired the share's lock."""
        if self.broken is not None:
            raise RuntimeError(self.broken)
        if self._streams is not None:
            self._streams.read()

    def scratch_bytes(self) -> int:
        """Bytes of scratch memory of all threads, and of `kept`."""
        shares = [ref() for ref in self._shares]
        scratch = sum(work.nbytes() for share in shares if share for work in list(share.workspaces.values()))
        return scratch + self.kept.nbytes()

    def _join(self) -> Share:
        if self.device.is_gpu:  # CuPy's launches do not make a thread's context, and nothing else may come before them
            self.device.xp.cuda.Device().use()
        share = Share()
        with self._members:
            self._shares = [ref for ref in self._shares if ref() is not None] + [weakref.ref(share)]
        self._local.share = share
        return share

    # ---- updating ---------------------------------------------------------------------------------------------------

    def update(self, apply: Callable[..., Any], *args: Any) -> Any:
        """Call a function that updates the graph, with other threads blocked and Ctrl-C deferred until it has ended."""
        if self.writer == get_ident():
            return apply(*args)
        interrupts = HeldInterrupts()
        try:
            held = self._enter(interrupts)
            try:
                return apply(*args)
            finally:
                try:
                    if self._streams is not None:
                        self._streams.end_update()
                finally:
                    self.updates += 1
                    self._leave(held)
        finally:
            interrupts.release()

    def _enter(self, interrupts: HeldInterrupts) -> list[Share]:
        """Block until no other thread reads or updates. Return the shares whose locks `_leave` releases."""
        mine = getattr(self._local, "share", None) or self._join()
        if mine.lock._is_owned():
            raise RuntimeError(
                "the graph cannot be updated while the same thread reads it: the update would wait for its own thread; "
                "leave the `with graph.reading()` block, or the call, that reads"
            )
        if not self._members.acquire(False):  # by position, which costs half the time
            _acquire(self._members, interrupts)
        held: list[Share] = []
        try:
            self._barred = True
            for ref in self._shares:
                share = ref()
                if share is not None:
                    if not share.lock.acquire(False):
                        _acquire(share.lock, interrupts)
                    held.append(share)
            if self.broken is not None:
                raise RuntimeError(self.broken)
            self.writer = get_ident()
            if self._streams is not None:
                self._streams.begin_update(frees=bool(self.kept.entries))
            self.kept.entries.clear()
        except BaseException:
            self._leave(held)
            raise
        return held

    def _leave(self, held: list[Share]) -> None:
        """Admit other threads again."""
        self.writer = None
        self._barred = self.broken is not None
        for share in held:
            share.lock.release()
        self._members.release()

    def changing(self) -> Changing:
        """A block in which the arrays of the graph disagree with each other (`torn`)."""
        return Changing(self)

    def torn(self, error: BaseException) -> None:
        """Break the graph after an exception between two consistent states, unless structures raise it on purpose."""
        if not isinstance(error, WHOLE):
            self._break(f"the graph can be used no more: an update was ended midway by {type(error).__name__}")

    # ---- fork -------------------------------------------------------------------------------------------------------

    def forked(self) -> None:
        """In a child process, whose only thread is the one that has forked: discard the other shares."""
        me = get_ident()
        if self.device.is_gpu:
            self._break("this graph is on a GPU, which a forked process cannot use: start processes by 'spawn' or "
                        "'forkserver' (multiprocessing.get_context), and make the graph there")  # fmt: skip
        elif self.writer not in (None, me):
            self._break("another thread was updating the graph when this process was forked")
        mine = getattr(self._local, "share", None)
        if mine is not None and not mine.lock._is_owned():
            mine.lock = threading.RLock()  # a thread that was updating, or was about to, may have owned it
        self.kept.forked()
        self._shares = [] if mine is None else [weakref.ref(mine)]
        if self.writer != me:
            self._members = threading.RLock()
            self.writer = None
            self._barred = self.broken is not None

    def _break(self, why: str) -> None:
        self.broken = why
        self._barred = self.checks_reads = True


class Changing:
    """See `Access.changing`."""

    __slots__ = ("_access",)

    def __init__(self, access: Access):
        self._access = access

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: Any, trace: Any) -> None:
        if error is not None:
            self._access.torn(error)


class Streams:
    """The CUDA streams in which a graph is read and updated, and their order."""

    def __init__(self, device: Device):
        self._current = device.xp.cuda.get_current_stream
        self._runtime = device.xp.cuda.runtime
        stream = self._current()
        self.written = self._key(stream), stream  # of the last update, or of the constructor
        self.known: dict[Any, Any] = {self.written[0]: stream}  # streams that are ordered after it, by key
        self._switched = False

    def current_key(self) -> Any:
        """A key that identifies the current stream."""
        stream = self._current()
        pointer = stream.ptr
        return pointer if pointer != PER_THREAD_STREAM else self._key(stream)

    @staticmethod
    def _key(stream: Any) -> Any:
        pointer = stream.ptr
        return (pointer, get_ident()) if pointer == PER_THREAD_STREAM else pointer

    def read(self) -> None:
        """Make the current stream wait for the last update, unless it has already."""
        stream = self._current()
        if stream.ptr in self.known:
            return
        key = self._key(stream)
        if key not in self.known:
            self._wait(stream, *self.written)
            self.known[key] = stream

    def begin_update(self, *, frees: bool = False) -> None:
        """Make the current stream wait for all reads, and the host, too, if the update `frees` arrays."""
        stream = self._current()
        key = self._key(stream)
        for other_key, other in self.known.items():
            if other_key != key:
                self._wait(stream, other_key, other)
        if frees and len(self.known) > 1:
            # Arrays return to the memory pool of the stream that made them, which may reuse it while other streams read
            # them.
            stream.synchronize()
        self._switched = key != self.written[0]
        self.written = key, stream

    def end_update(self) -> None:
        """Make other streams wait for this update."""
        key, stream = self.written
        self.known = {key: stream}
        if self._switched:
            # Arrays that were replaced belong to the memory of the stream before, which may give it out again.
            stream.synchronize()

    def _wait(self, stream: Any, key: Any, other: Any) -> None:
        """Make `stream` wait for the queued work of another one."""
        if isinstance(key, tuple):  # the default stream of another thread cannot be named here
            self._runtime.deviceSynchronize()
        else:
            stream.wait_event(other.record())


def mark_work(device: Device) -> Callable[[], None]:
    """Return a function that makes the caller's stream wait for the present stream's work, later work included."""
    return Streams(device).read if device.is_gpu else _wait_for_nothing


def _wait_for_nothing() -> None:
    """The CPU's case: the work is done when a call returns."""


def scratch_of_stream() -> list[Any]:
    """The memory that all graphs have for this thread in the current stream."""
    found = []
    with _all_lock:  # a set that another thread adds to cannot be walked
        known = list(_all)
    for access in known:
        share = getattr(access._local, "share", None)
        if share is not None and access._streams is not None:
            work = share.workspaces.get(access._streams.current_key())
            if work is not None:
                found.append(work.arrays())
    return found


def _acquire(lock: Any, interrupts: HeldInterrupts) -> None:
    """Acquire a lock. Blocking can be interrupted, since nothing has changed yet."""
    while not lock.acquire(timeout=POLL):
        interrupts.deliver()


def reads(function: F) -> F:
    """Decorate a function, whose first argument is a graph (or has one, as a `Frontier` does), as one that reads it.

    While it runs no other thread updates the graph. Operators and look-ups are such functions. A function that makes
    several calls which must see the same graph should be one, too.

    See Also
    --------
    Graph.reading : A context for several calls on one state.
    """
    return _reading(function, 0)


def reads_both(function: F) -> F:
    """`reads`, for a function whose second argument is a graph, too (or None)."""
    return _reading(_reading(function, 1), 0)


def _reading(function: F, position: int) -> F:
    name = list(inspect.signature(function).parameters)[position]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        thing = args[position] if len(args) > position else kwargs.get(name)
        access = getattr(thing, "_access", None)  # most are graphs
        if access is None:
            access = access_of(thing)
        if access is None:
            run = parts_of(thing)
            if run is not None:
                return run(call, args, kwargs)  # by its name, under which other processes find it
            return function(*args, **kwargs)  # which raises the right error
        with access.share().lock:
            if access.checks_reads:
                access.check()
            return function(*args, **kwargs)

    call.reader = function  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def rearranges(function: F) -> F:
    """Decorate a method that changes nothing but how a structure lies in memory, and notifies no observers."""

    @functools.wraps(function)
    def call(graph: Any, *args: Any, **kwargs: Any) -> Any:
        def rearrange() -> Any:
            with graph._access.changing():
                return function(graph, *args, **kwargs)

        return graph._access.update(rearrange)

    call.changes = LAYOUT  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def access_of(thing: Any) -> Access | None:
    """The access to a graph, or to the graph of an object. None if it has no graph."""
    access = getattr(thing, "_access", None)
    return getattr(getattr(thing, "graph", None), "_access", None) if access is None else access


def workspace_of(graph: Any) -> Workspace:
    """The memory that is cached with a graph between calls, one for each thread, and on a GPU for each stream."""
    access = graph._access
    try:
        share = access._local.share
    except AttributeError:
        share = access._join()
    key = None if access._streams is None else access._streams.current_key()
    found = share.workspaces.get(key)
    if found is None:
        if len(share.workspaces) >= STREAM_WORKSPACES:
            del share.workspaces[next(iter(share.workspaces))]
        stream = 0 if key is None else key[0] if isinstance(key, tuple) else key
        found = share.workspaces[key] = Workspace(access.device, stream)
    return found


def parts_of(thing: Any) -> Callable[[Callable, tuple, dict], Any] | None:
    """The function that calls functions over a distributed graph, or an object's graph. None for other objects."""
    run = getattr(thing, "_run_over_parts", None)
    return getattr(getattr(thing, "graph", None), "_run_over_parts", None) if run is None else run


_all: weakref.WeakSet[Access] = weakref.WeakSet()
_all_lock = threading.Lock()


def _after_fork() -> None:
    global _all_lock
    _all_lock = threading.Lock()  # a thread that no longer exists may have owned it
    for access in list(_all):
        access.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
