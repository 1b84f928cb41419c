"""The sizes of the reproduced comparisons, by device and mode. One scale sets graphs and batches."""

from __future__ import annotations

from dataclasses import replace

from ..defaults import Axes, axes_for

PAPER_SCALE = 20  # from this scale on batches are as large as in the papers. Below, they shrink as graphs do
_SCALES = {
    ("gpu", "full"): 20, ("gpu", "quick"): 18, ("gpu", "smoke"): 6,
    ("cpu", "full"): 14, ("cpu", "quick"): 11, ("cpu", "smoke"): 6,
}  # fmt: skip
_BATCHES = {"full": 128, "quick": 24, "smoke": 4}  # of a stream that grows a graph
MODES = tuple(_BATCHES)
_SECONDS = {"full": 0.4, "quick": 0.1, "smoke": 0.02}  # after which a measurement is not repeated


def paper_axes(device: str, mode: str, scale: int | None = None) -> Axes:
    """The axes of a device and mode: the axes of all benchmarks, with less repetition, since the measurements are
    many."""
    chosen = _SCALES[device, mode] if scale is None else scale
    repeat = 1 if mode == "smoke" else 3
    return replace(
        axes_for(device, mode, (chosen,)),
        repeat=repeat, baseline_repeat=min(repeat, 2), warm_up=1, dynamic_batches=_BATCHES[mode],
        seconds_per_call=_SECONDS[mode],
    )  # fmt: skip


def shrunk(size: int, scale: int) -> int:
    """A number of edges, vertices or queries of a paper, for graphs of this scale. At least 1."""
    return max(1, round(size * 2.0 ** min(scale - PAPER_SCALE, 0)))
