"""Runs the experiments of a paper: each system on each graph, within the time there is."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial

import frontier as fr
from dynfrontier.machine import describe_run

from ..context import Context
from ..defaults import BATCH_SEED, GRAPH_SEED
from ..results import Results
from .cell import Cell, System
from .experiment import EVERY, Experiment, Paper
from .shapes import smaller_name

SHARE = 4.0
"""The factor by which an experiment may exceed an even share of the remaining time: most use less than theirs."""
SMALLEST = 3  # base-2 logarithm of the vertices of the smallest graphs


def measure_paper(
    context: Context, paper: Paper, experiments: Iterable[Experiment], name: str, later: int = 0
) -> Results:
    """Measure experiments of a paper.

    Parameters
    ----------
    context : Context
        Its time. Time that one experiment does not use goes to the next.
    name : str
        The name of the results, and so of their file.
    later : int
        Experiments of other papers to measure afterwards, in the same time.
    """
    scale = context.axes.scales[0]
    seeds = {"graph": GRAPH_SEED, "batch": BATCH_SEED}
    header = describe_run(context.device, paper=paper.name, scale=scale, seeds=seeds)
    results = Results(name, context.device.kind, context.mode, header=header)
    whole, chosen = context.budget, list(experiments)
    for position, experiment in enumerate(chosen):
        for graph in graphs_of(context, experiment):
            context.graph(graph)
        context.budget = whole.part(min(SHARE / (len(chosen) - position + later), 1.0))
        begin = time.perf_counter()
        measure_experiment(context, results, paper.key(experiment), experiment)
        context.say(f"{paper.key(experiment)}: {time.perf_counter() - begin:.1f} s")
    context.budget = whole
    return results


def measure_experiment(context: Context, results: Results, key: str, experiment: Experiment) -> None:
    """Fill in one table or figure. Omissions are noted, with the reason."""
    if experiment.gpu_only and not context.device.is_gpu:
        context.skip(results, f"{key}: left out, graphs are in the host's memory here")
        return
    systems = systems_of(context, results, key, experiment)
    smaller = smaller_by(context, experiment)
    for shape in experiment.shapes if systems else ():
        prepared: dict = {}
        left_out = []
        for system in (system for system in systems if system.takes(shape)):
            if context.budget.left() <= 0:
                left_out.append(system.label)
                continue
            what = f"{key}: {system.label} on {shape}"
            graph = context.graph(smaller_name(shape, smaller))
            cell = Cell(context, results, key, graph, system, prepared, smaller)
            context.attempt(results, what, partial(experiment.measure, cell))
        if left_out:
            context.skip(results, f"{key}: {', '.join(left_out)} on {shape}: not run, no time left")


def smaller_by(context: Context, experiment: Experiment) -> int:
    """The number of powers of two by which the graphs of an experiment are smaller, in this run."""
    return max(min(experiment.smaller, context.axes.scales[0] - SMALLEST), 0)


def graphs_of(context: Context, experiment: Experiment) -> list[str]:
    """The names of the graphs of an experiment, in this run."""
    return [smaller_name(shape, smaller_by(context, experiment)) for shape in experiment.shapes]


def systems_of(context: Context, results: Results, key: str, experiment: Experiment) -> list[System]:
    """The columns of an experiment: its structures that participate in the run."""
    found = []
    for wanted in experiment.systems:
        if isinstance(wanted, str):
            assert wanted == EVERY
            found += [System(name, kind) for name, kind in context.structures.items()]
        elif wanted.on_host and (not context.device.is_gpu or context.mode == "smoke"):
            continue
        elif wanted.structure in context.structures:
            host = fr.advanced.resolve_device("cpu") if wanted.on_host else None
            kind = context.structures[wanted.structure]
            found.append(System(wanted.label, kind, wanted.options, host, wanted.shapes))
        else:
            context.skip(results, f"{key}: {wanted.label} left out, structure {wanted.structure!r} is not in this run")
    return found
