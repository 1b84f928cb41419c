"""Runs the experiments of a paper: each system on each graph, within the time there is."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial

from ..context import Context
from ..defaults import BATCH_SEED, GRAPH_SEED
from ..results import Results, describe_run
from .cell import Cell, System
from .experiment import EVERY, Experiment, Paper


def measure_paper(context: Context, paper: Paper, experiments: Iterable[Experiment], name: str) -> Results:
    """Measure experiments of a paper.

    Parameters
    ----------
    context : Context
        Its clock is shared out evenly; what one experiment does not use is there for the next.
    name : str
        Of the results, and so of their file.
    """
    scale = context.axes.scales[0]
    seeds = {"graph": GRAPH_SEED, "batch": BATCH_SEED}
    header = describe_run(context.device, paper=paper.name, scale=scale, seeds=seeds)
    results = Results(name, context.device.kind, context.mode, header=header)
    whole, chosen = context.budget, list(experiments)
    for position, experiment in enumerate(chosen):
        for shape in experiment.shapes:
            context.graph(shape)
        context.budget = whole.part(1 / (len(chosen) - position))
        begin = time.perf_counter()
        measure_experiment(context, results, paper.key(experiment), experiment)
        context.say(f"{paper.key(experiment)}: {time.perf_counter() - begin:.1f} s")
    context.budget = whole
    return results


def measure_experiment(context: Context, results: Results, key: str, experiment: Experiment) -> None:
    """Fill in one table or figure; what is not measured is noted, with the reason."""
    if experiment.gpu_only and not context.device.is_gpu:
        context.skip(results, f"{key}: left out, graphs are in the host's memory here")
        return
    systems = systems_of(context, results, key, experiment)
    for shape in experiment.shapes if systems else ():
        prepared: dict = {}
        left_out = []
        for system in systems:
            if context.budget.left() <= 0:
                left_out.append(system.label)
                continue
            what = f"{key}: {system.label} on {shape}"
            cell = Cell(context, results, key, context.graph(shape), system, prepared)
            context.attempt(results, what, partial(experiment.measure, cell))
        if left_out:
            context.skip(results, f"{key}: {', '.join(left_out)} on {shape}: not run, no time left")


def systems_of(context: Context, results: Results, key: str, experiment: Experiment) -> list[System]:
    """The columns of an experiment: those of its structures that take part in the run."""
    found = []
    for wanted in experiment.systems:
        if isinstance(wanted, str):
            assert wanted == EVERY
            found += [System(name, kind) for name, kind in context.structures.items()]
        elif wanted.structure in context.structures:
            found.append(System(wanted.label, context.structures[wanted.structure], wanted.options))
        else:
            context.skip(results, f"{key}: {wanted.label} left out, structure {wanted.structure!r} is not in this run")
    return found
