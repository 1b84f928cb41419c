"""The figures of README and the documentation by name: `FIGURES`, each a table or a number. `pages` inserts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import choosing, summary
from .sources import CPU, GPU, files_of, origins, results_of, row_of, rows_of

BATCH = {"graph": "rmat22", "distribution": "rmat", "batch": 2**16}
STRUCTURES = ("slab", "hornet", "gpma", "lpma", "graphvine", "faimgraph", "csr")
OPERATIONS = {"insert": "insertions", "delete": "deletions"}
ANALYTICS = {
    None: "update only", "connected_components": "components", "bfs": "BFS", "sssp": "SSSP",
    "triangle_count": "triangles", "pagerank": "PageRank",
}  # fmt: skip
TASKS = {
    "bfs": "BFS from the highest-degree vertex", "connected_components": "connected components",
    "pagerank steps": "PageRank, 20 iterations", "pagerank": "PageRank to 1e-6", "sssp": "SSSP, weights 1 to 255",
    "triangle_count": "triangles, total", "triangle_count per vertex": "triangles per vertex",
    "k-truss 4": "k-truss, k = 4", "k-truss 8": "k-truss, k = 8", "core_number": "core numbers", "spmv": "SpMV",
    "minimum_spanning_forest": "minimum spanning forest", "label_propagation": "label propagation",
    "strongly_connected_components": "strong components", "betweenness_centrality": "betweenness",
}  # fmt: skip
HEADLINE = ("bfs", "triangle_count per vertex", "sssp", "k-truss 4")
COMPARED = ("bfs", "connected_components", "pagerank steps", "sssp", "triangle_count per vertex", "k-truss 4")
"""Algorithms that are compared on all structures."""
GRAPHS = {
    "rmat22": "rmat22", "rmat20": "rmat20", "rmat16": "rmat16", "uniform20": "uniform, 2^20 vertices",
    "uniform16": "uniform, 2^16 vertices", "grid1024": "1024 x 1024 grid", "grid256": "256 x 256 grid",
    "luxembourg_osm": "roads of Luxembourg",
}  # fmt: skip
SMALL, LARGE = "up to 2^14 edges", "2^16 edges and more"
PEERS = {"cugraph": "cuGraph", "scipy": "SciPy", "networkit": "NetworKit", "igraph": "igraph", "networkx": "NetworkX"}


def number(value: float | None, unit: str = "") -> str:
    """Three digits, or "-" if there is none."""
    if value is None:
        return "-"
    return (f"{value:,.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")) + (f" {unit}" if unit else "")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], sources: Iterable[tuple[str, str]]) -> str:
    """A table in Markdown with its sources, which are pairs of question and card, or "" without rows."""
    found = [list(row) for row in rows]
    if not found:
        return ""
    lines = [list(head), ["---", *["---:"] * (len(head) - 1)], *found]
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines).replace("|  |", "| |")
    return f"{text}\n\nSource: {'; '.join(filter(None, (origins(*source) for source in sources)))}."


def value_of(row: dict[str, Any] | None, key: str) -> float | None:
    """A number of a row that may not be there."""
    return None if row is None else row.get(key)


def times(question: str, card: str) -> dict[tuple[str, str, str], float]:
    """Milliseconds by graph, algorithm and system, as users call it.

    Systems are compared within a file only: of each graph and algorithm the first file counts that has another library,
    else the first that has any system.
    """
    chosen: dict[tuple[str, str], dict[str, float]] = {}
    for results in results_of(question, card):
        mine: dict[tuple[str, str], dict[str, float]] = {}
        for (_, graph, label, form, system), milliseconds in summary.times_of(results):
            systems = mine.setdefault((graph, label), {})
            if form in (summary.AUTO, summary.NATIVE):
                systems[system] = min(milliseconds, systems.get(system, milliseconds))  # cuGraph has two ways of BFS
        for key, systems in mine.items():
            if key not in chosen or (systems.keys() & PEERS.keys() and not chosen[key].keys() & PEERS.keys()):
                chosen[key] = systems
    return {(*key, system): value for key, systems in chosen.items() for system, value in systems.items()}


def largest_compared(label: str) -> tuple[str, dict[str, float]]:
    """The largest R-MAT graph on which cuGraph has answered too, and milliseconds by system."""
    known = times("algorithms", GPU)
    for graph in ("rmat22", "rmat20", "rmat16"):
        systems = {system: value for (g, task, system), value in known.items() if (g, task) == (graph, label)}
        if {"slab", "cugraph"} <= systems.keys():
            break
    return graph, systems


def ratio(above: float | None, below: float | None) -> str:
    """The duration of the first as a multiple of the second's, or "-"."""
    return "-" if above is None or not below else f"{number(above / below)}x"


# ---- figures --------------------------------------------------------------------------------------------------------


def headline() -> str:
    """The table of the README."""
    dynamic = {row["system"]: row["mean_ms"] for row in rows_of("triangles", GPU, **BATCH, operation="insert")}
    lines = [("exact triangle counts after a batch of 65,536 insertions", dynamic)]
    for label in HEADLINE:
        graph, systems = largest_compared(label)
        lines.append((f"{TASKS[label]}, {graph}", systems))
    cells = []
    for label, found in lines:
        rebuilt = found.get("csr recount", found.get("csr"))
        cells.append([label, number(found.get("slab")), number(rebuilt), number(found.get("cugraph")),
                      ratio(found.get("cugraph"), found.get("slab"))])  # fmt: skip
    head = ["ms", "`slab`", "`csr`, rebuilt", "cuGraph 26.10", "cuGraph over `slab`"]
    return table(head, cells, [("triangles", GPU), ("algorithms", GPU)])


def triangles(card: str, **series: Any) -> str:
    """From a batch to exact counts."""
    rows = rows_of("triangles", card, **series)
    peers = {row["system"]: row for row in rows if row["system"] in PEERS}
    cells = []
    for row in rows:
        if row["system"] == "csr":  # whose count is recomputed
            continue
        recounted = "initial_ms" not in row
        name = PEERS.get(row["system"]) or f"`{row['system'].split()[0]}`"
        label = f"{name}, rebuilt and recounted" if recounted else f"{name}, {OPERATIONS[row['operation']]}"
        ratios = ["" if row["system"] == peer else ratio(other["mean_ms"], row["mean_ms"])
                  for peer, other in peers.items()]  # fmt: skip
        cells.append([label, number(row["mean_ms"]), number(row["p50_ms"]), number(row["p99_ms"]), *ratios])
    head = ["ms", "mean", "P50", "P99", *(f"slowdown of {PEERS[peer]}" for peer in peers)]
    return table(head, cells, [("triangles", card)])


def latency(card: str) -> str:
    """Small batches with their answers, P50 and P99."""
    rows = rows_of("latency", card, structure="slab")
    sizes = sorted({row["size"] for row in rows})
    cells = []
    for analytic, label in ANALYTICS.items():
        for operation, word in (("insert", "insertion"), ("delete", "deletion")):
            mine = {row["size"]: row for row in rows if (row["analytic"], row["operation"]) == (analytic, operation)}
            if mine:
                shown = (f"{mine[size]['p50_us']:,.0f} / {mine[size]['p99_us']:,.0f}" if size in mine else "-"
                         for size in sizes)  # fmt: skip
                cells.append([f"{label}, {word}", *shown])
    return table(["µs, P50 / P99", *(f"{size:,}" for size in sizes)], cells, [("latency", card)])


def vertices() -> str:
    """Batches in graphs of ever more vertices, on all cards."""
    analytics = [name for name in ANALYTICS if name != "pagerank"]
    cells, sources = [], []
    for card in (GPU, CPU):
        rows = rows_of("vertices", card)
        sources += [("vertices", card)] if rows else []
        for scale in sorted({row["scale"] for row in rows}):
            pairs = []
            for analytic in analytics:
                mine = {row["operation"]: row["p50_us"] for row in rows
                        if (row["scale"], row["analytic"]) == (scale, analytic)}  # fmt: skip
                pairs.append(f"{mine['insert']:,.0f} / {mine['delete']:,.0f}" if mine else "-")
            cells.append([f"{card.upper()}, 2^{scale}", *pairs])
    head = ["µs, insertion / deletion", *(str(ANALYTICS[name]) for name in analytics)]
    return table(head, cells, sources)


def incremental(card: str) -> str:
    """Maintaining a result, and recomputing it."""
    cells = [
        [TASKS.get(row["analytic"], row["analytic"]).removesuffix(" from the highest-degree vertex"),
         GRAPHS.get(row["graph"], row["graph"]), f"{row['batch']:,}", number(max(row["incremental_ms"], 0)),
         number(row["anew_ms"]), ratio(row["anew_ms"], max(row["incremental_ms"], 0))]
        for row in rows_of("incremental", card, structure="slab") if row["correct"]
    ]  # fmt: skip
    head = ["ms", "graph", "batch", "incremental", "from scratch", "speedup"]
    return table(head, cells, [("incremental", card)])


def algorithms(card: str, peers: Sequence[str], systems: Sequence[str]) -> str:
    """Static algorithms: structures, their slowdown against CSR, and other libraries."""
    known = times("algorithms", card)
    cells = []
    for graph in GRAPHS:
        for label in TASKS:
            found = {name: known.get((graph, label, name)) for name in ("csr", *systems, *peers)}
            fastest = min((found[name] for name in peers if found[name] is not None), default=None)
            if found["csr"] is None or (fastest is None and label not in COMPARED):
                continue
            cells.append([f"{TASKS[label]}, {GRAPHS.get(graph, graph)}", number(found["csr"]),
                          *(number(found[name]) for name in systems), ratio(found[systems[0]], found["csr"]),
                          *(number(found[name]) for name in peers), ratio(fastest, found[systems[0]])])  # fmt: skip
    head = ["ms", "`csr`", *(f"`{name}`" for name in systems), f"`{systems[0]}` over `csr`",
            *(PEERS[name] for name in peers), f"{'fastest' if len(peers) > 1 else PEERS[peers[0]]} over "
            f"`{systems[0]}`"]  # fmt: skip
    return table(head, cells, [("algorithms", card)])


def structures(card: str) -> str:
    """Static algorithms on all structures, over CSR."""
    known = times("structures", card)
    names = [name for name in STRUCTURES[:-1] if any(key[2] == name for key in known)]
    cells = [
        [f"{TASKS[label]}, {GRAPHS.get(graph, graph)}", number(csr),
         *(ratio(known.get((graph, label, name)), csr) for name in names)]
        for (graph, label, system), csr in known.items() if system == "csr" and label in COMPARED
    ]  # fmt: skip
    return table(["", "`csr`, ms", *(f"`{name}`" for name in names)], cells, [("structures", card)])


def updates(card: str, graph: str = "rmat20") -> str:
    """Rates of updates by structure and batch size."""
    chosen = {"graph": graph, "variant": "unweighted", "distribution": "uniform"}
    rows = rows_of("updates", card, **chosen)
    words = {"insert": "insert", "duplicate": "insert again", "delete": "delete", "query hit": "look up"}
    sizes = sorted({row["batch"] for row in rows})
    rates: dict[tuple[str, str, int], float] = {}
    for row in rows:
        rates.setdefault((row["structure"], row["operation"], row["batch"]), row["m_edges_per_s"])
    cells = []
    for name in STRUCTURES:
        for operation, word in words.items():
            mine = [rates.get((name, operation, size)) for size in sizes]
            if any(mine) and (name != "csr" or operation == "insert"):
                label = f"`{name}` {word}" + (" (rebuild)" if name == "csr" else "")
                cells.append([label, *(number(rate) for rate in mine)])
    return table(["M arcs/s", *map(_power, sizes)], cells, [("updates", card)])


def kernels(card: str) -> str:
    """Rates of updates, of which only the time counts in which the GPU is busy."""
    rows = rows_of("kernels", card, graph="rmat20", variant="unweighted")
    sizes = sorted({row["batch_size"] for row in rows})
    cells = []
    for name in STRUCTURES:
        for operation, word in {"insert": "insert", "delete": "delete", "query": "look up"}.items():
            mine = {row["batch_size"]: row["m_edges_per_s"] for row in rows
                    if (row["structure"], row["operation"]) == (name, operation)}  # fmt: skip
            if mine:
                cells.append([f"`{name}` {word}", *(number(mine.get(size)) for size in sizes)])
    return table(["M arcs/s, GPU busy", *map(_power, sizes)], cells, [("kernels", card)])


def _power(size: int) -> str:
    return f"2^{size.bit_length() - 1}" if size > 1 else "1"


def memory(card: str) -> str:
    """Bytes per arc after a graph is built, and of plain CSR arrays."""
    cells, names = [], [name for name in STRUCTURES if rows_of("updates", card, graph="rmat20", structure=name)]
    for variant, label in (("unweighted", "without weights"), ("weighted", "with float32 weights")):
        rows = {name: row_of("updates", card, graph="rmat20", operation="build", variant=variant, structure=name)
                for name in names}  # fmt: skip
        if any(rows.values()):
            least = next(row["csr_per_arc"] for row in rows.values() if row)
            cells.append([label, f"{least:.1f}", *("-" if not row else f"{row['used_per_arc']:.1f}"
                                                   for row in rows.values())])  # fmt: skip
    return table(["bytes per arc", "CSR arrays", *(f"`{name}`" for name in names)], cells, [("updates", card)])


def growth(card: str) -> str:
    """Batches while a graph grows from nothing."""
    rows = {row["structure"]: row for row in rows_of("growth", card)}
    names = [name for name in STRUCTURES if name in rows]
    lines = {"median batch": "p50_ms", "P99": "p99_ms", "longest batch": "p100_ms"}
    cells = [[label, *(number(rows[name][key]) for name in names)] for label, key in lines.items()]
    return table(["ms", *(f"`{name}`" for name in names)], cells if names else [], [("growth", card)])


def streams(card: str) -> str:
    """Whole streams of the command line."""
    cells = []
    for analytic in ("none", "triangle_count"):
        rows = rows_of("streams", card, analytic=analytic)
        if rows:
            seconds = [row["totals"]["stream_seconds"] for row in rows]
            p50, p99 = (min(row["seconds"]["both"][share] for row in rows) for share in ("p50", "p99"))
            label = "updates only" if analytic == "none" else "with exact triangle counts after every batch"
            cells.append([label, f"{rows[0]['totals']['records']:,}", f"{number(min(seconds))} to "
                          f"{number(max(seconds))} s", number(1e3 * p50, "ms"), number(1e3 * p99, "ms")])  # fmt: skip
    return table(["", "rows", "time", "batch P50", "batch P99"], cells, [("streams", card)])


def first_answers(card: str) -> str:
    """From the start of a process to the first answers."""
    cells = [
        [f"`{row['structure']}`, {row['caches']} caches",
         *(number(row[key] / 1e3) for key in ("started_ms", "construct_ms", "attach_ms")),
         number(row["batches_ms"]["insert"][0] / 1e3), number(row["first_answer_ms"] / 1e3)]
        for row in rows_of("first-answers", card) if "error" not in row and row["analytics"]
    ]  # fmt: skip
    head = ["s", "imports and context", "construct", "attach five analytics", "first batch", "first answer"]
    return table(head, cells, [("first-answers", card)])


def construct(caches: str) -> str:
    """The time of a constructor with empty or full caches, in a sentence."""
    milliseconds = value_of(row_of("first-answers", GPU, structure="slab", caches=caches), "construct_ms")
    return number(None if milliseconds is None else milliseconds / 1e3, "s")


def first_run(card: str) -> str:
    """The whole command line, with empty caches and again."""
    cells = []
    for run in ("first", "second"):
        found = [row["milliseconds"] / 1e3 for row in rows_of("first-run", card, run=run)]
        if found:
            cells.append([f"{run} run of `dynfrontier stream`", f"{number(min(found))} s"])
    return table(["", "time"], cells, [("first-run", card)])


def motifs() -> str:
    """Counts of temporal motifs, and SNAP's."""
    cells = [
        [row["data"], f"{row['events']:,}", number(row["count_ms"]), number(row["all_ms"]), number(row["snap_ms"]),
         ratio(row["snap_ms"], row["all_ms"])]
        for row in rows_of("motifs", CPU, form="as published")
    ]  # fmt: skip
    head = ["ms of CPU time", "events", "counts", "file to counts", "SNAP, file to counts", "slowdown of SNAP"]
    return table(head, cells, [("motifs", CPU)])


def moving_motifs() -> str:
    """Temporal motifs of a window that moves, maintained and recomputed."""
    cells = [
        [f"{row['batch']:,}", number(row["update_cpu_median_ms"]), number(row["maintain_cpu_median_ms"]),
         number(row["recompute_cpu_median_ms"]), ratio(row["recompute_cpu_median_ms"], row["maintain_cpu_median_ms"])]
        for row in rows_of("temporal", CPU, what="motifs", structure="slab")
    ]  # fmt: skip
    head = ["ms of CPU time, by events a move", "update only", "maintained", "recomputed", "speedup"]
    return table(head, cells, [("temporal", CPU)])


def one_thread() -> str:
    """CPU time of one thread, and of other libraries."""
    rows = rows_of("one-thread", CPU)
    systems = [system for system in dict.fromkeys(row["system"] for row in rows) if not system.endswith(" before")]
    best = {(row["algorithm"], row["graph"], row["system"]): row["best_ms"] for row in rows}
    pairs = dict.fromkeys((row["algorithm"], row["graph"]) for row in rows)
    tasks = TASKS | {"pagerank": TASKS["pagerank steps"]}  # which this benchmark runs under the plain name
    cells = [[f"{tasks.get(name, name)}, {graph}", *(number(best.get((name, graph, system))) for system in systems)]
             for name, graph in pairs]  # fmt: skip
    names = [PEERS.get(system, f"`{system.removesuffix(' after')}`" if " " in system else system) for system in systems]
    return table(["ms of CPU time", *names], cells, [("one-thread", CPU)])


def on_a_cpu() -> str:
    """All tables of CPUs, each under its question."""
    parts = {
        "Exact triangle counts after a batch of 1,024 edges, R-MAT with 2^16 vertices:":
            triangles(CPU, graph="rmat16", distribution="rmat", batch=2**10),
        "Updates, R-MAT with 2^16 vertices:": updates(CPU, "rmat16"),
        "Small batches, R-MAT with 2^16 vertices:": latency(CPU),
        "Incremental analytics:": incremental(CPU),
        "Static algorithms:": algorithms(CPU, ("scipy", "networkit", "igraph", "networkx"), ("slab", "hornet")),
        "Time relative to `csr`:": structures(CPU),
        "The longest batch while a graph grows:": growth(CPU),
        "Whole streams:": streams(CPU),
        "One thread (GAP: wall clock time, and PageRank in float32):": one_thread(),
    }  # fmt: skip
    return "\n\n".join(f"{title}\n\n{text}" for title, text in parts.items() if text)


def directed(card: str) -> str:
    """Small batches of directed graphs with in-edges, and of undirected graphs."""
    sizes = (1, 1024, 65536)
    cells = []
    for analytic, label in ((None, "update only"), ("bfs", "`DynamicBFS`")):
        for question, kind in (("directed", "with in-edges"), ("latency", "undirected")):
            found = {
                (row["operation"], row["size"]): row["p50_us"]
                for row in rows_of(question, card, structure="slab", analytic=analytic)
            }
            pairs = (f"{number(found.get(('insert', size)))} / {number(found.get(('delete', size)))}" for size in sizes)
            cells.append([f"{label}, {kind}", *pairs])
    head = ["µs, insertion / deletion", *(f"{size:,}" for size in sizes)]
    return table(head, cells, [("directed", card), ("latency", card)])


def edge_data(card: str) -> str:
    """Updates with a column of edge data, over updates with weights only."""
    found: dict[tuple[str, str], dict[tuple, float]] = {}
    for row in rows_of("edge-data", card, graph="rmat20", structure="slab"):
        if row.get("batch"):
            key = row["operation"], SMALL if row["batch"] <= 1 << 14 else LARGE
            found.setdefault(key, {})[row["variant"], row["distribution"], row["batch"]] = row["median_ms"]
    words = {"insert": "insertion of new edges", "duplicate": "insertion of existing edges", "delete": "deletion"}
    cells = []
    for batches in (SMALL, LARGE):
        ratios = []
        for operation in words:
            medians = found.get((operation, batches), {})
            ratios.append(span((ms, medians.get(("weighted", *rest))) for (variant, *rest), ms in medians.items()
                               if variant == "edge data"))  # fmt: skip
        cells.append([batches, *ratios])
    return table(["", *words.values()], cells, [("edge-data", card)])


def span(pairs: Iterable[tuple[float, float | None]]) -> str:
    """The range of the ratios of some pairs, or "-" without any. Pairs without a second number are skipped."""
    values = [above / below for above, below in pairs if below]
    if not values:
        return "-"
    least, most = (f"{value:.1f}" if value < 10 else f"{value:.0f}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


def names(card: str) -> str:
    """The time for the ids of both ends of the edges of a batch."""
    rows = rows_of("names", card)
    cells = []
    for batch in sorted({row["batch"] for row in rows}):
        medians = {(row["place"], row["what"]): 2e-3 * batch / row["m_names_per_s"] for row in rows
                   if row["batch"] == batch}  # fmt: skip
        cells.append([f"{batch:,}", *(number(medians.get((place, what))) for place in ("gpu", "cpu")
                                      for what in ("new", "known"))])  # fmt: skip
    head = ["ms, by edges of a batch", "GPU, from empty", "GPU, again", "its host, from empty", "its host, again"]
    return table(head, cells, [("names", card)])


def inside() -> str:
    """Loops in functors, over the equivalent operators."""
    words = {
        "sum": "all neighbors summed, over `neighbor_reduce`", "early": "the first marked neighbor, over `advance`",
        "look-up": "an edge looked up, over `graph.find_edges`",
    }  # fmt: skip
    columns = [(card, graph) for card in (GPU, CPU) for graph in ("uniform", "rmat")]
    cells = []
    for task, label in words.items():
        ratios = []
        for card, graph in columns:
            medians = {(row["structure"], row["way"]): row["median_ms"]
                       for row in rows_of("inside", card, task=task, graph=graph)}  # fmt: skip
            ratios.append(span((ms, medians.get((name, "operator"))) for (name, way), ms in medians.items()
                               if way == "inside"))  # fmt: skip
        cells.append([label, *ratios])
    head = ["", *(f"{card.upper()}, {'R-MAT' if graph == 'rmat' else graph}" for card, graph in columns)]
    return table(head, cells, [("inside", GPU), ("inside", CPU)])


def windows(card: str) -> str:
    """A push of a sliding window, over the same insertion and deletion without one."""
    rows = {row["form"]: row for row in rows_of("windows", card, what="window", structure="slab")}
    if not rows.keys() >= {"window", "plain", "plain, with times"}:
        return ""
    ms, timed = rows["window"]["median_ms"], rows["plain, with times"]["median_ms"]
    cells = [[number(ms, "ms"), ratio(ms, rows["plain"]["median_ms"]), ratio(ms, timed)]]
    head = ["a push", "over insertion and deletion without times", "over insertion and deletion with times"]
    return table(head, cells, [("windows", card)])


def pipeline(card: str) -> str:
    """Rows of streams that are read while the GPU works."""
    words = {
        ("feeding", "plain loop, host arrays", None): "a plain loop over arrays in host memory",
        ("feeding", "pipeline, host arrays", None): "arrays in host memory",
        ("feeding", "pipeline, device arrays", None): "arrays on the GPU",
        ("window", "pipeline, host arrays", False): "with a sliding window",
        ("window", "pipeline, host arrays", True): "with a window and exact triangle counts after each batch",
    }
    rates = {(row["what"], row["form"], row.get("triangles")): row["m_records_per_s"]
             for row in rows_of("pipeline", card)}  # fmt: skip
    cells = [[label, number(rates[key])] for key, label in words.items() if key in rates]
    return table(["source", "million rows per second"], cells, [("pipeline", card)])


def recommendations() -> str:
    """The tables of the page that helps to choose a structure."""
    return "\n\n".join(choosing.advice(path) for card in (GPU, CPU) for path in files_of("choosing", card))


def rate(size: int) -> str:
    """Insertions into `slab`, in a sentence."""
    chosen = {"graph": "rmat20", "variant": "unweighted", "distribution": "uniform", "operation": "insert"}
    found = row_of("updates", GPU, **chosen, structure="slab", batch=size)
    return number(value_of(found, "m_edges_per_s"), "M arcs/s")


def shortest_paths(key: str) -> str:
    """Shortest paths after a batch, in a sentence."""
    return number(value_of(row_of("incremental", GPU, graph="rmat22", structure="slab", analytic="sssp"), key), "ms")


def bytes_per_arc(structure: str) -> str:
    """Memory in a sentence."""
    chosen = {"graph": "rmat20", "variant": "unweighted", "operation": "build"}
    found = row_of("updates", GPU, **chosen, structure=structure)
    return "-" if found is None else f"{found['used_per_arc']:.1f}"


FIGURES: dict[str, Callable[[], str]] = {
    "headline": headline,
    "triangles": lambda: triangles(GPU, **BATCH),
    "latency": lambda: latency(GPU),
    "vertices": vertices,
    "incremental": lambda: incremental(GPU),
    "algorithms": lambda: algorithms(GPU, ("cugraph",), ("slab",)),
    "structures": lambda: structures(GPU),
    "updates": lambda: updates(GPU),
    "kernels": lambda: kernels(GPU),
    "memory": lambda: memory(GPU),
    "growth": lambda: growth(GPU),
    "streams": lambda: streams(GPU),
    "directed": lambda: directed(GPU),
    "edge-data": lambda: edge_data(GPU),
    "names": lambda: names(GPU),
    "inside": inside,
    "first-answers": lambda: first_answers(GPU),
    "first-run": lambda: first_run(CPU),
    "cpu": on_a_cpu,
    "motifs": motifs,
    "moving-motifs": moving_motifs,
    "windows": lambda: windows(GPU),
    "pipeline": lambda: pipeline(GPU),
    "choosing": recommendations,
    "small-rate": lambda: rate(2**16),
    "large-rate": lambda: rate(2**22),
    "sssp-incremental": lambda: shortest_paths("incremental_ms"),
    "sssp-from-scratch": lambda: shortest_paths("anew_ms"),
    "construct-cold": lambda: construct("empty"),
    "construct-warm": lambda: construct("full"),
    "bytes-csr": lambda: bytes_per_arc("csr"),
    "bytes-slab": lambda: bytes_per_arc("slab"),
}
"""The contents of each figure, by its name."""
