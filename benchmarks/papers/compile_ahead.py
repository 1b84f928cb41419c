"""Compiles the kernels of the papers' experiments in several processes, which prepares a new machine in less time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import frontier as fr

from ..ahead import in_processes
from ..context import Context
from .axes import paper_axes
from .experiment import Experiment, Paper, Variant
from .run import graphs_of, measure_paper
from .shapes import Shapes

SCALE = 12  # of the graphs on a GPU: large enough for kernels that tiny ones do not need

Chosen = Sequence[tuple[Paper, list[Experiment]]]


def compile_ahead(context: Context, chosen: Chosen, processes: int) -> None:
    """Run experiments on small graphs, each structure in a separate process, which fills the caches on disk.

    Failures here recur in the measurement, and are reported there. Meanwhile, this process makes the graphs.
    """
    names = [(paper.name, [experiment.number for experiment in experiments]) for paper, experiments in chosen]
    jobs = [(context.device.kind, structure, names, False) for structure in context.structures]
    jobs += [("cpu", structure, names, True) for structure in _on_host(context, chosen)]
    if not in_processes(_run, jobs, processes, partial(_make_one_graph, context, chosen)):
        context.say("not everything was compiled ahead in the time for it")


def _hosted(experiment: Experiment) -> list[str]:
    """The structures that an experiment measures on the CPU of a machine with a GPU."""
    return [one.structure for one in experiment.systems if isinstance(one, Variant) and one.on_host]


def _on_host(context: Context, chosen: Chosen) -> list[str]:
    """The systems on the host of all experiments, in this run."""
    found = [name for _, experiments in chosen for one in experiments for name in _hosted(one)]
    return [name for name in dict.fromkeys(found) if context.device.is_gpu and name in context.structures]


def _make_one_graph(context: Context, chosen: Chosen) -> None:
    """Make the next graph that an experiment needs and that there is not yet."""
    for name in (name for _, experiments in chosen for one in experiments for name in graphs_of(context, one)):
        if not context.graphs.has(name):
            context.graph(name)
            return


def _run(device: str, structure: str, names: list[tuple[str, list[str]]], hosted: bool) -> None:
    """The work of a process: the experiments in which the structure is `hosted`, or all."""
    from . import PAPERS

    place = fr.advanced.resolve_device(device)
    axes = paper_axes(place.kind, "smoke", SCALE if place.is_gpu else None)
    kinds = {structure: fr.structures()[structure]}
    context = Context(place, "smoke", axes, kinds, Shapes(place, axes), quiet=True)
    for paper, numbers in names:
        experiments = [one for one in PAPERS[paper].experiments if one.number in numbers]
        if hosted:
            experiments = [one for one in experiments if structure in _hosted(one)]
        measure_paper(context, PAPERS[paper], experiments, "compiled")
