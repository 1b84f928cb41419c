"""A picture of the main job."""

from __future__ import annotations

from pathlib import Path

from .job import Applied
from .outputs import save_picture
from .text import plural


def plot_steps(steps: list[Applied], path: Path, title: str, noun: str | None) -> None:
    """Draw counts, edges and latencies by batch into a file, in the format that its name asks for.

    Without a noun edges alone were counted.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    batches = range(1, len(steps) + 1)
    figure.suptitle(title)
    edges = above
    if noun is not None:
        above.plot(batches, [step.count for step in steps], color="tab:green")
        above.set_ylabel(plural(noun), color="tab:green")
        edges = above.twinx()
    edges.plot(batches, [step.edges for step in steps], color="tab:gray")
    edges.set_ylabel("edges", color="tab:gray")
    times = {"update": [1e3 * step.update_seconds for step in steps]}
    if noun is not None:
        times["count"] = [1e3 * step.count_seconds for step in steps]
    below.stackplot(batches, *times.values(), labels=list(times), colors=["tab:blue", "tab:orange"][: len(times)])
    below.set_ylabel("milliseconds a batch")
    below.set_xlabel("batch")
    below.set_ylim(bottom=0)
    below.legend(loc="upper left")
    save_picture(figure, path, dpi=120)
