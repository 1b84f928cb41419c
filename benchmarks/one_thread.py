"""CPU time of one thread for algorithms, compared with the best libraries: ``python -m benchmarks one-thread``.

The machine may be shared, so what counts is the thread's CPU time, and of many calls the least and the tenth
percentile. With ``--before``, another checkout of this project is measured alternately with this one, each turn in a
separate process. SciPy, igraph and NetworKit participate if they can be imported, and GAP's programs if ``--gap``
names their folder, with wall clock times.

Graphs are undirected, except for strong components, which are of the directed ones. `DYNFRONTIER_DATA` names the folder
of published graphs. Missing ones are left out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

NAME = "cpu-algorithms"
DATA = {
    "enron": "email-Enron.txt.gz", "mathoverflow": "sx-mathoverflow.txt.gz",
    "luxembourg": "luxembourg_osm.noheader.mtx.xz",
}  # fmt: skip
GENERATED = {"rmat18": 18, "grid1024": 1024}
SEED = 1
CASES = {
    "bfs": ("rmat18", "enron", "mathoverflow", "luxembourg"),
    "connected_components": ("rmat18", "enron", "mathoverflow", "luxembourg"),
    "triangle_count": ("rmat18", "mathoverflow", "luxembourg", "grid1024"),
    "label_propagation": ("enron", "rmat18"),
    "strongly_connected_components": ("mathoverflow",),
    "minimum_spanning_forest": ("luxembourg",),
    "core_number": ("mathoverflow",),
    "pagerank": ("rmat18", "grid1024", "luxembourg", "enron"),
    "sssp": ("rmat18", "grid1024", "luxembourg", "enron"),
    "betweenness_centrality": ("rmat18", "luxembourg", "enron"),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "triangle_count": {"per_vertex": False},
    "pagerank": {"max_iter": 20, "tol": 0, "fail_on_nonconvergence": False},
    "sssp": {"predecessors": False},
    "betweenness_centrality": {"k": 16},
}
"""As much as other libraries compute."""
GAP = {
    "bfs": ("bfs", "-r{source}"), "connected_components": ("cc",), "triangle_count": ("tc",),
    "sssp": ("sssp", "-r{source}", "-d{delta}"), "betweenness_centrality": ("bc", "-i16"),
    "pagerank": ("pr", "-i20", "-t0"),
}  # fmt: skip
"""By algorithm, GAP's program and its options. It draws the sources of betweenness itself. Its PageRank computes in
float32, all others' in float64."""
GAP_DELTAS = {"rmat18": 1, "grid1024": 128, "luxembourg": 512, "enron": 16}
"""The best of the powers of 2, by graph."""
GAP_TRIALS = 8


def main(arguments: Sequence[str]) -> int:
    """Measure all cases by turns, write a results file, and print the least times."""
    import frontier as fr
    from dynfrontier.machine import describe_run

    from .results import FOLDER, ROOT, Results, command_environment, commit_of, table

    line = argparse.ArgumentParser(prog="python -m benchmarks one-thread", description=__doc__.splitlines()[0])
    line.add_argument("--before", type=Path, metavar="DIR", help="another checkout, measured by turns")
    line.add_argument(
        "--gap", type=Path, metavar="DIR", default=os.environ.get("GAP_DIR") or None,
        help="folder of GAP's programs (bfs, sssp, ...), SERIAL=1 (default: the variable GAP_DIR)",
    )  # fmt: skip
    line.add_argument("--algorithms", default=",".join(CASES), help="names, separated by commas (default: all)")
    line.add_argument("--structures", default="csr,slab", help="names, separated by commas")
    line.add_argument("--threads", type=int, default=1, help="of ours. With several, wall-clock time counts.")
    line.add_argument("--turns", type=int, default=3)
    line.add_argument("--seconds", type=float, default=1.0, help="of a case in a turn")
    line.add_argument("--number", default="", help="suffix of the results file's name")
    line.add_argument("--note", action="append", default=[], help="description of the machine in the file")
    line.add_argument("--out", type=Path, default=FOLDER, help="folder of the results file")
    options = line.parse_args(arguments)
    header = describe_run(fr.advanced.resolve_device("cpu"), seed=SEED, threads=options.threads, before=options.before
                          and commit_of(options.before))  # fmt: skip
    results = Results(NAME + options.number, "cpu", "full", notes=list(options.note), header=header)
    codes = {"before": options.before, "after": ROOT} if options.before else {"after": ROOT}
    request = {"algorithms": options.algorithms.split(","), "structures": options.structures.split(","),
               "seconds": options.seconds, "threads": options.threads}  # fmt: skip
    samples: dict[tuple[str, str, str], list[float]] = {}
    for turn in range(options.turns):
        for code, folder in codes.items():
            environment = command_environment(NUMBA_NUM_THREADS=str(options.threads)) | {"PYTHONPATH": str(folder)}
            command = [sys.executable, "-P", str(Path(__file__).resolve()), json.dumps(request)]
            if turn == 0:  # kernels are compiled in a process that is not measured
                _ask([*command[:-1], json.dumps(request | {"seconds": 0})], environment)
            for row in _ask(command, environment):
                key = row["algorithm"], row["graph"], f"{row['structure']} {code}"
                samples.setdefault(key, []).extend(row["ms"])
        for peer in PEERS:
            command = [sys.executable, "-P", str(Path(__file__).resolve()), json.dumps(request | {"peer": peer})]
            for row in _ask(command, command_environment(NUMBA_NUM_THREADS="1", OMP_NUM_THREADS="1")):
                samples.setdefault((row["algorithm"], row["graph"], peer), []).extend(row["ms"])
        if options.gap:
            for algorithm, graph, found in _gap(options.gap, request["algorithms"]):
                samples.setdefault((algorithm, graph, "GAP"), []).extend(found)
        print(f"turn {turn + 1} of {options.turns}", flush=True)
    for (algorithm, graph, system), found in samples.items():
        results.add(algorithm=algorithm, graph=graph, system=system, best_ms=min(found),
                    p10_ms=round(float(np.percentile(found, 10)), 4), ms=[round(one, 4) for one in found])  # fmt: skip
    print(f"written to {results.save(options.out)}\n")
    systems = list(dict.fromkeys(row["system"] for row in results.rows))
    best = {(row["algorithm"], row["graph"], row["system"]): row["best_ms"] for row in results.rows}
    pairs = dict.fromkeys((algorithm, graph) for algorithm, graph, _ in samples)
    cells = [[*pair, *(best.get((*pair, system)) for system in systems)] for pair in pairs]
    print(table("ms (least)", ["algorithm", "graph", *systems], cells))
    return 0


def _ask(command: list[str], environment: dict[str, str]) -> list[dict[str, Any]]:
    """The rows that a worker prints."""
    made = subprocess.run(command, env=environment, capture_output=True, text=True)
    if made.returncode:
        print(made.stderr, file=sys.stderr)
    return [json.loads(text) for text in made.stdout.splitlines() if text.startswith("{")]


def _gap(folder: Path, algorithms: list[str]) -> Iterator[tuple[str, str, list[float]]]:
    """Times that GAP's programs print, from graphs written to a temporary folder."""
    with tempfile.TemporaryDirectory() as made:
        for algorithm in set(algorithms) & set(GAP):
            for graph in CASES[algorithm]:
                src, dst, num_vertices = edges_of(graph)
                columns = [src, dst, weights_of(src)] if algorithm == "sssp" else [src, dst]
                path = Path(made) / f"{graph}.{'wel' if algorithm == 'sssp' else 'el'}"
                if not path.exists():
                    np.savetxt(path, np.stack(columns, axis=1), fmt="%d")
                program, *options = GAP[algorithm]
                hub = hub_of(src, dst, num_vertices)
                arguments = [option.format(source=hub, delta=GAP_DELTAS.get(graph)) for option in options]
                command = [str(folder / program), "-sf", str(path), "-n", str(GAP_TRIALS), *arguments]
                text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                times = re.findall(r"Trial Time:\s+([0-9.]+)", text)
                yield algorithm, graph, [1e3 * float(time) for time in times]


# ---- in workers, which may import the packages of another checkout ---------------------------------------------------


def edges_of(graph: str) -> tuple[np.ndarray, np.ndarray, int]:
    """The edges of a graph as they are read, and its number of vertices."""
    import frontier as fr

    if graph in DATA:
        found = fr.io.read_edges(Path(os.environ["DYNFRONTIER_DATA"]) / DATA[graph])
    elif graph.startswith("grid"):
        found = fr.io.grid(GENERATED[graph], GENERATED[graph])
    else:
        found = fr.io.rmat(scale=GENERATED[graph], edge_factor=16, seed=SEED)
    src, dst = (np.asarray(ends).astype(np.int32) for ends in (found.src, found.dst))
    kept = src != dst
    return src[kept], dst[kept], int(found.num_vertices)


def weights_of(src: np.ndarray) -> np.ndarray:
    """Weights from 1 to 255 for these edges."""
    return np.random.default_rng(SEED).integers(1, 256, src.size)


def hub_of(src: np.ndarray, dst: np.ndarray, num_vertices: int) -> int:
    """The vertex of the highest degree, parallel edges counted."""
    return int(np.bincount(np.concatenate([src, dst]), minlength=num_vertices).argmax())


def measure(call: Callable[[], Any], seconds: float, threads: int) -> list[float]:
    """Milliseconds of repeated calls, the first two excepted. None if `seconds` is 0."""
    clock = time.thread_time if threads == 1 else time.perf_counter
    found: list[float] = []
    for _ in range(2 if seconds else 1):
        call()
    end = time.perf_counter() + seconds
    while seconds and (len(found) < 3 or time.perf_counter() < end):
        begin = clock()
        call()
        found.append(1e3 * (clock() - begin))
    return found


def work(request: dict[str, Any]) -> None:
    """Print a row for each case of a request."""
    graphs = dict.fromkeys(graph for algorithm in request["algorithms"] for graph in CASES[algorithm])
    for graph in graphs:
        if graph in DATA and not (Path(os.environ.get("DYNFRONTIER_DATA", "")) / DATA[graph]).exists():
            continue
        src, dst, num_vertices = edges_of(graph)
        chosen = [algorithm for algorithm in request["algorithms"] if graph in CASES[algorithm]]
        find = PEERS[request["peer"]] if "peer" in request else _ours
        for algorithm in chosen:
            for labels, call in find(algorithm, src, dst, num_vertices, request["structures"]):
                found = measure(call, request["seconds"], 1 if "peer" in request else request["threads"])
                print(json.dumps({"algorithm": algorithm, "graph": graph, **labels, "ms": found}), flush=True)


Calls = Iterator[tuple[dict[str, str], Callable[[], Any]]]


def _ours(algorithm: str, src: np.ndarray, dst: np.ndarray, num_vertices: int, structures: list[str]) -> Calls:
    import algorithms
    import frontier as fr

    importlib.import_module("structures")  # which registers them
    for name in structures:
        kind: Any = fr.structures()[name]
        directed = algorithm == "strongly_connected_components"
        weights = None
        if algorithm == "sssp":
            weights = weights_of(src).astype(np.float32)
        graph = kind.from_edges(src, dst, weights, num_vertices=num_vertices, directed=directed, device="cpu")
        settings = dict(SETTINGS.get(algorithm, {}))
        if algorithm in ("bfs", "sssp"):
            settings["source"] = hub_of(src, dst, num_vertices)
        function = getattr(algorithms, algorithm)
        yield {"structure": name}, lambda f=function, g=graph, s=settings: f(g, **s)


def _scipy(algorithm: str, src: np.ndarray, dst: np.ndarray, num_vertices: int, _: Any) -> Calls:
    from scipy.sparse import csgraph

    from dynfrontier.peers.scipy_peer import Peer

    peer, directed = Peer(), algorithm == "strongly_connected_components"
    low, high = (src, dst) if directed else (np.minimum(src, dst), np.maximum(src, dst))
    first = np.unique(low.astype(np.int64) * num_vertices + high, return_index=True)[1]  # of parallel edges
    weights = weights_of(src)[first] if algorithm == "sssp" else None
    matrix = peer.build(peer.prepare(num_vertices, src[first], dst[first], weights, directed=directed))
    hub = hub_of(src, dst, num_vertices)
    calls: dict[str, Callable[[], Any]] = {
        "bfs": peer.bfs(matrix, hub).run,
        "connected_components": peer.connected_components(matrix).run,
        "pagerank": peer.pagerank_steps(matrix, 0.85, SETTINGS["pagerank"]["max_iter"]).run,
        "sssp": peer.sssp(matrix, hub).run,
        "strongly_connected_components": lambda: csgraph.connected_components(matrix, connection="strong"),
        "minimum_spanning_forest": lambda: csgraph.minimum_spanning_tree(matrix),
    }
    if algorithm in calls:
        yield {}, calls[algorithm]


def _igraph(algorithm: str, src: np.ndarray, dst: np.ndarray, num_vertices: int, _: Any) -> Calls:
    try:
        import igraph
    except ImportError:
        return
    directed = algorithm == "strongly_connected_components"
    graph = igraph.Graph(num_vertices, np.stack([src, dst], axis=1), directed=directed)
    graph.simplify()
    calls: dict[str, Callable[[], Any]] = {
        "core_number": graph.coreness,
        "connected_components": graph.connected_components,
        "strongly_connected_components": lambda: graph.connected_components(mode="strong"),
        "minimum_spanning_forest": lambda: graph.spanning_tree(return_tree=False),
        "label_propagation": graph.community_label_propagation,
    }
    if algorithm in calls:
        yield {}, calls[algorithm]


def _networkit(algorithm: str, src: np.ndarray, dst: np.ndarray, num_vertices: int, _: Any) -> Calls:
    try:
        import networkit as nk
    except ImportError:
        return
    nk.setNumberOfThreads(1)
    directed = algorithm == "strongly_connected_components"
    graph = nk.GraphFromCoo((src, dst), n=num_vertices, directed=directed)
    graph.removeMultiEdges()
    runs: dict[str, Callable[[], Any]] = {
        "bfs": lambda: nk.distance.BFS(graph, hub_of(src, dst, num_vertices)),
        "connected_components": lambda: nk.components.ConnectedComponents(graph),
        "strongly_connected_components": lambda: nk.components.StronglyConnectedComponents(graph),
        "core_number": lambda: nk.centrality.CoreDecomposition(graph),
        "label_propagation": lambda: nk.community.PLP(graph),
        "betweenness_centrality": lambda: nk.centrality.EstimateBetweenness(graph, SETTINGS[algorithm]["k"]),
    }
    if algorithm in runs:
        yield {}, lambda: runs[algorithm]().run()


PEERS = {"scipy": _scipy, "igraph": _igraph, "networkit": _networkit}

if __name__ == "__main__":
    work(json.loads(sys.argv[1]))
