"""NetworkX graphs that change: ``python -m benchmarks networkx``.

One edge is inserted or deleted, and then a function of NetworkX is called, again and again. *networkx*: NetworkX
itself. *converted*: the same graph with ``backend="dynfrontier"``: NetworkX drops the converted graph when a graph is
changed, so each call converts all of it, as with any other backend. *dynfrontier.nx.Graph*: the structure gets the one
edge. All are given the same changes, and the results after the first of them are compared.

*add_edge*: the cost of a change itself, in plain graphs and in graphs that log it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import networkx as nx
import numpy as np

import dynfrontier.nx as dn
import frontier as fr
from dynfrontier.machine import describe_run
from dynfrontier.nx.info import NAME

from .results import Results, command_line, table
from .timing import Samples

SEED = 11
PLAIN, CONVERTED, MUTABLE = "networkx", "converted", "dynfrontier.nx.Graph"
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "pagerank": nx.pagerank,
    "number_connected_components": nx.number_connected_components,
    "connected_components": lambda graph, **options: list(nx.connected_components(graph, **options)),
    "triangles": nx.triangles,
}
SCALES = {("gpu", False): 18, ("cpu", False): 14, ("gpu", True): 10, ("cpu", True): 8}
WARM_UP = 3
ADDED = 20_000  # edges that are added one by one


def main(arguments: Sequence[str]) -> int:
    """Measure, write a results file, and print tables."""
    line = command_line("networkx", __doc__)
    line.add_argument("--quick", action="store_true", help="a small graph, and few changes")
    line.add_argument("--scale", type=int, help="R-MAT scale, with 8 edges a vertex")
    line.add_argument("--repeat", type=int, help="changes (default: 1000)")
    line.add_argument("--budget", type=float, default=60, metavar="SECONDS", help="for each function and form")
    line.add_argument("--note", action="append", default=[], help="description of the machine in the file")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    scale = options.scale or SCALES[device.kind, options.quick]
    repeat = options.repeat or (20 if options.quick else 1000)
    edges = fr.io.rmat(scale=scale, edge_factor=8, seed=SEED)
    plain = nx.Graph()
    plain.add_nodes_from(range(edges.num_vertices))
    pairs = zip(np.asarray(edges.src).tolist(), np.asarray(edges.dst).tolist(), strict=True)
    plain.add_edges_from((u, v) for u, v in pairs if u != v)
    results = Results("networkx", device.kind, "quick" if options.quick else "full", notes=list(options.note),
                      header=describe_run(device, seed=SEED, scale=scale, nodes=len(plain), edges=plain.size(),
                                          networkx=nx.__version__))  # fmt: skip
    with nx.config.backends[NAME](device=device.kind), nx.config(warnings_to_ignore={"cache"}):
        additions(results, plain, device)
        for name, function in FUNCTIONS.items():
            found = {form: measure(results, plain, device, name, function, form, repeat, options.budget)
                     for form in (MUTABLE, CONVERTED, PLAIN)}  # fmt: skip
            results.add(what="agreement", function=name, changes=WARM_UP, agrees=agree(list(found.values())))
            print(f"{name}: done", flush=True)
    path = results.save(options.out)
    print(f"written to {path}\n\n" + "\n".join(tables(results)))
    return 0 if all(row["agrees"] for row in results.where(what="agreement")) else 1


def changes(graph: nx.Graph) -> Any:
    """Without end, edges to insert and to delete in turn: the same ones for the same graph."""
    rng = np.random.default_rng(SEED)
    held, n = list(graph.edges), len(graph)
    while True:
        u, v = (int(x) for x in rng.integers(0, n, 2))
        if u != v and not graph.has_edge(u, v):
            yield "insert", u, v
        yield "delete", *held[int(rng.integers(0, len(held)))]


def apply(graph: nx.Graph, change: tuple[str, int, int]) -> None:
    """Make a change by NetworkX's methods."""
    kind, u, v = change
    if kind == "insert":
        graph.add_edge(u, v)
    else:
        graph.remove_edges_from([(u, v)])


def measure(
    results: Results, plain: nx.Graph, device: fr.advanced.Device, name: str, function: Callable[..., Any], form: str,
    repeat: int, budget: float,
) -> Any:  # fmt: skip
    """Changes, each followed by a call. Returns the result of the last warm-up call, the same in each form."""
    graph = dn.Graph(plain, device=device.kind) if form == MUTABLE else nx.Graph(plain)
    options = {"backend": NAME} if form == CONVERTED else {}
    samples, stream, returned = Samples(), changes(plain), None
    begin = time.perf_counter()
    function(graph, **options)
    first_ms = 1e3 * (time.perf_counter() - begin)
    deadline = time.perf_counter() + budget
    for turn in range(WARM_UP + repeat):
        change = next(stream)
        begin = time.perf_counter()
        apply(graph, change)
        result = function(graph, **options)
        if turn >= WARM_UP:
            samples.wall.append(time.perf_counter() - begin)
        else:
            returned = result
        if time.perf_counter() > deadline and turn >= WARM_UP + 2:
            results.notes.append(f"{name}, {form}: {turn + 1 - WARM_UP} of {repeat} changes, for lack of time")
            break
    if form == MUTABLE:
        assert graph.conversions == 1
    results.add(what="change and call", function=name, form=form, changes=len(samples.wall), first_ms=first_ms,
                **samples.numbers())  # fmt: skip
    return returned


def agree(found: list[Any]) -> bool:
    """Whether results are the same, ranks within 1e-6 of each other."""
    one = found[0]
    for other in found[1:]:
        if isinstance(one, dict):
            if one.keys() != other.keys() or not all(math.isclose(one[v], other[v], abs_tol=1e-6) for v in one):
                return False
        elif one != other:
            return False
    return True


def additions(results: Results, plain: nx.Graph, device: fr.advanced.Device) -> None:
    """`add_edge` on its own: in a plain graph, in one that logs nothing yet, and in one that logs."""
    rng = np.random.default_rng(SEED)
    pairs = rng.integers(0, len(plain), (ADDED, 2)).tolist()
    for form in ("networkx", "before the first call", "logged"):
        graph = nx.Graph(plain) if form == "networkx" else dn.Graph(plain, device=device.kind)
        if form == "logged":
            nx.number_connected_components(graph)
        begin = time.perf_counter()
        for u, v in pairs:
            graph.add_edge(u, v)
        added = time.perf_counter() - begin
        row = results.add(what="add_edge", form=form, edges=ADDED, us_per_edge=1e6 * added / ADDED)
        if form == "logged":
            begin = time.perf_counter()
            graph.synchronized()
            row["us_per_edge_to_structure"] = 1e6 * (time.perf_counter() - begin) / ADDED


def tables(results: Results) -> list[str]:
    """Markdown tables."""
    calls = [
        (row["function"], row["form"], row["changes"], row["first_ms"], row["median_ms"],
         *(other["median_ms"] / row["median_ms"] for form in (CONVERTED, PLAIN)
           for other in results.where(what="change and call", function=row["function"], form=form)))
        for row in results.where(what="change and call")
    ]  # fmt: skip
    added = results.cells("form", "us_per_edge", "us_per_edge_to_structure", what="add_edge")
    return [
        table("One change and one call", ["function", "graph", "changes", "first call ms", "median ms",
              "times faster than converting", "times faster than NetworkX"], calls),
        table("add_edge", ["graph", "µs", "µs to the structure, later"], added),
    ]  # fmt: skip
