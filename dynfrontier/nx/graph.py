"""`Graph` and `DiGraph`: NetworkX graphs whose edges are also in a dynamic structure.

They are NetworkX's own classes, with dicts that log changes (`tracked`). The first function of the backend that is
called with such a graph converts it. Before each later one, the structure receives the changes as one batch.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import networkx as nx

from .holders import structure_maker
from .info import NAME
from .mirror import Mirror
from .tracked import Adjacency, EdgeData, Log, Neighbors, Nodes, Predecessors

CACHED = ("adj", "succ", "pred", "nodes", "edges", "out_edges", "in_edges", "degree", "in_degree", "out_degree")
"""Views that NetworkX caches in a graph's dict after the first access."""


class _State:
    """The state that a graph and its shallow copies share: the log, the mirrors, and how to make them.

    `options` are structure, device and weight. `mirrors` are by attribute of weights. `conversions` counts full reads.
    """

    def __init__(self, directed: bool, **options: Any):
        self.options = options
        self.adjacency: Any = None
        self.nodes: Any = None
        self.log = Log(directed)
        self.lock = threading.RLock()
        self.mirrors: dict[Any, Mirror] = {}
        self.conversions = 0

    def mirror(self, graph: nx.Graph, weight: Any, *, logged: bool) -> Mirror:
        """The current mirror with this attribute as weights (None: any). `logged` if the log covers its dicts."""
        with self.lock:
            weight = self.options["weight"] if weight is None else weight
            if not logged or self.log.lost:
                return self._convert(graph, weight)  # a view, or changes cannot be followed
            if not self.log.on:
                self.mirrors.clear()
            elif self.log:
                self._update(graph)
            if weight not in self.mirrors:
                if not self.mirrors:
                    self.log.start([weight])  # first, to log changes made while the graph is read
                else:
                    self.log.watched.add(weight)
                try:
                    self.mirrors[weight] = self._convert(graph, weight)
                except BaseException:
                    if not self.mirrors:
                        self.log.stop()
                    raise
            return self.mirrors[weight]

    def _convert(self, graph: nx.Graph, weight: Any) -> Mirror:
        self.conversions += 1
        return Mirror(graph, weight, structure_maker(self.options["structure"], self.options["device"]))

    def _update(self, graph: nx.Graph) -> None:
        changed = self.log.take()
        try:
            for mirror in self.mirrors.values():
                mirror.update(graph, *changed)
        except BaseException:  # the structure may have some of it: start again from the dicts
            self.log.stop()
            self.mirrors.clear()
            raise


if TYPE_CHECKING:
    from networkx import Graph as _Base
else:
    _Base = object


class _Mutable(_Base):
    """The methods that both classes add to NetworkX's."""

    __networkx_backend__ = NAME
    _state: _State
    _pred: Any

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return object.__new__(cls)

    def __init__(
        self,
        incoming_graph_data: Any = None,
        *,
        structure: str = "slab",
        device: str = "auto",
        weight: Any = "weight",
        **attr: Any,
    ):
        attr.pop("backend", None)
        if (structure, device) != ("slab", "auto"):
            structure_maker(structure, device)  # raises if it does not exist
        self._start(structure=structure, device=device, weight=weight)
        super().__init__()
        self._adopt()
        if incoming_graph_data is not None:
            nx.convert.to_networkx_graph(incoming_graph_data, create_using=self)
        self.graph.update(attr)

    def _start(self, **options: Any) -> None:
        self.__dict__["_state"] = _State(self.is_directed(), **options)

    def _adopt(self) -> None:
        """Attach the log to the dicts of this graph, if they can log.

        If a subclass has other dicts, or they log for another graph, each call converts the graph. Inner dicts are
        checked when they are inserted.
        """
        state, adjacency, nodes = self._state, self._adj, self._node
        if type(adjacency) is Adjacency and type(nodes) is Nodes and adjacency.log is nodes.log is None:
            nodes.log = state.log
            adjacency.log_to(state.log)
            state.adjacency, state.nodes = adjacency, nodes
        if self.is_directed() and type(self._pred) is Adjacency:
            self._pred = Predecessors(self._pred)

    # ---- NetworkX makes its dicts by these --------------------------------------------------------------------------

    node_dict_factory = Nodes
    adjlist_outer_dict_factory = Adjacency
    adjlist_inner_dict_factory = Neighbors
    edge_attr_dict_factory = EdgeData

    def to_directed_class(self) -> type:
        return DiGraph

    def to_undirected_class(self) -> type:
        return Graph

    # ---- the structure ----------------------------------------------------------------------------------------------

    __networkx_cache__ = property(lambda self: None, lambda self, value: None)  # nothing to convert and cache

    def synchronized(self, weight: Any = None) -> Mirror:
        """The mirror with this attribute as weights, up to date, for functions of the backend."""
        origin = self.__dict__.get("_graph")  # of a view
        state = self._state
        if isinstance(origin, _Mutable):
            if origin.is_directed() == self.is_directed() and origin.has_dicts(self._adj, self._node):
                return origin.synchronized(weight)
            state.options = self.structure_options
        return state.mirror(self, weight, logged=self.has_dicts(state.adjacency, state.nodes))

    def has_dicts(self, adjacency: Any, nodes: Any) -> bool:
        """Whether these are the dicts of this graph."""
        return self._adj is adjacency and self._node is nodes

    @property
    def structure(self) -> Any:
        """The structure, up to date, for operators and your own algorithms.

        Change it through this graph only. `vertices` maps nodes to its vertices.
        """
        return self.synchronized().graph

    @property
    def vertices(self) -> dict[Any, int]:
        """The vertex of each node in `structure`."""
        return dict(self.synchronized().ids)

    @property
    def conversions(self) -> int:
        """The number of times that the whole graph was read to fill a structure, including the first time."""
        return self._state.conversions

    # ---- copies have the same options -------------------------------------------------------------------------------

    def _like_this(self, other: Any) -> Any:
        if isinstance(other, _Mutable) and "_graph" not in other.__dict__:
            other.structure_options = self.structure_options
        return other

    @property
    def structure_options(self) -> dict[str, Any]:
        """The constructor's structure, device and weight. A view has the options of its graph."""
        origin = self.__dict__.get("_graph")
        return origin.structure_options if isinstance(origin, _Mutable) else dict(self._state.options)

    @structure_options.setter
    def structure_options(self, options: dict[str, Any]) -> None:
        self._state.options = options

    def copy(self, as_view: bool = False) -> Any:
        return self._like_this(super().copy(as_view=as_view))

    def to_directed(self, as_view: bool = False) -> Any:
        return self._like_this(super().to_directed(as_view=as_view))

    def __copy__(self) -> Any:
        # As of any graph of NetworkX: another graph with the same dicts, and so the same log.
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name in CACHED:
            twin.__dict__.pop(name, None)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in (*CACHED, "_state")}
        return state | {"_options": self._state.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        self._start(**state.pop("_options"))
        self.__dict__.update(state)
        self._adopt()


class Graph(_Mutable, nx.Graph):
    """A `networkx.Graph` that the backend does not convert again after changes.

    All functions of NetworkX accept it: NetworkX runs the functions that the backend lacks, on the same dicts. A
    subclass with other factories for nodes, adjacency or attributes of edges is converted for each call.

    Parameters
    ----------
    incoming_graph_data : graph, edges, arrays and all other types that NetworkX accepts
    structure : str
        Name of the structure that stores the edges in addition to NetworkX's dicts.
    device : {"auto", "cpu", "gpu"}
    weight : hashable
        The edge attribute that is the structure's weight. Functions that request another one get a second structure,
        which is then maintained like the first.
    **attr
        Attributes of the graph.

    Raises
    ------
    ValueError
        No such structure or device exists.
    """

    def to_undirected(self, as_view: bool = False) -> Any:
        return self._like_this(super().to_undirected(as_view=as_view))


class DiGraph(_Mutable, nx.DiGraph):
    """A `networkx.DiGraph` that the backend does not convert again after a change. Parameters as for `Graph`."""

    def to_undirected(self, reciprocal: bool = False, as_view: bool = False) -> Any:
        return self._like_this(super().to_undirected(reciprocal=reciprocal, as_view=as_view))

    def reverse(self, copy: bool = True) -> Any:
        return self._like_this(super().reverse(copy=copy))
