"""All algorithms on all structures compared with cuGraph: ``python -m benchmarks compare``.

On R-MAT graphs, the roads of Luxembourg and the real graphs in ``DYNFRONTIER_DATA``, directed ones as directed and as
undirected. See `dynfrontier.comparison.cells`. The most telling graphs come first, and the results file is written as
cells are found: a run that ends early leaves its results.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import frontier as fr
from dynfrontier.comparison import chosen_algorithms
from dynfrontier.comparison.cells import PEER, STATES, Cell, Options, compare_all
from dynfrontier.comparison.inputs import GraphInput
from dynfrontier.comparison.tables import LEGEND, tables, wrong
from dynfrontier.machine import describe_run
from dynfrontier.peers import PEERS, check_peer, is_installed

from .context import choose_structures
from .defaults import EDGE_FACTOR, GPU_PEERS, GRAPH_SEED, WEIGHT_SEED
from .results import Results, command_line

NAME = "compare"
SAVE_EVERY_S = 5.0


@dataclass(frozen=True)
class Real:
    """A published graph: its file, without suffix of a compression, and whether its edges have a direction."""

    file: str
    directed: bool = False


REAL = {
    "luxembourg": Real("luxembourg_osm.noheader.mtx"),
    "wiki-Vote": Real("wiki-Vote.txt", directed=True),
    "email-Enron": Real("email-Enron.txt"),
    "email-Eu": Real("email-Eu-core-temporal.txt", directed=True),
    "CollegeMsg": Real("CollegeMsg.txt", directed=True),
    "facebook": Real("facebook_combined.txt"),
    "delaunay16": Real("delaunay_n16.noheader.mtx"),
    "mathoverflow": Real("sx-mathoverflow.txt", directed=True),
    "coAuthorsDBLP": Real("coAuthorsDBLP.tar"),
    "ego-twitter": Real("ego-twitter-undirected.jlg"),
}
BOTH_WAYS = ", undirected"
"""Added to the name of a directed graph without its directions."""
ORDER = (
    "rmat16", "luxembourg", "wiki-Vote", "rmat20", "email-Enron", "wiki-Vote" + BOTH_WAYS, "mathoverflow", "email-Eu",
    "CollegeMsg", "rmat18", "coAuthorsDBLP", "facebook", "delaunay16", "ego-twitter", "rmat17", "rmat19",
    "mathoverflow" + BOTH_WAYS, "email-Eu" + BOTH_WAYS, "CollegeMsg" + BOTH_WAYS,
)  # fmt: skip
"""All graphs, the most telling first."""


def parser() -> argparse.ArgumentParser:
    """The options."""
    found = command_line("compare", "Compare all algorithms on all structures with cuGraph.")
    found.add_argument("--graphs", help=f"names, separated by commas, such as rmat10 (default: {', '.join(ORDER)})")
    found.add_argument("--algorithms", help="names, separated by commas (default: all)")
    found.add_argument("--structures", help="names, separated by commas (default: all). CSR is always included.")
    found.add_argument("--states", default=",".join(STATES), help="built, grown or both, separated by a comma")
    found.add_argument("--peer", help="cugraph, igraph, networkit, scipy, networkx, separated by commas "
                       "(default: cugraph on a GPU, and the installed ones on a CPU)")  # fmt: skip
    found.add_argument("--repeat", type=int, default=3, help="timed calls of each")
    found.add_argument("--limit", type=float, default=20.0, metavar="SECONDS", help="after which a call is given up")
    found.add_argument("--seconds", type=float, default=1.0, help="after which a call is not repeated")
    found.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS", help="for everything")
    found.add_argument("--no-warm-up", action="store_true", help="do not compile kernels on tiny graphs beforehand")
    found.add_argument("--add-to", type=Path, metavar="FILE", help="a results file, of which is kept what is not "
                       "measured again")  # fmt: skip
    found.add_argument("--quiet", action="store_true", help="no progress lines")
    return found


def main(arguments: Sequence[str]) -> int:
    """Compare, write the results file as cells are found, and print tables. Returns 1 if something differs, else 0."""
    line = parser()
    given = line.parse_args(arguments)
    try:
        device = fr.advanced.resolve_device(given.device)
        structures = choose_structures(given.structures.split(",") if given.structures else None)
        algorithms = chosen_algorithms(given.algorithms.split(",") if given.algorithms else None)
        states = given.states.split(",")
        if not set(states) <= set(STATES):
            raise ValueError(f"--states: choose from {', '.join(STATES)}")
        peers = _peers(given.peer, device)
        graphs = given.graphs.split(";" if ";" in given.graphs else ",") if given.graphs else list(ORDER)
        graphs = [name for name in _with_commas(graphs) if _check(name)]
    except (ValueError, RuntimeError, ImportError) as error:
        line.error(str(error))
    options = Options(
        device, peers, list(structures), states, given.repeat, given.limit, given.seconds, given.budget,
        judges=_judges(device),
    )  # fmt: skip
    begin = time.perf_counter()

    def say(text: str) -> None:
        if not given.quiet:
            print(f"[{time.perf_counter() - begin:6.1f} s] {text}", flush=True)

    header = describe_run(
        device, seeds={"graph": GRAPH_SEED, "weights": WEIGHT_SEED}, edge_factor=EDGE_FACTOR, peers=peers,
        repeat=given.repeat, limit_s=given.limit, budget_s=given.budget if given.budget < float("inf") else None,
    )  # fmt: skip
    results = Results(NAME, device.kind, "full", header=header)
    if given.add_to is not None:
        _keep(results, Results.load(given.add_to), graphs, [analytic.name for analytic in algorithms])
    saved = 0.0
    inputs = _inputs(graphs, results)
    for note in results.notes:
        say(note)
    for cell in compare_all(inputs, algorithms, options, say=say, warm_up=not given.no_warm_up):
        results.add(**_row(cell))
        if cell.is_wrong:
            say(f"{cell.graph}, {cell.algorithm}, {cell.structure}, {cell.state}: {cell.result}: {cell.detail}")
        if time.perf_counter() - saved > SAVE_EVERY_S:
            saved = time.perf_counter()
            results.save(given.out)
    results.header["seconds"] = round(time.perf_counter() - begin, 3)
    path = results.save(given.out)
    say(f"{results.header['seconds']} s, written to {path}")
    print(report(results), flush=True)
    return 1 if wrong(cells_of(results)) else 0


def _peers(names: str | None, device: fr.advanced.Device) -> list[str]:
    """The libraries to compare with.

    Raises
    ------
    ValueError, ImportError
        A name is unknown, or the peer is not installed.
    """
    known = GPU_PEERS if device.is_gpu else [name for name in PEERS if name not in GPU_PEERS]
    found = names.split(",") if names else [name for name in known if is_installed(name)]
    for name in found:
        check_peer(name)
    if not found:
        raise ImportError(f"there is nothing to compare with; install one of {', '.join(known)}")
    return found


def report(results: Results) -> str:
    """The tables, in Markdown."""
    cells = cells_of(results)
    parts = [f"### {title}\n\n{table.markdown()}\n" for title, table in tables(cells)]
    notes = [*LEGEND, *dict.fromkeys(f"{c.algorithm}: {c.detail}" for c in cells if c.state == PEER and c.detail)]
    lines = [*wrong(cells), *results.notes]
    return "\n".join([*parts, *(f"* {text}" for text in (*notes, *lines))])


def cells_of(results: Results) -> list[Cell]:
    """The cells of a results file."""
    return [Cell(**{**row, "wall_ms": tuple(row.get("wall_ms", ()))}) for row in results.rows]


def _row(cell: Cell) -> dict:
    """A cell without its absent fields."""
    return {name: value for name, value in cell.to_dict().items() if value not in (None, "", [])}


def _with_commas(names: Sequence[str]) -> list[str]:
    """Names of graphs, of which a comma that is part of one has cut some."""
    found: list[str] = []
    for name in names:
        if found and name.strip() == BOTH_WAYS.strip(", "):
            found[-1] += BOTH_WAYS
        else:
            found.append(name.strip())
    return found


def _check(name: str) -> bool:
    """Raise unless a graph of this name exists.

    Raises
    ------
    ValueError
        No such graph exists.
    """
    known = name.removesuffix(BOTH_WAYS)
    if known not in REAL and not (known.startswith("rmat") and known[4:].isdigit()):
        raise ValueError(f"there is no graph {name!r}; choose from {', '.join(ORDER)}")
    return True


def _inputs(names: Sequence[str], results: Results) -> dict[str, Callable[[], GraphInput]]:
    """The functions that make the graphs. Graphs with missing files are noted."""
    found: dict[str, Callable[[], GraphInput]] = {}
    for name in names:
        known = name.removesuffix(BOTH_WAYS)
        if known not in REAL or _path(REAL[known].file) is not None:
            found[name] = partial(_make, name, known)
        else:
            file = REAL[known].file
            results.notes.append(f"{name}: left out, since DYNFRONTIER_DATA names no folder with {file}")
    return found


def _make(name: str, known: str) -> GraphInput:
    if known in REAL:
        path = _path(REAL[known].file)
        assert path is not None
        edges = fr.io.read_edges(path, compact=True, weighted=False)
        directed = REAL[known].directed and not name.endswith(BOTH_WAYS)
    else:
        edges, directed = fr.io.rmat(int(known[4:]), EDGE_FACTOR, seed=GRAPH_SEED), False
    return GraphInput.of(edges, name, directed).with_weights(WEIGHT_SEED)


def _path(file: str) -> Path | None:
    """A file of the data, however it is compressed."""
    folder = os.environ.get("DYNFRONTIER_DATA")
    return next(iter(sorted(Path(folder).glob(f"{file}*"))), None) if folder else None


def _keep(results: Results, before: Results, graphs: Sequence[str], algorithms: Sequence[str]) -> None:
    """Copy the rows of a results file, except the rows of some algorithms on some graphs."""
    if (before.header["commit"], before.header["dirty"]) != (results.header["commit"], results.header["dirty"]):
        results.notes.append(f"some cells were measured at commit {before.header['commit'][:10]}")
    results.rows += [
        row for row in before.rows if row["graph"] not in graphs or row["algorithm"].split("(")[0] not in algorithms
    ]
    results.notes += [note for note in before.notes if note not in results.notes]


def _judges(device: fr.advanced.Device) -> int:
    """Processes that compare results: on a GPU some of the cores that are idle then."""
    return max(len(os.sched_getaffinity(0)) * 3 // 4, 1) if device.is_gpu else 0
