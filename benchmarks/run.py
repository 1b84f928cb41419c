"""The command line of the benchmarks: ``python -m benchmarks [NAME]``, by default all without custom options."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import frontier as fr
from algorithms import analytics
from algorithms.catalogue import GALLERY
from dynfrontier.peers import is_installed

from . import (
    adverse,
    algorithms_static,
    cells,
    choosing,
    cold_start,
    compare,
    distributed,
    dynamic_triangles,
    first_run,
    gallery,
    growth,
    incremental,
    inside,
    kernel_times,
    latency,
    motifs,
    one_thread,
    pages,
    pipeline,
    release,
    schedules,
    searches,
    stream,
    temporal,
    temporal_sampling,
    turns,
    updates,
    vertex_names,
)
from .context import Budget, Context, choose_structures
from .defaults import CPU_PEERS, EDGE_DATA, GALLERY_PEERS, GPU_PEERS, IN_EDGES, MODES, SHARES, axes_for
from .graphs import GraphSource
from .papers.command import main as papers_main
from .results import FOLDER, Results


def _networkx_main(arguments: Sequence[str]) -> int:
    from . import networkx_graphs  # here, since NetworkX may not be installed

    return networkx_graphs.main(arguments)


BENCHMARKS = {
    "updates": updates, "algorithms": algorithms_static, "dynamic": dynamic_triangles, "incremental": incremental,
    "gallery": gallery, "schedules": schedules,
}  # fmt: skip

OWN_OPTIONS = {
    "adverse": adverse.main, "cells": cells.main, "choosing": choosing.main, "cold": cold_start.main,
    "compare": compare.main, "distributed": distributed.main, "figures": pages.main, "first-run": first_run.main,
    "growth": growth.main, "inside": inside.main, "kernels": kernel_times.main, "latency": latency.main,
    "motifs": motifs.main, "names": vertex_names.main, "networkx": _networkx_main, "one-thread": one_thread.main,
    "papers": papers_main, "pipeline": pipeline.main, "release": release.main, "searches": searches.main,
    "stream": stream.main, "temporal": temporal.main, "temporal-sampling": temporal_sampling.main,
    "turns": turns.main,
}  # fmt: skip
"""Benchmarks that read the rest of the command line themselves."""


def parser() -> argparse.ArgumentParser:
    """The options."""
    found = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure structures and peers.",
        epilog=f"With options of their own (python -m benchmarks NAME --help): {', '.join(OWN_OPTIONS)}.",
    )  # fmt: skip
    found.add_argument("benchmark", nargs="?", default="all", choices=[*BENCHMARKS, "all"])
    found.add_argument("--device", default="auto", choices=["auto", "cpu", "gpu"])
    found.add_argument("--mode", default="full", choices=MODES, help="how much is covered (see defaults.py)")
    found.add_argument("--quick", dest="mode", action="store_const", const="quick", help="the same as --mode quick")
    found.add_argument("--structures", help="names, separated by commas (default: all). CSR is always included.")
    found.add_argument("--scales", help="RMAT scales, such as 20,22, of which the dynamic benchmark uses the largest")
    found.add_argument("--algorithms", help="gallery and incremental: names, separated by commas (default: all)")
    found.add_argument("--peers", help="names, separated by commas, or 'none' (default: all that are installed)")
    found.add_argument(
        "--in-edges", action="store_true", help="updates and incremental: also directed graphs that keep in-edges"
    )
    found.add_argument(
        "--edge-data", action="store_true", help="updates: also weighted graphs with a column of edge data"
    )
    found.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS", help="skip what would not fit")
    found.add_argument("--out", type=Path, default=FOLDER, metavar="DIR", help="folder of results files")
    found.add_argument("--compile-only", action="store_true", help="end after the kernels have been compiled")
    found.add_argument("--quiet", action="store_true", help="no progress lines")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run benchmarks, write a results file each, and print their tables. Returns 1 if something failed, else 0."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given and given[0] in OWN_OPTIONS:
        return OWN_OPTIONS[given[0]](given[1:])
    line = parser()
    options = line.parse_args(given)
    try:
        device = fr.advanced.resolve_device(options.device)
        structures = choose_structures(options.structures.split(",") if options.structures else None)
        scales = tuple(int(text) for text in options.scales.split(",")) if options.scales else None
        peers = _choose_peers(options.peers, device.kind, options.benchmark)
        algorithms = _choose_algorithms(options.algorithms, options.benchmark)
    except (ValueError, RuntimeError) as error:
        line.error(str(error))
    axes = axes_for(device.kind, options.mode, scales)
    if options.in_edges:
        axes = replace(axes, variants=(*axes.variants, IN_EDGES))
    if options.edge_data:
        axes = replace(axes, variants=(*axes.variants, EDGE_DATA))
    context = Context(
        device, options.mode, axes, structures, GraphSource(device, axes), peers, algorithms, quiet=options.quiet,
        out=options.out,
    )  # fmt: skip
    whole = Budget(options.budget)
    chosen = list(BENCHMARKS) if options.benchmark == "all" else [options.benchmark]
    found: list[Results] = []
    compiled: list[str] = []
    if options.mode != "smoke":
        context.say("compile kernels, on tiny graphs")
        with fr.advanced.on_compile(compiled.append):
            _warm_up(context, chosen)
        context.say(f"{len(compiled)} kernels compiled")
    if options.compile_only:
        return 1 if context.failures else 0
    for position, name in enumerate(chosen):
        context.budget = whole.part(SHARES[name] / sum(SHARES[other] for other in chosen[position:]))
        begin = time.perf_counter()
        results = BENCHMARKS[name].run(context)
        results.header["seconds"] = round(time.perf_counter() - begin, 1)
        path = results.save(options.out)
        context.say(f"{name}: {results.header['seconds']} s, written to {path}")
        found.append(results)
    for results in found:
        print("\n" + report(results), flush=True)
    return 1 if context.failures else 0


def _warm_up(context: Context, benchmarks: list[str]) -> None:
    """Run benchmarks on tiny graphs, so no measurement waits for a compiler."""
    axes = replace(axes_for(context.device.kind, "smoke"), variants=context.axes.variants, grown=context.axes.grown)
    graphs = GraphSource(context.device, axes)
    tiny = replace(context, mode="smoke", axes=axes, graphs=graphs, peers=(), quiet=True, out=None, budget=Budget())
    for name in benchmarks:
        BENCHMARKS[name].run(tiny)


def report(results: Results) -> str:
    """A benchmark's tables and notes, in Markdown."""
    machine = results.header["machine"]
    place = machine.get("gpu") or f"{machine['cpu']}, {machine['cores']} cores"
    commit = results.header["commit"][:10] + (" with changes" if results.header["dirty"] else "")
    date = results.header["date"][:10]
    head = f"## {results.benchmark} on {place}\n\n{date}, commit {commit}, {results.mode} mode.\n"
    notes = "\n".join(f"* {note}" for note in results.notes)
    return "\n".join([head, *BENCHMARKS[results.benchmark].tables(results), notes])


def _choose_algorithms(names: str | None, benchmark: str) -> tuple[str, ...]:
    maintained = [name for name, each in analytics().items() if each.incremental and each.static]
    named = [*(() if benchmark == incremental.NAME else GALLERY), *(() if benchmark == gallery.NAME else maintained)]
    known = dict.fromkeys(named)
    found = tuple(names.split(",")) if names else ()
    for name in found:
        if name not in known:
            raise ValueError(f"there is no algorithm {name!r}; choose from {', '.join(known)}")
    return found


def _choose_peers(names: str | None, device: str, benchmark: str) -> tuple[str, ...]:
    known = GPU_PEERS if device == "gpu" else CPU_PEERS
    if names is not None and benchmark == gallery.NAME:  # which runs them on the CPU, wherever ours runs
        known = tuple(dict.fromkeys([*known, *GALLERY_PEERS]))
    if names == "none":
        return ()
    if names is None:
        return tuple(name for name in known if is_installed(name))
    for name in names.split(","):
        if name not in known:
            raise ValueError(f"there is no peer {name!r} for this device; there are {', '.join(known)}")
        if not is_installed(name):
            raise ValueError(f"peer {name!r} is not installed")
    return tuple(names.split(","))
