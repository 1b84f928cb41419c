"""Algorithms on a graph as it is stored, and on a copy of it: the same call with ``layout="native"`` and ``True``.

By structure. The time with a copy includes that of making it; only a product (SpMV) is timed without its preparation,
which has a row of its own. Results of both forms are compared, on all structures. What ``layout="auto"`` chooses is
part of each row.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import frontier as fr
from algorithms import k_truss, pagerank, triangle_count, truss_numbers
from algorithms.comparators import Comparator, Exact, Values, on_host

from .context import Context
from .defaults import EDGE_FACTOR, GRAPH_SEED, PAGERANK_ALPHA, PAGERANK_STEPS, TRUSSES, VECTOR_SEED
from .graphs import BenchmarkGraph
from .results import Results, describe_run, pivot, table
from .timing import measure

NAME = "native"
FORMS = {"native": "native", "snapshot": "csr"}
STEPS = {"alpha": PAGERANK_ALPHA, "max_iter": PAGERANK_STEPS, "tol": 0, "fail_on_nonconvergence": False}
RANKS = Values(rtol=1e-6)
WHOLE_MOST_EDGES = 2**22  # truss numbers of larger graphs take minutes


def run(context: Context) -> Results:
    """Measure all structures on the RMAT graphs."""
    header = describe_run(context.device, seeds={"graph": GRAPH_SEED, "vector": VECTOR_SEED}, edge_factor=EDGE_FACTOR)
    results = Results(NAME, context.device.kind, context.mode, header=header)
    for graph in context.fitting(results, NAME, context.rmat_graphs()):
        expected: dict[str, Any] = {}
        for structure, kind in context.structures.items():
            context.say(f"{NAME}: {graph.name}, {structure}")
            work = partial(_measure_structure, context, results, graph, structure, kind, expected)
            context.attempt(results, f"{NAME}: {graph.name}, {structure}", work)
    return results


def _measure_structure(
    context: Context, results: Results, graph: BenchmarkGraph, structure: str, kind: type[fr.DynamicGraph],
    expected: dict[str, Any],
) -> None:  # fmt: skip
    """All algorithms in both forms on one graph in one structure."""
    axes, device = context.axes, context.device
    built = graph.undirected(kind)
    repeat = partial(measure, device, repeat=axes.repeat, warm_up=axes.warm_up, limit=axes.seconds_per_call)
    counters = dict(_algorithms(built, whole=graph.num_edges <= WHOLE_MOST_EDGES))

    def keep(algorithm: str, form: str, comparator: Comparator, samples: Any, found: Any, **more: Any) -> None:
        digest = comparator.digest(on_host(device, found))
        agrees = comparator.same_digests(expected.setdefault(algorithm, digest), digest)
        if not agrees:
            context.failures += 1
            results.notes.append(f"FAILED: {graph.name}, {structure}: {algorithm}, {form} differs")
        results.add(
            graph=graph.name, structure=structure, algorithm=algorithm, form=form, agrees=agrees, **more,
            **samples.numbers(),
        )  # fmt: skip

    for algorithm, (call, read, comparator) in counters.items():
        for form, layout in FORMS.items():
            slow = algorithm == "truss_numbers"
            samples, found = measure(
                device, partial(call, layout=layout), repeat=axes.repeat, warm_up=1 if slow else axes.warm_up,
                limit=axes.seconds_per_call,
            )  # fmt: skip
            keep(algorithm, form, comparator, samples, read(found))
        choice = call(layout="auto").layout
        for row in results.where(graph=graph.name, structure=structure, algorithm=algorithm):
            row |= {"auto": "snapshot" if choice.is_copy else "native", "reason": choice.reason}
    vector = device.xp.asarray(np.random.default_rng(VECTOR_SEED).random(graph.num_vertices).astype(np.float32))
    for form, layout in FORMS.items():
        samples, product = repeat(partial(fr.SpMV, built, layout=layout))
        labels = {"graph": graph.name, "structure": structure, "form": form}
        results.add(**labels, algorithm="spmv: prepare", agrees=True, **samples.numbers())
        x, out = product.arrange(vector), device.xp.empty(graph.num_vertices, np.float64)
        samples, found = repeat(partial(product, x, out=out))
        keep("spmv", form, RANKS, samples, (product.restore(found),))
    samples, found = repeat(built.to_csr)
    keep("to_csr", "native", Exact(), samples, (found.offsets, found.indices))


def _algorithms(graph: fr.Graph, whole: bool) -> dict[str, tuple[Callable, Callable, Comparator]]:
    """Calls that take `layout`, what is compared of their results, and how."""
    exact = Exact()
    found: dict[str, tuple[Callable, Callable, Comparator]] = {
        "triangle_count": (partial(triangle_count, graph, per_vertex=False), lambda r: (np.int64(r.total),), exact),
        "triangle_count per vertex": (partial(triangle_count, graph), lambda r: (r.per_vertex,), exact),
        "pagerank": (partial(pagerank, graph), lambda r: (r.pagerank,), Values(rtol=1e-4)),
        "pagerank steps": (partial(pagerank, graph, **STEPS), lambda r: (r.pagerank,), RANKS),
    }
    for k in TRUSSES:
        found[f"k-truss {k}"] = partial(k_truss, graph, k), lambda r: (r.src, r.dst), exact
    if whole:
        found["truss_numbers"] = partial(truss_numbers, graph), lambda r: (r.src, r.dst, r.truss), exact
    return found


def tables(results: Results) -> list[str]:
    """What a reader wants to see first."""
    found = []
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        rows = results.where(graph=graph)
        columns, cells = pivot(rows, ("structure", "form"), "algorithm", lambda row: row["median_ms"])
        found.append(table(f"{graph}: ms (median)", columns, cells))
        copied = {(row["structure"], row["algorithm"]): row["median_ms"] for row in rows if row["form"] == "snapshot"}
        mine = [
            {**row, "over": row["median_ms"] / copied[row["structure"], row["algorithm"]]}
            for row in rows
            if row["form"] == "native" and (row["structure"], row["algorithm"]) in copied
        ]
        columns, cells = pivot(mine, ("structure",), "algorithm", lambda row: row["over"])
        found.append(table(f"{graph}: time of the graph as it is stored, over that with a snapshot", columns, cells))
        chosen = [row for row in rows if row["form"] == "native" and "auto" in row]
        columns, cells = pivot(chosen, ("structure",), "algorithm", lambda row: row["auto"])
        found.append(table(f'{graph}: what layout="auto" chooses', columns, cells))
    return [text for text in found if text]
