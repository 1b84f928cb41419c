"""One structure on one graph: the input and the output of a measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import frontier as fr

from ..context import Context
from ..defaults import BASELINE
from ..graphs import BenchmarkGraph
from ..results import Results
from ..timing import Samples, measure, measure_each
from .axes import shrunk
from .inputs import random_weights


@dataclass(frozen=True)
class System:
    """A column: a structure, perhaps with options.

    Attributes
    ----------
    label : str
    kind : type of DynamicGraph
    options : mapping of str to value
    host : Device or None
        Its device, if it is not the device of the run.
    shapes : tuple of str
        The graphs that it is measured on, or all if it is empty.
    """

    label: str
    kind: type[fr.DynamicGraph]
    options: Mapping[str, Any] = field(default_factory=dict)
    host: fr.advanced.Device | None = None
    shapes: tuple[str, ...] = ()

    def takes(self, shape: str) -> bool:
        """Whether it is measured on this graph."""
        return not self.shapes or shape in self.shapes

    def empty(
        self, num_vertices: int, device: fr.advanced.Device, *, directed: bool = True, **more: Any
    ) -> fr.DynamicGraph:
        """A graph without edges."""
        return self.kind(num_vertices, directed=directed, device=device, **self.options, **more)

    def load(
        self, src: Any, dst: Any, num_vertices: int, device: fr.advanced.Device, *, directed: bool = True, **more: Any
    ) -> fr.DynamicGraph:
        """A graph with these edges."""
        return self.kind.from_edges(
            src, dst, num_vertices=num_vertices, directed=directed, device=device, **self.options, **more
        )


@dataclass
class Cell:
    """One system on one graph, for one experiment.

    Attributes
    ----------
    context : Context
    results : Results
        The budget of the whole paper.
    experiment : str
        Key of the table or figure.
    graph : BenchmarkGraph
        On the device of the run.
    system : System
    prepared : dict
        Inputs that all systems share on this graph, and their agreed results.
    smaller : int
        See `Experiment`.
    """

    context: Context
    results: Results
    experiment: str
    graph: BenchmarkGraph
    system: System
    prepared: dict[Any, Any]
    smaller: int = 0

    @property
    def device(self) -> fr.advanced.Device:
        """The device of the system."""
        return self.system.host or self.context.device

    @property
    def xp(self) -> Any:
        """``numpy`` or ``cupy``."""
        return self.device.xp

    @property
    def repeat(self) -> int:
        """Timed calls of a measurement."""
        axes = self.context.axes
        return axes.baseline_repeat if self.system.label == BASELINE else axes.repeat

    @property
    def limit(self) -> float:
        """Seconds after which a measurement is not repeated."""
        return self.context.axes.seconds_per_call

    # ---- inputs -----------------------------------------------------------------------------------------------------

    def size(self, size: int) -> int:
        """A number of edges, vertices or queries of the paper, shrunk as the graphs are."""
        return shrunk(size, self.context.axes.scales[0] - self.smaller)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """An input that is made for the first system and shared by all: an array, a tuple of arrays, or anything else.

        Arrays are made on the device of the run, and copied once to the system's device if it is another.
        """
        if key not in self.prepared:
            self.prepared[key] = make()
        if self.system.host is None:
            return self.prepared[key]
        copied = ("on the host", key)
        if copied not in self.prepared:
            self.prepared[copied] = _to_host(self.context.device, self.prepared[key])
        return self.prepared[copied]

    def each(self, values: Iterable[Any]) -> Iterator[Any]:
        """The distinct values of an axis, for as long as time is left. Omissions are noted."""
        for value in dict.fromkeys(values):
            if self.context.budget.left() <= 0:
                self.note(f"from {value} on not run, no time left")
                return
            yield value

    def edges(self) -> tuple[Any, Any]:
        """Each edge of the graph once, on the system's device."""
        return self.once("edges of the graph", lambda: (self.graph.src, self.graph.dst))

    def weights(self, count: int) -> Any:
        """So many weights, of float32, on the system's device."""
        return self.once(("weights", count), lambda: random_weights(self.context.device.xp, count))

    def directed(self, *, weighted: bool = False, **options: Any) -> fr.DynamicGraph:
        """The graph in this system, directed, with both directions of every edge: an edge of a batch is one arc."""
        src, dst = self.once("arcs of the graph", self.graph.arcs)
        if weighted:
            options["weights"] = self.weights(int(src.size))
        return self.system.load(src, dst, self.graph.num_vertices, self.device, **options)

    def undirected(self, *, weighted: bool = False, **options: Any) -> fr.DynamicGraph:
        """The graph in this system, undirected."""
        src, dst = self.edges()
        if weighted:
            options["weights"] = self.weights(int(src.size))
        return self.system.load(src, dst, self.graph.num_vertices, self.device, directed=False, **options)

    # ---- measurements -----------------------------------------------------------------------------------------------

    def timed(self, work: Callable[[], Any]) -> tuple[Samples, Any]:
        """Repeated calls of the same work."""
        warm_up = self.context.axes.warm_up
        return measure(self.device, work, repeat=self.repeat, warm_up=warm_up, limit=self.limit)

    def timed_on_copies(self, graph: fr.DynamicGraph, work: Callable[[fr.DynamicGraph], Any]) -> tuple[Samples, Any]:
        """Repeated calls, each on a new copy, which is made before the clock runs."""
        warm_up = self.context.axes.warm_up
        calls = (partial(work, graph.copy()) for _ in range(warm_up + self.repeat))
        return measure_each(self.device, calls, warm_up=warm_up, limit=self.limit)

    # ---- findings ---------------------------------------------------------------------------------------------------

    def add(self, value: float, unit: str, quantity: str = "", x: Any = None, graph: str = "", **more: Any) -> None:
        """Store a number, of another graph than the cell's if `graph` names one."""
        self.results.add(
            experiment=self.experiment, graph=graph or self.graph.name, system=self.system.label, quantity=quantity,
            x=x, value=float(value), unit=unit, **more,
        )  # fmt: skip

    def add_time(self, samples: Samples, quantity: str = "", x: Any = None) -> None:
        """Store times: their median, in milliseconds."""
        self.add(1e3 * samples.median, "ms", quantity, x, **samples.numbers())

    def add_rate(
        self, samples: Samples, count: int, unit: str = "M edges/s", quantity: str = "", x: Any = None
    ) -> None:
        """Store times as a rate: millions a second."""
        self.add(count / samples.median / 1e6, unit, quantity, x, **samples.numbers())

    def note(self, text: str) -> None:
        """Store an omission, and its reason."""
        self.context.skip(self.results, f"{self.experiment}: {self.system.label} on {self.graph.name}: {text}")

    def agree(self, what: Any, found: Any) -> None:
        """Compare a result with the result of the first system that got here, which must be equal."""
        expected = self.prepared.setdefault(("agreed", what), found)
        if found != expected:
            raise AssertionError(f"{self.system.label} found {found} for {what}, others {expected}")


def _to_host(device: fr.advanced.Device, value: Any) -> Any:
    """Arrays of a device, copied to the host. Other values are returned unchanged."""
    if isinstance(value, tuple):
        return tuple(_to_host(device, part) for part in value)
    return device.to_host(value) if hasattr(value, "dtype") else value
