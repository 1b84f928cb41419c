"""The papers' comparisons: each table and figure runs at its smallest, and claims are judged by the numbers."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import frontier as fr
from benchmarks import run as benchmarks_run
from benchmarks.context import Budget, Context, choose_structures
from benchmarks.papers import PAPERS
from benchmarks.papers.analytics import after_each_update, sort_on_the_host, window_changes
from benchmarks.papers.axes import PAPER_SCALE, paper_axes, shrunk
from benchmarks.papers.cell import Cell, System
from benchmarks.papers.check import Check, judge, short
from benchmarks.papers.command import choose
from benchmarks.papers.compile_ahead import compile_ahead
from benchmarks.papers.experiment import Earlier, Experiment, Paper
from benchmarks.papers.growth import Stream, by_density
from benchmarks.papers.inputs import in_csr_order, random_order
from benchmarks.papers.page import PAGE, page
from benchmarks.papers.parts import from_distributed
from benchmarks.papers.report import may_be_shown, report, tables, word_of
from benchmarks.papers.run import measure_experiment, measure_paper, systems_of
from benchmarks.papers.shapes import Shapes, solid, triangles
from benchmarks.papers.updates import window_shifts
from benchmarks.results import Results
from benchmarks.timing import Samples
from frontier.runtime import resolve_device
from structures import SlabGraph

pytestmark = pytest.mark.slow

EVERYTHING = [(paper, experiment) for paper in PAPERS.values() for experiment in paper.experiments]
NAMES = [paper.key(experiment) for paper, experiment in EVERYTHING]
SMALLEST = ["papers", "--device", "cpu", "--mode", "smoke", "--quiet", "--structures", "hornet"]


@pytest.fixture(scope="module")
def contexts() -> dict[str, Context]:
    """A run with every structure, by device. All tests share its graphs."""
    return {}


def context_on(device: str, contexts: dict[str, Context]) -> Context:
    if device not in contexts:
        place = resolve_device(device)
        axes = paper_axes(place.kind, "smoke")
        contexts[device] = Context(place, "smoke", axes, choose_structures(None), Shapes(place, axes), quiet=True)
    return contexts[device]


@pytest.mark.parametrize(("paper", "experiment"), EVERYTHING, ids=NAMES)
def test_every_table_and_figure(
    paper: Paper, experiment: Experiment, device: str, contexts: dict[str, Context]
) -> None:
    context = context_on(device, contexts)
    results = Results("papers", device, "smoke")
    key = paper.key(experiment)
    measure_experiment(context, results, key, experiment)
    assert not [note for note in results.notes if "FAILED" in note or "not run" in note]
    systems = systems_of(context, Results("", "", ""), key, experiment)
    if any("it takes two GPUs" in note for note in results.notes):
        assert device == "gpu" and not results.rows
        return
    if not systems or (experiment.gpu_only and device == "cpu"):
        assert results.notes and not results.rows
        return
    found = {(row["graph"], row["system"]) for row in results.rows}
    rare = experiment.number == "figure 8" and paper.name == "lpma"  # tiny arrays need not grow
    if experiment.number == "figure 12" and paper.name == "gpma":  # which makes its own graphs
        assert {graph.partition("/")[2] for graph, _ in found} == {"16", "32", "48"}
    else:
        assert rare or found == {(shape, system.label) for shape in experiment.shapes for system in systems}
    assert all(math.isfinite(row["value"]) and row["value"] >= 0 and row["unit"] for row in results.rows)
    assert {row["x"] is None for row in results.rows} <= {"x" not in experiment.rows}
    rows = experiment.derive(results.rows)
    for text in tables(experiment, rows):
        assert text.count("\n|") >= 3
    for check in experiment.checks:
        verdict = judge(check, rows)
        sides = [check.of] if check.over is None else [check.of, check.over]
        labels = {system.label for system in systems}
        present = all(side.get("system") in (*labels, None) for side in sides)
        lasting = verdict.ratios or experiment.number in ("figure 4a", "figure 11") or rare or "x" in check.of
        assert lasting or not present, f"nothing was found for: {check.text}"


def test_names_are_unique() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert len(EVERYTHING) >= 8 + 2 + 7 + 8 + 15 + 5


# ---- verdicts -------------------------------------------------------------------------------------------------------


def row(system: str, value: float, unit: str = "ms", **labels: Any) -> dict[str, Any]:
    return {"graph": "road", "quantity": "", "x": None, "system": system, "value": value, "unit": unit, **labels}


A_OVER_B = Check("a is better", "2", {"system": "a"}, {"system": "b"})


def test_less_time_and_more_rate_are_better() -> None:
    assert judge(A_OVER_B, [row("a", 2.0), row("b", 6.0)]).ratios == (3.0,)
    assert judge(A_OVER_B, [row("a", 2.0, "M edges/s"), row("b", 6.0, "M edges/s")]).ratios == (1 / 3,)


def test_verdicts() -> None:
    rows = [row("a", 1.0, x=1), row("b", 2.0, x=1), row("a", 1.0, x=2), row("b", 0.5, x=2), row("a", 1.0, x=3)]
    assert judge(A_OVER_B, rows).word == "in part" and judge(A_OVER_B, rows).measured == "0.50 - 2.0, median 1.2"
    assert judge(A_OVER_B, rows[:2]).word == "holds" and judge(A_OVER_B, rows[:2]).measured == "2.0"
    assert judge(A_OVER_B, rows).text == "in part: 1 of 2"
    for less in ("2.3 - 9", "up to 18", "1,200"):
        assert judge(replace(A_OVER_B, paper=less), rows[:2]).text == "by less: 2.0"
    for within in ("2.1 - 9", "1.5 - 1.9", "about 2", "up to 2.2", "level"):
        assert judge(replace(A_OVER_B, paper=within), rows[:2]).text == "holds"
    assert judge(replace(A_OVER_B, paper="1.1 - 1.7"), rows[:2]).text == "by more: 2.0"
    slower = replace(A_OVER_B, of={"system": "b"}, over={"system": "a"}, least=0.0, most=1.0)
    for paper, text in (("0.5 - 1.8", "holds"), ("0.1 - 0.3", "by less: 0.50"), ("0.9", "by more: 0.50")):
        assert judge(replace(slower, paper=paper), rows[:2]).text == text
    assert judge(A_OVER_B, rows[2:]).word == "does not hold"
    assert judge(A_OVER_B, rows[4:]).word == "not measured" and judge(A_OVER_B, []).measured == "-"
    assert judge(replace(A_OVER_B, where={"x": 1}), rows).word == "holds"
    assert judge(replace(A_OVER_B, least=0.0, most=1.0), rows[:2]).word == "does not hold"
    assert judge(replace(A_OVER_B, over=None, least=0.9, most=1.1), rows).word == "holds"
    snapshot = replace(A_OVER_B, decided_by="a snapshot")
    assert judge(snapshot, rows).text == "not comparable: a snapshot" and judge(snapshot, []).text == "not measured"


def test_rows_are_compared_that_agree_in_the_other_labels() -> None:
    rows = [row("a", 1.0), row("b", 9.0, graph="mesh"), row("b", 9.0, quantity="other")]
    assert judge(A_OVER_B, rows).word == "not measured"
    both = Check("", "", {"system": "a", "quantity": "one"}, {"system": "b", "quantity": "other"})
    assert judge(both, [row("a", 1.0, quantity="one"), row("b", 9.0, quantity="other")]).ratios == (9.0,)


def test_short_numbers() -> None:
    texts = [short(value) for value in (0.0, 0.0123, 0.999, 1.26, 12.6, 1234.5, math.inf)]
    assert texts == ["0", "0.012", "1.00", "1.3", "13", "1,234", "inf"]


# ---- graphs ---------------------------------------------------------------------------------------------------------


def degrees(edges: fr.io.EdgeList) -> np.ndarray:
    assert len({*zip(edges.src.tolist(), edges.dst.tolist(), strict=True)}) == len(edges)
    assert (edges.src < edges.dst).all()
    return np.bincount(np.concatenate([edges.src, edges.dst]), minlength=edges.num_vertices)


def test_meshes() -> None:
    mesh = degrees(triangles(6, 7)).reshape(6, 7)
    assert (mesh[1:-1, 1:-1] == 6).all() and mesh[0, 0] == 3 and mesh[0, -1] == 2
    cube = degrees(solid(5)).reshape(5, 5, 5)
    assert (cube[1:-1, 1:-1, 1:-1] == 18).all() and cube[0, 0, 0] == 6
    assert degrees(solid(1)).tolist() == [0]


def test_shapes() -> None:
    device = resolve_device("cpu")
    shapes = Shapes(device, paper_axes("cpu", "smoke", 8))
    for name in {shape for _, experiment in EVERYTHING for shape in experiment.shapes}:
        graph = shapes.get(name)
        assert 0.2 * 2**8 < graph.num_vertices <= 2**8 and graph.num_edges >= graph.num_vertices - 1
    with pytest.raises(ValueError, match="no shape 'star'"):
        shapes.get("star")


def test_batches_shrink_as_graphs_do() -> None:
    assert shrunk(10**6, PAPER_SCALE) == shrunk(10**6, PAPER_SCALE + 2) == 10**6
    assert shrunk(2**20, PAPER_SCALE - 4) == 2**16 and shrunk(3, 4) == 1


# ---- the command ----------------------------------------------------------------------------------------------------


def test_choice_of_tables_and_figures() -> None:
    assert [paper.name for paper, _ in choose([])] == list(PAPERS)
    ((paper, experiments),) = choose(["hornet"], figures=["4"])
    assert paper.name == "hornet" and [one.number for one in experiments] == ["figure 4a", "figure 4b"]
    assert {paper.name for paper, _ in choose([], tables=["2"])} == {"awad", "graphvine"}
    assert {paper.name for paper, _ in choose([], sections=["6.3", "5.1"])} == {"gpma", "graphvine"}
    for arguments, message in ((["nobody"], "no paper 'nobody'"), (["gpma"], "no table 99 of gpma")):
        with pytest.raises(ValueError, match=message):
            choose(arguments, ["99"])


def test_command_writes_what_can_be_read_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    options = ["awad", "--table", "2", "--table", "8", "--scale", "7", "--out", str(tmp_path)]
    assert benchmarks_run.main([*SMALLEST, *options]) == 0
    printed = capsys.readouterr().out
    assert "Table 2: edge insertion" in printed and "**not measured**: the hash graph" in printed
    (path,) = tmp_path.glob("*.json")
    assert path.name.startswith("papers-awad-table-2-table-8-cpu-2")
    found = Results.load(path)
    assert {"commit", "machine", "versions", "seeds", "seconds", "scale", "paper"} <= set(found.header)
    assert {row["system"] for row in found.rows} == {"csr", "hornet"} and found.header["scale"] == 7


def test_list(capsys: pytest.CaptureFixture) -> None:
    assert benchmarks_run.main(["papers", "gpma", "--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(PAPERS["gpma"].experiments)


def test_wrong_options_are_named(capsys: pytest.CaptureFixture) -> None:
    for options, message in (
        (["nobody"], "nobody"), (["awad", "--table", "99"], "table 99"), (["--scale", "99"], "--scale"),
        (["--structures", "nosuch"], "nosuch"),
    ):  # fmt: skip
        with pytest.raises(SystemExit):
            benchmarks_run.main([*SMALLEST[:5], *options])
        assert message in capsys.readouterr().err


def test_no_time_is_noted(contexts: dict[str, Context]) -> None:
    context = replace(context_on("cpu", contexts), budget=Budget(0.0))
    experiment = PAPERS["awad"].experiments[0]
    results = measure_paper(context, PAPERS["awad"], [experiment], "papers-awad")
    assert not results.rows and len(results.notes) == len(experiment.shapes)
    assert all("csr" in note and note.endswith("not run, no time left") for note in results.notes)


def test_structures_that_are_not_there_are_noted(contexts: dict[str, Context]) -> None:
    context = replace(context_on("cpu", contexts), structures=choose_structures(["hornet"]))
    (experiment,) = (one for one in PAPERS["awad"].experiments if one.number == "figure 3")
    results = measure_paper(context, PAPERS["awad"], [experiment], "papers-awad")
    assert not results.rows and results.notes == ["awad figure 3: slab left out, structure 'slab' is not in this run"]


def test_results_that_differ_are_a_failure(contexts: dict[str, Context]) -> None:
    count = iter(range(100))
    experiment = Experiment("table 1", "", "", "", ("road",), lambda cell: cell.agree("number", next(count)))
    context = replace(context_on("cpu", contexts), structures=choose_structures(["hornet"]))
    results = measure_paper(context, PAPERS["awad"], [experiment], "papers-awad")
    assert context.failures == 1 and "hornet found 1 for number, others 0" in results.notes[0]


def test_streams_that_end_early_are_noted(contexts: dict[str, Context]) -> None:
    axes = replace(context_on("cpu", contexts).axes, seconds_per_call=1e-9)
    context = replace(context_on("cpu", contexts), axes=axes, structures=choose_structures(["hornet"]))
    for paper, number, note in (
        ("awad", "table 6", "hornet on mesh: batches of 64 end after 64 of 322 arcs, "),
        ("lpma", "figure 13", "hornet on dense: batches of 6 end after 16 of 34 arcs, "),
        ("hornet", "figure 9", "hornet on mesh: ends before the 4-truss, 161 edges left, after "),
    ):
        (experiment,) = (one for one in PAPERS[paper].experiments if one.number == number)
        results = measure_paper(context, PAPERS[paper], [experiment], f"papers-{paper}")
        assert any(text.startswith(f"{paper} {number}: {note}") for text in results.notes), results.notes


def test_kernels_are_compiled_ahead_in_processes(contexts: dict[str, Context]) -> None:
    one = PAPERS["graphvine"].experiments[0]
    axes = paper_axes("cpu", "smoke", 7)
    context = replace(
        context_on("cpu", contexts), axes=axes, graphs=Shapes(resolve_device("cpu"), axes),
        structures={"hornet": choose_structures(["hornet"])["hornet"]},
    )  # fmt: skip
    compile_ahead(context, [(PAPERS["graphvine"], [one])], processes=2)
    assert not context.failures and context.graphs.has("road"), "graphs are made meanwhile"


# ---- inputs and columns ---------------------------------------------------------------------------------------------


def test_random_order(device: str) -> None:
    place = resolve_device(device)
    order = place.to_host(random_order(place.xp, 10_000))
    assert (np.sort(order) == np.arange(10_000)).all()
    assert (order == random_order(np, 10_000)).all(), "the same on every device"
    assert abs(np.corrcoef(order, np.arange(10_000))[0, 1]) < 0.05


def test_columns_on_the_host_agree_with_those_on_the_device(contexts: dict[str, Context], device: str) -> None:
    context = context_on(device, contexts)
    kind = context.structures["hornet"]
    results, prepared = Results("papers", device, "smoke"), {}
    for system in (System("hornet", kind), System("hornet, CPU", kind, host=resolve_device("cpu"))):
        cell = Cell(context, results, "gpma figure 8", context.graph("road"), system, prepared)
        after_each_update(cell, ["bfs", "components"], [1.0], window_changes)
        window_shifts(cell, [2**10], in_csr_order)
    assert not results.notes and {row["system"] for row in results.rows} == {"hornet", "hornet, CPU"}
    assert {row["quantity"] for row in results.rows} >= {"bfs, update", "components, together"}


def test_columns_on_the_host_belong_to_runs_on_a_gpu(contexts: dict[str, Context]) -> None:
    (experiment,) = (one for one in PAPERS["gpma"].experiments if one.number == "figure 7")
    context = replace(context_on("cpu", contexts), mode="quick")
    labels = {system.label for system in systems_of(context, Results("", "", ""), "", experiment)}
    assert "gpma, lazy" in labels and not any(label.endswith(", CPU") for label in labels)


def test_median_by_density() -> None:
    rows: list[dict[str, Any]] = []
    stream = Stream(5, None, Samples([1.0, 3.0, 9.0, 2.0]), [False, False, True, False], [0.51, 0.59, 0.6, 0.7])

    class Keeps:
        def add(self, value: float, unit: str, **more: Any) -> None:
            rows.append({"value": value, **more})

    by_density(Keeps(), stream)  # type: ignore[arg-type]
    assert [(one["x"], one["value"], one["batches"]) for one in rows] == [(0.5, 2000.0, 2), (0.7, 2000.0, 1)]


def test_figure_12_from_the_benchmark_of_graphs_in_parts() -> None:
    times = {name: {"seconds": 0.5, "per_second": 3e6} for name in ("BFS", "components", "PageRank")}
    times |= {f"{name} (again)": {"seconds": 0.25} for name in ("insert", "delete")}
    found = {"kind": "figure 12", "parts": 2, "options": {"scale": 9, "edge_factor": 16, "batch": 10**6}, "rows": times}
    results = Results("distributed", "gpu", "full", [found, {"kind": "strong"}], header={"date": "2026"})
    rows = from_distributed(results, "gpma figure 12")
    assert rows.header["scale"] == 9 and {(row["graph"], row["x"]) for row in rows.rows} == {("R-MAT 9/16", 2)}
    assert {row["quantity"]: row["value"] for row in rows.rows} == {
        "update": 4.0, "BFS": 3.0, "components": 3.0, "PageRank": 3.0
    }  # fmt: skip


# ---- output ---------------------------------------------------------------------------------------------------------


def test_memory_is_shown_in_use_and_reserved() -> None:
    (experiment,) = (one for one in PAPERS["graphvine"].experiments if one.number == "table 5")
    rows = experiment.derive([row("a", 5.0, "MB", x=1, used_bytes=2_000_000)])
    assert [(one["quantity"].partition(",")[0], one["value"]) for one in rows] == [("in use", 2.0), ("reserved", 5.0)]
    assert judge(Check("", "", {"system": "a"}, where={"quantity": "in use"}), rows).ratios == (2.0,)


def test_what_was_built_is_shown_as_a_share() -> None:
    (experiment,) = (one for one in PAPERS["awad"].experiments if one.number == "table 6")
    rows = experiment.derive([row("a", 7.0, "M edges/s", x=4, arcs=20), row("b", 9.0, "M edges/s", x=4, arcs=80)])
    assert [(one["quantity"], one["value"]) for one in rows] == [
        ("", 7.0), ("", 9.0), ("arcs inserted", 25.0), ("arcs inserted", 100.0)
    ]  # fmt: skip


def test_rows_sorted_on_the_host(device: str) -> None:
    graph = SlabGraph.from_edges([5, 0, 0, 3, 0], [1, 7, 2, 0, 4], num_vertices=8, device=device)
    place, vertices = graph.device, graph.xp.arange(8, dtype=np.int32)
    found = place.to_host(sort_on_the_host(graph, vertices))
    assert found.dtype == np.int32 and found.tolist() == place.to_host(graph.to_csr().indices).tolist()


# ---- the page -------------------------------------------------------------------------------------------------------


def test_the_page_has_all_claims() -> None:
    text = PAGE.read_text()
    for _, experiment in EVERYTHING:
        assert experiment.claim in text and experiment.why in text and experiment.how in text


def test_reasons_name_no_measured_numbers() -> None:
    for _, experiment in EVERYTHING:
        assert not re.search(r"\d (ms|%|M edges)|\d\.\d+ (to|times)|median", experiment.why), experiment.why


def test_page_takes_numbers_from_files(tmp_path: Path, contexts: dict[str, Context]) -> None:
    paper = PAPERS["awad"]
    assert "Not measured yet." in page([], [paper])
    context = replace(context_on("cpu", contexts), structures=choose_structures(["slab", "hornet"]))
    results = measure_paper(context, paper, paper.experiments[:1], "papers-awad")
    older = replace(results, header={**results.header, "date": "2000-01-01T00:00", "scale": 99})
    text = page([older, results], [paper])
    assert "scale 6" in text and "scale 99" not in text
    assert "| the hash graph inserts faster than Hornet | 5.8 - 14.8 |" in text and "| not measured on a GPU |" in text
    assert "faimGraph | 3.4 - 5.4 | - | not measured |" in text
    assert page([results], [paper]) == text
    text = page([results, replace(older, device="gpu")], [paper])
    assert "scale 99" in text and " (without weights) |" in text
    text = page([results, replace(older, device="gpu"), replace(results, device="gpu")], [paper])
    assert "scale 6" in text and " (without weights) |" not in text
    assert "**: the hash graph inserts faster than CSR is rebuilt. Here " in report(paper, results)


def test_results_from_before_a_change() -> None:
    snapshot = Earlier("2026-11-23", "in a snapshot", quantities=("time",))
    unweighted, never = Earlier("2026-11-23", "unweighted", comparable=True), Earlier("2026-11-23", "")
    rows = [row("a", 1.0, quantity="time"), row("b", 2.0, quantity="time")]
    verdict = judge(replace(A_OVER_B, where={"quantity": "time"}), rows)
    old, new = (Results("", "gpu", "", header={"date": f"2026-11-{day}T12:00"}) for day in (22, 23))
    experiment = PAPERS["awad"].experiments[0]
    for earlier, source, word in (
        (snapshot, old, "not comparable: in a snapshot"), (snapshot, new, "holds"), (None, old, "holds"),
        (unweighted, old, "holds (unweighted)"), (replace(snapshot, quantities=("rate",)), old, "holds"),
    ):  # fmt: skip
        assert word_of(verdict, source, replace(experiment, earlier=earlier)) == word
    assert not may_be_shown(old, replace(experiment, earlier=never))
    assert may_be_shown(new, replace(experiment, earlier=never))
