"""The command line of the reproduced comparisons: ``python -m benchmarks papers [PAPER ...]``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import frontier as fr

from ..ahead import processes_for
from ..context import Budget, Context, choose_structures
from ..results import FOLDER, Results
from . import PAPERS
from .axes import MODES, paper_axes
from .compile_ahead import compile_ahead
from .experiment import Experiment, Paper
from .page import page
from .parts import FIGURE, from_distributed
from .report import report, title_of
from .run import measure_paper
from .shapes import Shapes

PAGE_FILES = ("papers-*.json", "distributed-*.json")
"""The results files that the page is made from."""


def parser() -> argparse.ArgumentParser:
    """The options."""
    found = argparse.ArgumentParser(
        prog="python -m benchmarks papers", description="Reproduce the papers' comparisons with our structures."
    )
    found.add_argument("papers", nargs="*", metavar="PAPER", help=f"{', '.join(PAPERS)} (default: all)")
    found.add_argument("--table", action="append", default=[], metavar="N", help="this table (may be repeated)")
    found.add_argument("--figure", action="append", default=[], metavar="N", help="this figure (may be repeated)")
    found.add_argument("--section", action="append", default=[], metavar="N", help="this section (may be repeated)")
    found.add_argument("--device", default="auto", choices=["auto", "cpu", "gpu"])
    found.add_argument("--mode", default="full", choices=MODES, help="how much is covered (see papers/axes.py)")
    found.add_argument("--quick", dest="mode", action="store_const", const="quick", help="the same as --mode quick")
    found.add_argument("--structures", help="names, separated by commas (default: all). CSR is always included.")
    found.add_argument("--scale", type=int, help="base-2 logarithm of the vertices, on which batch sizes depend")
    found.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS", help="begin nothing after this")
    found.add_argument(
        "--processes", type=int, metavar="N",
        help="compile kernels in so many processes first, for caches that are empty (on a GPU, default: all cores)",
    )  # fmt: skip
    found.add_argument("--out", type=Path, default=FOLDER, metavar="DIR", help="folder of results files")
    found.add_argument("--quiet", action="store_true", help="no progress lines")
    found.add_argument("--list", action="store_true", help="show the choices, and measure nothing")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure papers, write a results file each, and print their tables. Returns 1 if something failed, else 0."""
    line = parser()
    options = line.parse_args(arguments)
    try:
        chosen = choose(options.papers, options.table, options.figure, options.section)
        if options.list:
            for paper, experiments in chosen:
                for experiment in experiments:
                    print(f"{paper.name}  {title_of(experiment)}")
            return 0
        device = fr.advanced.resolve_device(options.device)
        structures = choose_structures(options.structures.split(",") if options.structures else None)
        if options.scale is not None and not 4 <= options.scale <= 26:
            raise ValueError(f"--scale must be from 4 to 26, got {options.scale}")
    except (ValueError, RuntimeError) as error:
        line.error(str(error))
    axes = paper_axes(device.kind, options.mode, options.scale)
    context = Context(
        device, options.mode, axes, structures, Shapes(device, axes), quiet=options.quiet, out=options.out,
        budget=Budget(options.budget),
    )  # fmt: skip
    if options.mode != "smoke":
        processes = processes_for(device, options.processes)
        if processes > 1:
            context.say(f"compile kernels, in {processes} processes")
            compile_ahead(context, chosen, processes)
        _warm_up(context, chosen)
    found = _measure(context, chosen, partly=bool(options.table or options.figure or options.section))
    for (paper, _), results in zip(chosen, found, strict=True):
        print("\n" + report(paper, results), flush=True)
    return 1 if context.failures else 0


def choose(
    papers: Sequence[str], tables: Sequence[str] = (), figures: Sequence[str] = (), sections: Sequence[str] = ()
) -> list[tuple[Paper, list[Experiment]]]:
    """The papers of these names, all by default, and of each the tables, figures and sections of these numbers, all by
    default.

    Raises
    ------
    ValueError
        A name is no paper, table, figure or section.
    """
    for name in papers:
        if name not in PAPERS:
            raise ValueError(f"there is no paper {name!r}; there are {', '.join(PAPERS)}")
    kinds = {"table": tables, "figure": figures, "section": sections}
    wanted = [(kind, number) for kind, numbers in kinds.items() for number in numbers]
    found = []
    for paper in (PAPERS[name] for name in dict.fromkeys(papers or PAPERS)):
        mine = [one for one in paper.experiments if not wanted or any(one.is_part_of(*number) for number in wanted)]
        if mine:
            found.append((paper, mine))
    for number in wanted:
        if not any(one.is_part_of(*number) for _, experiments in found for one in experiments):
            raise ValueError(f"no {' '.join(number)} of {', '.join(papers or PAPERS)} is reproduced; see --list")
    return found


def page_text() -> str:
    """The page of all papers, from the results files."""
    return page(load(page_files()), PAPERS.values())


def page_files() -> list[Path]:
    """The results files that may be on the page."""
    return [path for kind in PAGE_FILES for path in sorted(FOLDER.glob(kind))]


def load(files: Iterable[Path]) -> list[Results]:
    """The results files of this benchmark and of `distributed`, which measures one of the figures."""
    found = []
    for path in files:
        results = Results.load(path)
        if results.benchmark == "distributed":
            results = from_distributed(results, f"{PAPERS['gpma'].name} {FIGURE}")
        found.append(results)
    return found


def _measure(context: Context, chosen: list[tuple[Paper, list[Experiment]]], partly: bool) -> list[Results]:
    """Measure and save."""
    found = []
    left = sum(len(experiments) for _, experiments in chosen)
    for paper, experiments in chosen:
        left -= len(experiments)
        begin = time.perf_counter()
        numbers = "".join(f"-{one.number.replace(' ', '-')}" for one in experiments) if partly else ""
        results = measure_paper(context, paper, experiments, f"papers-{paper.name}{numbers}", left)
        results.header["seconds"] = round(time.perf_counter() - begin, 1)
        if context.out is not None:
            context.say(f"{paper.name}: {results.header['seconds']} s, written to {results.save(context.out)}")
        found.append(results)
    return found


def _ends(shapes: tuple[str, ...]) -> tuple[str, ...]:
    """The first and the last: kernels differ by how long lists are, but not by more."""
    return tuple(dict.fromkeys((shapes[0], shapes[-1])))


def _warm_up(context: Context, chosen: list[tuple[Paper, list[Experiment]]]) -> None:
    """Run everything on tiny graphs, so no measurement waits for a compiler."""
    context.say("compile kernels, on tiny graphs")
    compiled: list[str] = []
    axes = paper_axes(context.device.kind, "smoke")
    shapes = Shapes(context.device, axes)
    tiny = replace(context, mode="smoke", axes=axes, graphs=shapes, quiet=True, out=None, budget=Budget())
    few = [(paper, [replace(one, shapes=_ends(one.shapes)) for one in experiments]) for paper, experiments in chosen]
    with fr.advanced.on_compile(compiled.append):
        _measure(tiny, few, partly=False)
    context.say(f"{len(compiled)} kernels compiled")
