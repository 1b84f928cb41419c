"""`Analytic`: an entry of the catalogue, and the catalogue.

The command line, `dynfrontier.compare`, workloads, benchmarks and tests read the catalogue, and so know every
registered analytic.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import frontier as fr

from .comparators import Automatic, Comparator, on_host
from .incremental import IncrementalAlgorithm

Directions = Literal["followed", "ignored", "refused"]
Weights = Literal["ignored", "optional", "expected", "required"]

_catalogue: dict[str, Analytic] = {}


@dataclass(frozen=True, eq=False)
class Analytic:
    """An analytic: its forms, and the comparison of its results with results of other libraries.

    Parameters
    ----------
    name : str
        A Python identifier: its name on the command line, in reports and in adapters of other libraries.
    static : callable or None
        A function of a graph and parameters that computes it. None if only the incremental form exists.
    incremental : type or None
        A class made of a graph and some of the same parameters that maintains it.
    values : tuple of str
        Names of the compared arrays or numbers, which the results of both forms have. None is the result itself.
    per : {"vertex", "edge", "graph"}
        The kind of item that has a value each. For edges, the first two of `values` are the ends.
    vertex_values : tuple of str
        Names of arrays of the static result that contain vertices, apart from the ends of edges, -1 for none.
    time_values : tuple of str
        Names of arrays of the static result that contain times.
    comparator : Comparator, or callable
        Decides whether results are equal. A callable maps the parameters, by name, to such a comparator.
    parameters : mapping
        Default values of parameters. A parameter ``source`` is by default the vertex with the most neighbors.
    varied : str
        The parameter that distinguishes several calls, such as the k of a k-truss, "" for none.
    directions : {"followed", "ignored", "refused"}
        The treatment of the directions of a directed graph.
    weights : {"ignored", "optional", "expected", "required"}
        Whether it uses weights. If they are expected, it runs without them, but is then something simpler.
    negative_weights : bool
        Whether weights may be negative or infinite.
    times : bool
        Whether it needs a graph with times.
    headline : tuple of str, optional
        The number that sums a result up, by its name in both forms, and the noun that it counts.
    note : str
        Advice for comparing results, as a format string of the parameters.

    See Also
    --------
    analytics : All of them.
    register : Add one.

    Examples
    --------
    >>> def degrees(graph):
    ...     return graph.degrees()
    >>> register(Analytic("degrees", degrees))  # doctest: +SKIP
    """

    name: str
    static: Callable[..., Any] | None
    incremental: type[IncrementalAlgorithm] | None = None
    values: tuple[str, ...] = ()
    per: Literal["vertex", "edge", "graph"] = "vertex"
    vertex_values: tuple[str, ...] = ()
    time_values: tuple[str, ...] = ()
    comparator: Comparator | Callable[..., Comparator] = field(default_factory=Automatic)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    varied: str = ""
    directions: Directions = "followed"
    weights: Weights = "ignored"
    negative_weights: bool = True
    times: bool = False
    headline: tuple[str, str] | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise ValueError(f"name must be a Python identifier, not {self.name!r}")
        if self.static is None and self.incremental is None:
            raise ValueError(f"{self.name}: an analytic needs a static or an incremental form")
        if self.static is not None and not callable(self.static):
            raise TypeError(f"{self.name}: static must be a function, not {type(self.static).__name__}")
        unknown = self.parameters.keys() - set(self.accepted)
        if unknown or (self.varied and self.varied not in self.parameters):
            which = ", ".join(sorted(unknown)) or self.varied
            raise ValueError(f"{self.name}: neither form has a parameter {which} with its own value")

    # ---- parameters -------------------------------------------------------------------------------------------------

    @property
    def accepted(self) -> tuple[str, ...]:
        """The names of the parameters of either form, except the graph."""
        return tuple(dict.fromkeys([name for form in (self.static, self.incremental) for name in _parameters_of(form)]))

    @property
    def takes_source(self) -> bool:
        """Whether it starts from a vertex."""
        return "source" in self.accepted

    def settings(self, graph: fr.Graph | None = None, **given: Any) -> dict[str, Any]:
        """The parameters of a call: the given ones that it has, and the catalogue's.

        Parameters
        ----------
        graph : Graph, optional
            The graph in which a source is chosen if none is given.
        **given
            Parameters of any analytic. None, and parameters that this analytic does not have, are ignored.
        """
        known = self.accepted
        found = dict(self.parameters) | {
            name: value for name, value in given.items() if name in known and value is not None
        }
        if "sources" in found and "k" not in given:
            found.pop("k", None)  # the number of sources to draw otherwise
        if self.takes_source and not {"source", "sources"} & found.keys() and graph is not None:
            found["source"] = most_neighbors(graph)
        return found

    def label(self, **settings: Any) -> str:
        """Its name in a table, with the value of the parameter that distinguishes calls."""
        return f"{self.name}({settings[self.varied]})" if self.varied else self.name

    # ---- running ----------------------------------------------------------------------------------------------------

    def compute(self, graph: fr.Graph, **settings: Any) -> Any:
        """The result for the current graph, by the static form."""
        if self.static is None:
            raise ValueError(f"{self.name} has no static form")
        return self.static(graph, **_chosen(self.static, settings))

    def maintain(self, graph: fr.DynamicGraph, **settings: Any) -> Any:
        """The incremental form, attached to a graph."""
        if self.incremental is None:
            raise ValueError(f"{self.name} has no incremental form")
        return self.incremental(graph, **_chosen(self.incremental, settings))

    def read(self, result: Any) -> tuple[Any, ...]:
        """The compared components of a result of either form: arrays on the graph's device, and numbers."""
        if self.values:
            return tuple(getattr(result, name) for name in self.values)
        return result if isinstance(result, tuple) else (result,)

    def fetch(self, device: fr.advanced.Device, result: Any) -> tuple[Any, ...]:
        """The compared components of a result, on the host."""
        return on_host(device, self.read(result))

    def obstacle(self, graph: fr.Graph) -> str:
        """The reason why it cannot run on a graph, or "". Ignores the values of weights."""
        if graph.directed and self.directions == "refused":
            return "it is defined for undirected graphs"
        if not graph.is_weighted and self.weights == "required":
            return "it needs a graph with weights"
        if self.times and graph.time_unit is None:
            return "it needs a graph with times"
        if self.static is None and not isinstance(graph, fr.DynamicGraph):
            return "it needs a graph that can be changed"
        return ""

    # ---- comparing --------------------------------------------------------------------------------------------------

    def comparator_for(self, **settings: Any) -> Comparator:
        """The comparator of results of calls with these parameters."""
        if isinstance(self.comparator, Comparator):
            return self.comparator
        return self.comparator(**settings)


def register(analytic: Analytic, *, replace: bool = False) -> Analytic:
    """Add an analytic to the catalogue.

    Parameters
    ----------
    replace : bool
        Whether it may replace the analytic with its name.

    Raises
    ------
    ValueError
        The name is in use.

    See Also
    --------
    analytics : All that are registered.
    """
    if not isinstance(analytic, Analytic):
        raise TypeError(f"analytic must be an Analytic, not {type(analytic).__name__}")
    taken = next((other for other in _catalogue.values() if analytic.name in _names(other)), None)
    if taken is not None and not (replace and taken.name == analytic.name):
        raise ValueError(f"there is an analytic {analytic.name!r} already; choose another name, or pass replace=True")
    _catalogue[analytic.name] = analytic
    return analytic


def analytics(*, times: bool = False) -> dict[str, Analytic]:
    """The analytics of the catalogue by name, for graphs without times or, with `times`, for graphs that need them.

    See Also
    --------
    find_analytic : One of them.
    register : Add one.
    """
    return {name: known for name, known in _catalogue.items() if known.times == times}


def find_analytic(name: str) -> Analytic:
    """The analytic with this name, or with a static form of this name.

    Parameters
    ----------
    name : str
        With ``"module:name"``, the module is imported first, which registers it.

    Raises
    ------
    ValueError
        No analytic has this name.

    See Also
    --------
    analytics : All names.
    """
    module, _, name = name.rpartition(":")
    if module:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            raise ValueError(f"there is no module {error.name}") from error
    for analytic in _catalogue.values():
        if name in _names(analytic):
            return analytic
    raise ValueError(f"there is no {name!r}; choose from {', '.join(_catalogue)}")


def most_neighbors(graph: fr.Graph) -> int:
    """The first vertex with the most neighbors, a source that reaches much of the graph. 0 in an empty graph."""
    return int(graph.degrees().argmax()) if graph.num_vertices else 0


def _names(analytic: Analytic) -> set[str]:
    return {analytic.name, getattr(analytic.static, "__name__", analytic.name)}


def _parameters_of(form: Callable | None) -> list[str]:
    """The names of the parameters after the first."""
    if form is None:
        return []
    parameters = list(inspect.signature(form).parameters.values())[1:]
    starred = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return [parameter.name for parameter in parameters if parameter.kind not in starred]


def _chosen(form: Callable, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that a form has."""
    known = set(_parameters_of(form))
    return {name: value for name, value in settings.items() if name in known}
