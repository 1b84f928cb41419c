"""The kernels that jobs need: the list ``kernels.json``, and each of its kernels as something to be compiled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numba

from frontier.operators.engine import cpu_kernel_for
from frontier.runtime.parallel import ParallelKernel

from .objects import named
from .spelling import read_types

LIST = Path(__file__).parent / "kernels.json"


class Need(NamedTuple):
    """A kernel, and the types of its arguments.

    Attributes
    ----------
    kernel : str
        Its name; or that of the function that makes it.
    made_for : list of (str or None, list of (str or None), list), or None
        What it is made for: the package of a structure, functors, options.
    types : list
        Spelled (`spelling`); of a parallel kernel, of what it is called with after the number of its items.
    """

    kernel: str
    made_for: Any
    types: Any

    def dispatcher(self) -> tuple[Any, tuple]:
        """What is to be compiled, and for which types."""
        kernel, types = named(self.kernel), read_types(self.types)
        if self.made_for is not None:
            package, functors, options = self.made_for
            kernel = cpu_kernel_for(package, kernel, tuple(name and named(name) for name in functors), *options)
        if isinstance(kernel, ParallelKernel):
            return kernel.dispatcher(types, parallel=numba.config.NUMBA_NUM_THREADS > 1)  # type: ignore[attr-defined]
        return kernel, types


def read_list() -> dict[str, list[Need]]:
    """What each job needs, in the order in which it does."""
    held = json.loads(LIST.read_text(encoding="utf-8"))
    kernels = [Need(*row) for row in held["kernels"]]
    return {job: [kernels[number] for number in numbers] for job, numbers in held["jobs"].items()}


def write_list(jobs: dict[str, list[Need]]) -> None:
    """Write the list, a line for each kernel and job."""
    numbers: dict[str, int] = {}
    for needs in jobs.values():
        for need in needs:
            numbers.setdefault(json.dumps(need), len(numbers))
    lines = {job: json.dumps([numbers[json.dumps(need)] for need in needs]) for job, needs in sorted(jobs.items())}
    kernels = ",\n".join(numbers)
    named_lines = ",\n".join(f"{json.dumps(job)}: {line}" for job, line in lines.items())
    LIST.write_text(f'{{"kernels": [\n{kernels}\n],\n"jobs": {{\n{named_lines}\n}}}}\n', encoding="utf-8")


def job_name(structure: str, analytic: str, *, timed: bool) -> str:
    """What the list calls a job.

    Parameters
    ----------
    timed : bool
        The graph has times, as a window of batches needs.
    """
    return f"{structure} {analytic}{' with times' if timed else ''}"
