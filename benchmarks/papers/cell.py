"""One structure on one graph: what a measurement is given, and where it leaves what it found."""

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


@dataclass(frozen=True)
class System:
    """A column: a structure, perhaps with options.

    Attributes
    ----------
    label : str
    kind : type of DynamicGraph
    options : mapping of str to value
    """

    label: str
    kind: type[fr.DynamicGraph]
    options: Mapping[str, Any] = field(default_factory=dict)

    def empty(self, num_vertices: int, device: fr.Device, *, directed: bool = True, **more: Any) -> fr.DynamicGraph:
        """A graph without edges."""
        return self.kind(num_vertices, directed=directed, device=device, **self.options, **more)

    def load(
        self, src: Any, dst: Any, num_vertices: int, device: fr.Device, *, directed: bool = True, **more: Any
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
        Of the whole paper.
    experiment : str
        Key of the table or figure.
    graph : BenchmarkGraph
    system : System
    prepared : dict
        Inputs that all systems share on this graph, and what they have agreed on.
    """

    context: Context
    results: Results
    experiment: str
    graph: BenchmarkGraph
    system: System
    prepared: dict[Any, Any]

    @property
    def device(self) -> fr.Device:
        return self.context.device

    @property
    def xp(self) -> Any:
        """``numpy`` or ``cupy``."""
        return self.context.device.xp

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
        return shrunk(size, self.context.axes.scales[0])

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """An input that is made for the first system and shared by all."""
        if key not in self.prepared:
            self.prepared[key] = make()
        return self.prepared[key]

    def each(self, values: Iterable[Any]) -> Iterator[Any]:
        """The distinct values of an axis, for as long as there is time; what is left out is noted."""
        for value in dict.fromkeys(values):
            if self.context.budget.left() <= 0:
                self.note(f"from {value} on not run, no time left")
                return
            yield value

    def directed(self, **options: Any) -> fr.DynamicGraph:
        """The graph in this system, directed, with both directions of every edge: an edge of a batch is one arc."""
        return self.system.load(*self.graph.arcs(), self.graph.num_vertices, self.device, **options)

    def undirected(self, **options: Any) -> fr.DynamicGraph:
        """The graph in this system, undirected."""
        graph = self.graph
        return self.system.load(
            graph.src, graph.dst, graph.num_vertices, self.device, directed=False, **options
        )

    # ---- measurements -----------------------------------------------------------------------------------------------

    def timed(self, work: Callable[[], Any]) -> tuple[Samples, Any]:
        """Repeated calls of the same work."""
        warm_up = self.context.axes.warm_up
        return measure(self.device, work, repeat=self.repeat, warm_up=warm_up, limit=self.limit)

    def timed_on_copies(
        self, graph: fr.DynamicGraph, work: Callable[[fr.DynamicGraph], Any]
    ) -> tuple[Samples, Any]:
        """Repeated calls, each on a copy of its own, which is made before the clock runs."""
        warm_up = self.context.axes.warm_up
        calls = (partial(work, graph.copy()) for _ in range(warm_up + self.repeat))
        return measure_each(self.device, calls, warm_up=warm_up, limit=self.limit)

    # ---- findings ---------------------------------------------------------------------------------------------------

    def add(self, value: float, unit: str, quantity: str = "", x: Any = None, **more: Any) -> None:
        """Keep a number."""
        self.results.add(
            experiment=self.experiment, graph=self.graph.name, system=self.system.label, quantity=quantity, x=x,
            value=float(value), unit=unit, **more,
        )  # fmt: skip

    def add_time(self, samples: Samples, quantity: str = "", x: Any = None) -> None:
        """Keep times: their median, in milliseconds."""
        self.add(1e3 * samples.median, "ms", quantity, x, **samples.numbers())

    def add_rate(
        self, samples: Samples, count: int, unit: str = "M edges/s", quantity: str = "", x: Any = None
    ) -> None:
        """Keep times as a rate: millions a second."""
        self.add(count / samples.median / 1e6, unit, quantity, x, **samples.numbers())

    def note(self, text: str) -> None:
        """Keep what was left out, and why."""
        self.context.skip(self.results, f"{self.experiment}: {self.system.label} on {self.graph.name}: {text}")

    def agree(self, what: Any, found: Any) -> None:
        """Compare a result with that of the first system that got here; it must be the same."""
        expected = self.prepared.setdefault(("agreed", what), found)
        if found != expected:
            raise AssertionError(f"{self.system.label} found {found} for {what}, others {expected}")
