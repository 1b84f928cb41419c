"""Pictures of results files: ``python -m benchmarks.plot RESULTS.json ... [--out DIR]`` (needs matplotlib)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .defaults import BASELINE
from .results import FOLDER, Results

COLORS = {
    "csr": "tab:gray", "csr recount": "black", "hornet": "tab:orange", "slab": "tab:blue", "gpma": "tab:green",
    "lpma": "tab:olive", "graphvine": "tab:red", "faimgraph": "tab:purple", "cugraph": "tab:pink",
    "scipy": "tab:brown", "igraph": "plum", "networkit": "tab:cyan", "networkx": "silver",
}  # fmt: skip


def plot_updates(results: Results, folder: Path) -> list[Path]:
    """M edges a second against the batch size, a panel for each operation; one file for each graph and distribution."""
    rows = [row for row in results.rows if "batch" in row]
    paths = []
    for graph, distribution in dict.fromkeys((row["graph"], row["distribution"]) for row in rows):
        mine = [row for row in rows if (row["graph"], row["distribution"]) == (graph, distribution)]
        operations = list(dict.fromkeys(row["operation"] for row in mine))
        figure, panels = make_figure(1, len(operations), f"{graph}, {distribution} batches, {place(results)}")
        for panel, operation in zip(panels, operations, strict=True):
            for structure, variant in dict.fromkeys((row["structure"], row["variant"]) for row in mine):
                found = {"structure": structure, "variant": variant, "operation": operation}
                line = sorted((row["batch"], row["m_edges_per_s"]) for row in mine if found.items() <= row.items())
                panel.plot(
                    *zip(*line, strict=True), marker=".", color=COLORS.get(structure),
                    linestyle="-" if variant == "unweighted" else "--", label=f"{structure}, {variant}",
                )  # fmt: skip
            panel.set(title=operation, xlabel="batch size", xscale="log", yscale="log")
            panel.set_xscale("log", base=2)
        panels[0].set_ylabel("M edges/s (median)")
        panels[0].legend(fontsize="x-small")
        paths.append(save(figure, folder, f"updates-{results.device}-{graph}-{distribution}"))
    return paths


def plot_algorithms(results: Results, folder: Path) -> list[Path]:
    """The time of each system over that of CSR, as bars; one file for each graph."""
    paths = []
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        rows = [row for row in results.where(graph=graph) if "over_csr" in row and row["system"] != BASELINE]
        if not rows:
            continue
        algorithms = list(dict.fromkeys(row["algorithm"] for row in rows))
        systems = list(dict.fromkeys((row["system"], row["state"]) for row in rows))
        figure, (panel,) = make_figure(1, 1, f"{graph}, {place(results)}")
        width = 0.8 / len(systems)
        for i, (system, state) in enumerate(systems):
            bars = [
                (algorithms.index(row["algorithm"]) + i * width, row["over_csr"])
                for row in rows
                if (row["system"], row["state"]) == (system, state)
            ]
            label = system if state == "peer" else f"{system}, {state}"
            alpha = 0.5 if state == "grown" else 1.0
            panel.bar(*zip(*bars, strict=True), width, color=COLORS.get(system), alpha=alpha, label=label)
        panel.axhline(1.0, color=COLORS["csr"], linewidth=1)
        panel.set(ylabel="time over that of CSR", yscale="log")
        panel.set_xticks([i + 0.4 - width / 2 for i in range(len(algorithms))], algorithms, rotation=15)
        panel.legend(fontsize="x-small")
        paths.append(save(figure, folder, f"algorithms-{results.device}-{graph}"))
    return paths


def plot_dynamic(results: Results, folder: Path) -> list[Path]:
    """The latency of every batch, for insertions; one file for each series of batches."""
    paths = []
    keys = ("graph", "distribution", "batch")
    for key in dict.fromkeys(tuple(row[k] for k in keys) for row in results.rows):
        rows = [row for row in results.where(operation="insert") if tuple(row[k] for k in keys) == key]
        graph, distribution, batch = key
        figure, (panel,) = make_figure(1, 1, f"{graph}, {distribution} batches of {batch:,}, {place(results)}")
        for row in rows:
            times, system = row["wall_ms"], row["system"]
            panel.plot(range(1, len(times) + 1), times, marker=".", color=COLORS.get(system), label=system)
        panel.set(xlabel="batch", ylabel="ms from the batch to the new count", yscale="log")
        panel.legend(fontsize="x-small")
        paths.append(save(figure, folder, f"dynamic-{results.device}-{graph}-{distribution}-{batch}"))
    return paths


def plot_incremental(results: Results, folder: Path) -> list[Path]:
    """Speedup of incremental analytics over recomputation from scratch, as bars; one file for each graph."""
    paths = []
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        rows = [row for row in results.where(graph=graph) if row["times_anew"]]
        if not rows:
            continue
        sizes = {row["analytic"]: row["batch"] for row in rows}
        analytics = list(sizes)
        structures = list(dict.fromkeys(row["structure"] for row in rows))
        figure, (panel,) = make_figure(1, 1, f"{graph}, half insertions, half deletions, {place(results)}")
        width = 0.8 / len(structures)
        for i, structure in enumerate(structures):
            bars = [
                (analytics.index(row["analytic"]) + i * width, row["times_anew"])
                for row in rows
                if row["structure"] == structure
            ]
            panel.bar(*zip(*bars, strict=True), width, color=COLORS.get(structure), label=structure)
        panel.axhline(1.0, color="black", linewidth=1)
        panel.set(ylabel="speedup over recomputation from scratch", yscale="log")
        labels = [f"{name}\nbatches of {size:,}" for name, size in sizes.items()]
        panel.set_xticks([i + 0.4 - width / 2 for i in range(len(analytics))], labels)
        panel.legend(fontsize="x-small")
        paths.append(save(figure, folder, f"incremental-{results.device}-{graph}"))
    return paths


PLOTS = {
    "updates": plot_updates, "algorithms": plot_algorithms, "dynamic": plot_dynamic, "incremental": plot_incremental,
}  # fmt: skip


def plot(path: Path, folder: Path) -> list[Path]:
    """All pictures of one results file; there are none of those of `kernel_times`."""
    results = Results.load(path)
    folder.mkdir(parents=True, exist_ok=True)
    if results.benchmark.startswith("papers-"):
        from .papers.pictures import plot_paper

        return plot_paper(results, folder)
    draw = PLOTS.get(results.benchmark)
    return draw(results, folder) if draw else []


def make_figure(rows: int, columns: int, title: str) -> tuple[Any, Any]:
    """A figure, and the panels of its first row."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(max(3.2 * columns, 7), 4 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize="medium")
    return figure, figure.subplots(rows, columns, sharey=True, squeeze=False)[0]


def place(results: Results) -> str:
    """Where and when."""
    machine = results.header["machine"]
    return f"{machine.get('gpu') or machine['cpu']}, {results.header['date'][:10]}"


def save(figure: Any, folder: Path, name: str) -> Path:
    """Write a picture."""
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=110)
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw pictures of the files that are named, or of all results."""
    line = argparse.ArgumentParser(prog="python -m benchmarks.plot", description="Draw pictures of results files.")
    line.add_argument("files", nargs="*", type=Path, help="results files; by default all of benchmarks/results")
    line.add_argument("--out", type=Path, metavar="DIR", help="folder of the pictures; by default that of the file")
    options = line.parse_args(arguments)
    for path in options.files or sorted(FOLDER.glob("*.json")):
        for picture in plot(path, options.out or path.parent):
            print(picture)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
