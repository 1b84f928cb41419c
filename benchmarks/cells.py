"""Fills the page of all algorithms: ``python -m benchmarks cells``.

Every call of the page on an RMAT graph, on every structure and in every form that it has. The forms are: as the
structure stores the graph, on a copy, and as the algorithm chooses. With ``--missing``, only calls without a time in
any results file. Results are compared on all structures and in all forms. Calls are measured in the order of the page,
each on all structures, so a run that ends early leaves whole rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from algorithms.comparators import edges_of
from dynfrontier.machine import describe_run

from . import summary
from .ahead import in_processes, processes_for
from .calls import SPMV, Call, calls, comparator_of, is_left_out
from .context import Budget, Context, choose_structures
from .defaults import EDGE_FACTOR, GRAPH_SEED, VECTOR_SEED, axes_for
from .graphs import BenchmarkGraph, GraphSource, hub_of
from .results import Results, command_line
from .timing import measure

NAME = "cells"
LAYOUT = {summary.NATIVE: "native", summary.SNAPSHOT: "csr", summary.AUTO: "auto"}
"""The argument of each form."""
SMALL = 10  # base-2 logarithm of the vertices of graphs on which kernels are compiled ahead


def main(arguments: Sequence[str]) -> int:
    """Measure, and write a results file. Returns 1 if something failed or results differ, else 0."""
    line = command_line("cells", __doc__)
    line.add_argument("--scales", default="16", help="of the RMAT graphs, such as 16,20 (default: 16)")
    line.add_argument("--structures", help="names, separated by commas (default: all)")
    line.add_argument("--algorithms", help="as the page calls them, separated by commas (default: all)")
    line.add_argument("--missing", action="store_true", help="only what no results file has")
    line.add_argument("--repeat", type=int, default=3, help="timed calls of each cell, at most")
    line.add_argument("--seconds", type=float, default=0.5, help="after which a call is not repeated (default: 0.5)")
    line.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS", help="begin nothing after this")
    line.add_argument(
        "--processes", type=int, metavar="N", help="processes that compile first, on a GPU (default: one a core)"
    )
    line.add_argument("--quiet", action="store_true", help="no progress lines")
    options = line.parse_args(arguments)
    try:
        device = fr.advanced.resolve_device(options.device)
        structures = choose_structures(options.structures.split(",") if options.structures else None)
        labels = _labels(options.algorithms)
        scales = tuple(int(text) for text in options.scales.split(","))
    except (ValueError, RuntimeError) as error:
        line.error(str(error))
    axes = replace(
        axes_for(device.kind, "full", scales), repeat=options.repeat, warm_up=1, seconds_per_call=options.seconds
    )
    context = Context(
        device, "full", axes, structures, GraphSource(device, axes), quiet=options.quiet, out=options.out,
        budget=Budget(options.budget),
    )  # fmt: skip
    known = set(summary.collect(summary.load() | summary.load(options.out))) if options.missing else set()
    wanted = {
        scale: [
            cell for cell in cells(labels, structures)
            if (device.kind, f"rmat{scale}", *cell) not in known and not is_left_out(cell[0], f"rmat{scale}")
        ] for scale in scales
    }  # fmt: skip
    processes = processes_for(device, options.processes)
    if processes > 1:
        context.say(f"compile kernels, in {processes} processes")
        needed = list(dict.fromkeys(cell for found in wanted.values() for cell in found))
        jobs = [(device.kind, name, [cell for cell in needed if cell[2] == name]) for name in structures]
        in_processes(_compile, [job for job in jobs if job[2]], processes)
    results = run(context, wanted, _free_name(options.out, device, scales))
    print(f"{len(results.rows)} of {sum(map(len, wanted.values()))} times, written to {results.save(options.out)}")
    return 1 if context.failures else 0


Cell = tuple[str, str, str]
"""Algorithm, form and structure."""


def _free_name(folder: Path, device: fr.advanced.Device, scales: Sequence[int]) -> str:
    """An unused name of results: the results of several runs of a day add to the page."""
    base = "-".join([NAME, *map(str, scales)])
    taken = {path.name for path in folder.glob(f"{base}*.json")}
    names = [base, *(f"{base}-run{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if not any(one.startswith(f"{name}-{device.kind}-") for one in taken))


def _labels(named: str | None) -> list[str]:
    """The calls of these names, all by default."""
    known = [*calls(), SPMV]
    chosen = named.split(",") if named else known
    for name in chosen:
        if name not in known:
            raise ValueError(f"there is no algorithm {name!r}; there are {', '.join(known)}")
    return chosen


def cells(labels: Iterable[str], structures: Iterable[str]) -> list[Cell]:
    """The cells of these algorithms and structures on the page, in its order."""
    names = list(structures)
    return [(label, form, name) for label in labels for form in summary.forms(label) for name in names]


def run(context: Context, wanted: dict[int, list[Cell]], name: str = NAME) -> Results:
    """Measure cells, by scale of the graph."""
    seeds = {"graph": GRAPH_SEED, "vector": VECTOR_SEED}
    header = describe_run(context.device, seeds=seeds, edge_factor=EDGE_FACTOR)
    results = Results(name, context.device.kind, context.mode, header=header)
    for scale, found in wanted.items():
        if not found:
            continue
        graph = context.graph(f"rmat{scale}")
        built = {name: Built(graph, kind) for name, kind in context.structures.items()}
        digests: dict[str, Any] = {}
        label = ""
        for position, cell in enumerate(found):
            if context.budget.left() <= 0:
                context.skip(results, f"{graph.name}: {len(found) - position} cells not run, no time left")
                break
            if cell[0] != label:
                label = cell[0]
                context.say(f"{graph.name}: {label}")
            work = partial(_measure, context, results, graph, built[cell[2]], cell, digests)
            context.attempt(results, f"{graph.name}: {', '.join(cell)}", work)
    return results


class Built:
    """A graph in one structure, without and with weights, made when it is needed."""

    def __init__(self, graph: BenchmarkGraph, kind: type[fr.DynamicGraph]):
        self.graph = graph
        self.kind = kind

    @cached_property
    def plain(self) -> Any:
        return self.graph.undirected(self.kind)

    @cached_property
    def weighted(self) -> Any:
        return self.graph.undirected(self.kind, weighted=True)

    def of(self, call: Call | None) -> Any:
        """The graph that a call uses."""
        return self.weighted if call is not None and call.weighted else self.plain

    @cached_property
    def source(self) -> int:
        """The vertex with most neighbors."""
        return hub_of(self.plain)


def _measure(
    context: Context, results: Results, graph: BenchmarkGraph, built: Built, cell: Cell, digests: dict[str, Any]
) -> None:
    """One time, and whether the result equals the result of the other structures and forms."""
    label, form, structure = cell
    call = calls().get(label)
    work, read = _product(built, form) if call is None else _call(built, call, form)
    axes, comparator = context.axes, comparator_of(label)
    samples, found = measure(
        context.device, work, repeat=axes.repeat, warm_up=axes.warm_up, limit=axes.seconds_per_call
    )
    edges = edges_of(built.of(call)) if comparator.needs_edges else None
    digest = comparator.digest(read(found), edges=edges)
    agrees = comparator.same_digests(digests.setdefault(label, digest), digest)
    if not agrees:
        context.failures += 1
        results.notes.append(f"FAILED: {graph.name}: {', '.join(cell)} differs")
    chosen = {"chosen": str(found.layout)} if form == summary.AUTO else {}
    results.add(
        graph=graph.name, structure=structure, algorithm=label, form=form, agrees=agrees, **chosen, **samples.numbers()
    )


Work = tuple[Callable[[], Any], Callable[[Any], tuple]]
"""The timed call, and the function that turns its result into arrays of the host, to compare them."""


def _call(built: Built, call: Call, form: str) -> Work:
    """An analytic of the catalogue on a graph, in a form."""
    graph = built.of(call)
    given = {"layout": LAYOUT[form]} if "layout" in call.analytic.accepted else {}
    settings = {"source": built.source} | dict(call.settings) | given
    return partial(call.analytic.compute, graph, **settings), partial(call.analytic.fetch, graph.device)


def _product(built: Built, form: str) -> Work:
    """A product with a vector, without its preparation."""
    graph = built.plain
    vector = graph.xp.asarray(np.random.default_rng(VECTOR_SEED).random(graph.num_vertices).astype(np.float32))
    product = fr.SpMV(graph, layout=LAYOUT[form])
    x, out = product.arrange(vector), graph.xp.empty(graph.num_vertices, np.float64)
    return partial(product, x, out=out), lambda found: (graph.device.to_host(product.restore(found)),)


def _compile(device: str, structure: str, found: list[Cell]) -> None:
    """The work of a process that compiles ahead: all cells of a structure, on a small graph."""
    place = fr.advanced.resolve_device(device)
    axes = replace(axes_for(device, "smoke", (SMALL,)), repeat=1, warm_up=0)
    kinds = {structure: fr.structures()[structure]}
    run(Context(place, "smoke", axes, kinds, GraphSource(place, axes), quiet=True), {SMALL: found})
