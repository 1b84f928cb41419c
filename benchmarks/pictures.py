"""Pictures for the documentation, from results files: ``python -m benchmarks.pictures`` (needs matplotlib)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .plot import COLORS, make_figure, place
from .results import FOLDER, Results

PICTURES = FOLDER.parents[1] / "docs" / "pictures"
SUFFIX = "-gpma-lpma-graphvine-faimgraph"


def draw_latency() -> Any:
    """From a batch of edges to the exact triangle counts, against rebuilding."""
    results = Results.load(FOLDER / "dynamic-gpu-2026-11-21.json")
    rows = results.where(graph="rmat22", distribution="rmat", operation="insert")
    names = {"slab": "slab", "hornet": "hornet", "csr recount": "csr, rebuilt and recounted",
             "cugraph": "cuGraph, rebuilt and recounted"}  # fmt: skip
    times = {label: next(row["mean_ms"] for row in rows if row["system"] == name) for name, label in names.items()}
    figure, (panel,) = make_figure(1, 1, f"Triangle counts after a batch of 65,536 edges\n{place(results)}")
    figure.set_size_inches(7, 2.4)
    bars = panel.barh(list(times), list(times.values()), color=[COLORS[name] for name in names])
    panel.bar_label(bars, [f"{time:.3g} ms" for time in times.values()], padding=3)
    panel.set(xlabel="ms a batch (mean), 2^22 vertices, 128 M arcs", xscale="log", xlim=(1, 4000))
    panel.invert_yaxis()
    return figure


def draw_insertions() -> Any:
    """Insertion rates by batch size."""
    figure, panels = make_figure(1, 1, "")
    for suffix in ("", SUFFIX):
        results = Results.load(FOLDER / f"updates-gpu-2026-11-21{suffix}.json")
        chosen = {"graph": "rmat20", "distribution": "uniform", "operation": "insert", "variant": "unweighted"}
        rows = results.where(**chosen)
        for structure in dict.fromkeys(row["structure"] for row in rows):
            if suffix and structure == "csr":
                continue
            line = sorted((row["batch"], row["m_edges_per_s"]) for row in rows if row["structure"] == structure)
            panels[0].plot(*zip(*line, strict=True), marker=".", color=COLORS[structure], label=structure)
    panels[0].set(xlabel="batch size", ylabel="M arcs/s (median)", xscale="log", yscale="log")
    panels[0].legend(fontsize="x-small")
    figure.suptitle(f"Insertions of new arcs, 2^20 vertices, {place(results)}", fontsize="medium")
    return figure


def draw_incremental() -> Any:
    """Incremental results and recomputation, after a batch."""
    results = Results.load(FOLDER / "incremental-gpu-2026-11-21.json")
    rows = results.where(graph="rmat22", structure="slab")
    figure, (panel,) = make_figure(1, 1, f"After a batch of changes to 128 M arcs, slab, {place(results)}")
    labels = [f"{row['analytic']}\nbatch {row['batch']:,}" for row in rows]
    for i, (key, label) in enumerate((("incremental_ms", "incremental"), ("anew_ms", "from scratch"))):
        panel.bar([x + 0.4 * i for x in range(len(rows))], [row[key] for row in rows], 0.4, label=label)
    panel.set_xticks([x + 0.2 for x in range(len(rows))], labels, fontsize="x-small")
    panel.set(ylabel="ms", yscale="log")
    panel.legend(fontsize="x-small")
    return figure


DRAWN = {"latency": draw_latency, "insertions": draw_insertions, "incremental": draw_incremental}


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw all pictures."""
    import matplotlib

    line = argparse.ArgumentParser(prog="python -m benchmarks.pictures", description="Draw pictures for the pages.")
    line.add_argument("--out", type=Path, default=PICTURES, metavar="DIR", help="folder of the pictures")
    options = line.parse_args(arguments)
    with matplotlib.rc_context({"svg.hashsalt": "dynfrontier", "svg.fonttype": "none"}):
        for name, draw in DRAWN.items():
            draw().savefig(options.out / f"{name}.svg", metadata={"Date": None, "Creator": None})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
