"""``dynfrontier compare``: compare the algorithms with another library's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ..console import EXIT_CODE, Interrupted, err, fail, out, say, user_errors
from ..options import (
    DeviceName,
    Directed,
    Files,
    Input,
    Source,
    StructureName,
    pick_device,
    pick_structure,
    reads_a_file,
    vertex_of,
)
from ..outputs import check_outputs, write_json

if TYPE_CHECKING:
    import frontier as fr


@reads_a_file
def compare(
    given: Files,
    everywhere: Annotated[
        bool, typer.Option("--all", help="On all structures, built at once and grown by insertions and deletions.")
    ] = False,
    algorithm: Annotated[
        list[str] | None,
        typer.Option("--algorithm", "-a", show_default="all", help="Compare only this (repeatable)."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(help="cugraph, igraph, networkit, scipy or networkx (repeatable).",
                     show_default="cugraph on a GPU, otherwise what is installed"),
    ] = None,
    source: Source = None,
    k: Annotated[list[int] | None, typer.Option("--k", help="Of k-truss (repeatable).",
                                                show_default="4")] = None,
    tol: Annotated[float | None, typer.Option(help="Of PageRank: total change of the ranks at which to stop.",
                                              show_default="1e-6")] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Timed calls of each.")] = 3,
    limit: Annotated[float, typer.Option(min=0, help="With --all: seconds after which a call is given up.")] = 20.0,
    directed: Directed = None,
    structure: StructureName = None,
    device: DeviceName = "auto",
    json: Annotated[Path | None, typer.Option("--json", help="Write all results to this file.")] = None,
) -> None:  # fmt: skip
    """Compare results and times with cuGraph's, or another library's, on a graph.

    Both sides get the same graph. The time to convert ours into theirs is reported separately. If results differ, the
    exit code is 1.

    Examples:

    - `dynfrontier compare email-Enron.txt.gz`
    - `dynfrontier compare roads.mtx --against igraph --algorithm sssp --structure hornet --device cpu`
    - `dynfrontier compare --all email-Enron.txt.gz roads.mtx`
    """
    place, kind = pick_device(device), pick_structure(structure)
    for one in given:
        check_outputs(one.path, json=json)
    wanted = Wanted(algorithm, against, directed, repeat, json)
    if everywhere:
        if named := [f"--{name}" for name, value in (("source", source), ("k", k), ("tol", tol)) if value]:
            fail(f"{' and '.join(named)} cannot be given with --all, which takes those of the catalogue")
        _compare_all(given, wanted, kind if structure else None, place, limit)
        return
    if len(given) > 1:
        fail(f"there are {len(given)} files, but only --all takes several")
    _compare(given[0], wanted, kind, place, source, k, tol)


class Wanted(NamedTuple):
    """Options of both kinds of comparison."""

    algorithms: list[str] | None
    against: list[str] | None
    directed: bool | None
    repeat: int
    json: Path | None


def _compare(
    given: Input, wanted: Wanted, kind: type[fr.DynamicGraph], place: fr.advanced.Device, source: str | None,
    k: list[int] | None, tol: float | None,
) -> None:  # fmt: skip
    """Compare on one structure."""
    from ..comparison import chosen_algorithms, load_graph
    from ..comparison import compare as run
    from ..compiling import compile_messages

    with user_errors(ValueError):
        algorithms = [analytic.name for analytic in chosen_algorithms(wanted.algorithms)]
    edges = given.edges()
    start = None if source is None else vertex_of(edges, source, given.name)
    interrupted = False
    with compile_messages(), user_errors(ValueError, ImportError):
        graph = load_graph(edges, kind, place, wanted.directed)
        try:
            options = {"source": start, "ks": k or (), "tol": tol, "repeat": wanted.repeat}
            comparison = run(graph, algorithms, wanted.against, **options)
        except Interrupted as stopped:
            comparison, interrupted = stopped.found, True
    say(comparison.graph)
    out.print()
    out.print(comparison.table().rich())
    out.print()
    for remark in comparison.remarks():
        say(f"* {remark}")
    write_json(wanted.json, comparison.to_dict())
    if not comparison.agrees:
        wrong = ", ".join(row.algorithm for row in comparison.rows if row.agrees is False)
        fail(f"results differ: {wrong}", code=EXIT_CODE if interrupted else 1)
    if interrupted:
        fail(f"interrupted after {len(comparison.rows)} of the algorithms", code=EXIT_CODE)


def _compare_all(
    given: list[Input], wanted: Wanted, kind: type[fr.DynamicGraph] | None, place: fr.advanced.Device, limit: float
) -> None:
    """Compare on all structures, built and grown."""
    import frontier as fr

    from ..comparison import chosen_algorithms
    from ..comparison.cells import Options, compare_all
    from ..comparison.inputs import GraphInput
    from ..comparison.tables import LEGEND, tables, wrong
    from ..peers import check_peer, usable_peers

    with user_errors(ValueError, ImportError):
        algorithms = chosen_algorithms(wanted.algorithms)
        peers = wanted.against or usable_peers(place.is_gpu)[: 1 if place.is_gpu else None]
        for name in wanted.against or ():
            check_peer(name)
        if not peers:
            raise ImportError("there is nothing to compare with; install pylibcugraph or igraph")
    dynamic = [name for name, known in fr.structures().items() if issubclass(known, fr.DynamicGraph)]
    options = Options(place, peers, [kind.name] if kind else dynamic, repeat=wanted.repeat, limit=limit)
    inputs = {one.name: lambda one=one: GraphInput.of(one.edges(), one.name, wanted.directed) for one in given}
    cells, interrupted = [], False
    with err.status("") as status:
        try:
            for cell in compare_all(inputs, algorithms, options, say=status.update):
                cells.append(cell)
        except KeyboardInterrupt:
            interrupted = True
    for title, table in tables(cells):
        out.print(title, markup=False)
        out.print(table.rich())
        out.print()
    for remark in LEGEND:
        say(f"* {remark}")
    write_json(wanted.json, {"interrupted": interrupted, "cells": [cell.to_dict() for cell in cells]})
    if found := wrong(cells):
        fail("\n".join(found), code=EXIT_CODE if interrupted else 1)
    if interrupted:
        fail(f"interrupted after {len(cells)} results", code=EXIT_CODE)
