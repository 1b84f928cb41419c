"""Dicts of a NetworkX graph that log their changes.

A graph stores the attributes of nodes in ``_node[n]`` and of edges in ``_adj[u][v]``. In an undirected graph ``u, v``
and ``v, u`` share a dict. Every change, by a method or through a dict, ends in one of these. The log names nodes and
edges that *may* have changed, and is processed from the contents of the dicts. So an edge that changed often is read
once, and an interrupted change is seen as far as it went.

A new dict logs nothing. The graph gives its log to `Nodes` and `Adjacency`, which pass it on to inserted dicts. A dict
of another type makes the log useless (`Log.lost`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping
from functools import wraps
from typing import Any


class Log:
    """The nodes and edges that may have changed.

    `on` is False without a structure to update. `watched` are the edge attributes that are weights. `nodes` has added
    and removed nodes as keys, in this order. After `removed`, nodes may have another order. `lost` is the reason why
    the log is useless, or None. If `directed`, ``u, v`` and ``v, u`` are two edges.
    """

    __slots__ = ("directed", "edges", "lost", "nodes", "on", "removed", "watched")

    def __init__(self, directed: bool) -> None:
        self.directed = directed
        self.lost: str | None = None
        self.watched: set[Any] = set()
        self.stop()

    def start(self, watched: Iterable[Any]) -> None:
        self.stop()
        self.watched = set(watched)
        self.on = True

    def stop(self) -> None:
        """Forget everything and stop logging."""
        self.on = False
        self.watched = set()
        self._forget()

    def take(self) -> tuple[dict[Any, None], set[tuple[Any, Any]], bool]:
        """Return and forget the nodes, the edges, and whether nodes were removed."""
        taken = self.nodes, self.edges, self.removed
        self._forget()
        return taken

    def _forget(self) -> None:
        self.nodes: dict[Any, None] = {}
        self.edges: set[tuple[Any, Any]] = set()
        self.removed = False

    def __bool__(self) -> bool:
        return bool(self.nodes or self.edges)


class _Factory(type):
    """The type of the types by which NetworkX makes dicts: all dicts are instances, and a call converts plain ones."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, dict)


class _Logging(dict, metaclass=_Factory):
    """A dict that logs its changes once it has a log."""

    __slots__ = ("log",)

    def __init__(self, given: Any = (), /, **items: Any):
        if given or items:
            dict.__init__(self, given, **items)
        self.log: Log | None = None

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def __reduce__(self) -> Any:
        return type(self), (), None, None, iter(self.items())


class EdgeData(_Logging):
    """The attributes of an edge."""

    __slots__ = ("edge",)
    edge: tuple[Any, Any]  # once a log exists

    def __setitem__(self, key: Any, value: Any) -> None:
        dict.__setitem__(self, key, value)
        log = self.log
        if log is not None and key in log.watched:
            log.edges.add(self.edge)

    def __delitem__(self, key: Any) -> None:
        dict.__delitem__(self, key)
        log = self.log
        if log is not None and key in log.watched:
            log.edges.add(self.edge)

    def update(self, *args: Any, **kwargs: Any) -> None:  # each edge that is added comes here
        try:
            dict.update(self, *args, **kwargs)
        finally:
            if self.log is not None and self.log.on:
                self.log.edges.add(self.edge)


def _logged(change: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method of dicts that may change any attribute of an edge."""

    @wraps(change)
    def run(self: EdgeData, *args: Any, **kwargs: Any) -> Any:
        try:
            return change(self, *args, **kwargs)
        finally:
            log = self.log
            if log is not None and log.on:
                log.edges.add(self.edge)

    return run


for _change in (dict.clear, dict.pop, dict.popitem, dict.setdefault):
    setattr(EdgeData, _change.__name__, _logged(_change))


class _Rarely(_Logging):
    """Changes that no method of NetworkX's graphs makes, expressed by the changes that they make."""

    __slots__ = ()

    pop = MutableMapping.pop
    setdefault = MutableMapping.setdefault
    update = MutableMapping.update

    def popitem(self) -> Any:
        if not self:
            raise KeyError("popitem(): dictionary is empty")
        key = next(reversed(self))
        return key, self.pop(key)


class Neighbors(_Rarely):
    """The neighbors of a node, each with the attributes of the edge."""

    __slots__ = ("node",)
    node: Any  # once a log exists

    def log_to(self, log: Log, node: Any) -> None:
        """Log changes from now on, as changes of this node's edges."""
        self.log, self.node = log, node
        for neighbor, data in self.items():
            self._added(log, neighbor, data)

    def _added(self, log: Log, neighbor: Any, data: Any) -> None:
        edge = (self.node, neighbor)
        if type(data) is not EdgeData:
            log.lost = "the attributes of an edge are in a dict that cannot log"
        elif data.log is None:
            data.log, data.edge = log, edge
        elif data.log is not log:
            log.lost = "an edge has the dict of attributes of another graph's"
        elif data.edge != edge and (log.directed or data.edge != (neighbor, self.node)):
            log.lost = "two edges have the same dict of attributes"
        if log.on:
            log.edges.add(edge)

    def __setitem__(self, neighbor: Any, data: Any) -> None:
        dict.__setitem__(self, neighbor, data)
        log = self.log
        if log is not None:
            if type(data) is EdgeData and data.log is None and not log.on:  # most often, and fast
                data.log, data.edge = log, (self.node, neighbor)
            else:
                self._added(log, neighbor, data)

    def __delitem__(self, neighbor: Any) -> None:
        dict.__delitem__(self, neighbor)
        log = self.log
        if log is not None and log.on:
            log.edges.add((self.node, neighbor))

    def clear(self) -> None:
        log = self.log
        if log is not None and log.on:
            log.edges.update((self.node, neighbor) for neighbor in self)
        dict.clear(self)


class Adjacency(_Rarely):
    """The neighbors of each node."""

    __slots__ = ()

    def log_to(self, log: Log) -> None:
        self.log = log
        for node, neighbors in self.items():
            self._added(log, node, neighbors)

    @staticmethod
    def _added(log: Log, node: Any, neighbors: Any) -> None:
        if type(neighbors) is not Neighbors or neighbors.log is not None:
            log.lost = "the neighbors of a node are in a dict that cannot log, or logs for another node"
        else:
            neighbors.log_to(log, node)

    def __setitem__(self, node: Any, neighbors: Any) -> None:
        before = self.get(node)
        dict.__setitem__(self, node, neighbors)
        log = self.log
        if log is not None:
            self._added(log, node, neighbors)
            if before:
                log.lost = "the neighbors of a node were replaced"

    def __delitem__(self, node: Any) -> None:
        neighbors = self[node]
        dict.__delitem__(self, node)
        log = self.log
        if log is not None and log.on:
            log.edges.update((node, neighbor) for neighbor in neighbors)

    def clear(self) -> None:
        dict.clear(self)
        log = self.log
        if log is not None:
            log.stop()
            log.lost = None


class Predecessors(dict):
    """The predecessors of each node. Changes here happen in `Adjacency`, too, so nothing is logged."""

    __slots__ = ()

    def __setitem__(self, node: Any, neighbors: Any) -> None:
        dict.__setitem__(self, node, dict(neighbors) if type(neighbors) is Neighbors else neighbors)

    def __reduce__(self) -> Any:
        return type(self), (), None, None, iter(self.items())


class Nodes(_Rarely):
    """The attributes of each node."""

    __slots__ = ()

    def __setitem__(self, node: Any, data: Any) -> None:
        dict.__setitem__(self, node, data)
        log = self.log
        if log is not None and log.on:
            log.nodes[node] = None

    def __delitem__(self, node: Any) -> None:
        dict.__delitem__(self, node)
        log = self.log
        if log is not None and log.on:
            log.nodes[node] = None
            log.removed = True

    def clear(self) -> None:
        dict.clear(self)
        if self.log is not None:
            self.log.stop()
