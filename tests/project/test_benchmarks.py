"""Each benchmark runs in its smallest mode, writes what can be read back, and has a table for it."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms import DynamicConnectedComponents, analytics
from algorithms.catalogue import GALLERY
from benchmarks import cold_start, compare, gallery, incremental, run, summary, temporal
from benchmarks.context import Budget, choose_structures
from benchmarks.defaults import axes_for
from benchmarks.graphs import BenchmarkGraph, GraphSource
from benchmarks.peers.process import PeerRun
from benchmarks.results import ROOT, Results, table
from benchmarks.timing import Samples, measure
from dynfrontier.comparison.process import reason
from frontier.runtime import resolve_device

pytestmark = pytest.mark.slow

CPU = resolve_device("cpu")
SMALLEST = ["--device", "cpu", "--mode", "smoke", "--quiet", "--structures", "hornet"]


def results_of(name: str, folder: Path, *more: str) -> Results:
    assert run.main([name, *SMALLEST, "--out", str(folder), *more]) == 0
    (path,) = folder.glob("*.json")
    assert path.name.startswith(f"{name}-cpu-2")
    found = Results.load(path)
    assert {"commit", "dirty", "date", "machine", "versions", "seeds", "seconds"} <= set(found.header)
    assert found.header["machine"]["cores"] >= 1
    assert not found.notes
    return found


def test_updates(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    results = results_of("updates", tmp_path, "--peers", "none")
    assert {row["structure"] for row in results.rows} == {"csr", "hornet"}
    operations = {row["operation"] for row in results.rows}
    assert {"build", "insert", "duplicate", "query hit", "delete", "query miss"} <= operations
    for row in results.where(structure="hornet", operation="insert"):
        assert row["m_edges_per_s"] > 0 and row["times_rebuild"] > 0 and len(row["wall_ms"]) >= 1
    for row in results.where(operation="build"):
        assert 0 < row["used_per_arc"] <= row["reserved_per_arc"]
    assert "times as fast as rebuilding CSR" in capsys.readouterr().out


def test_updates_with_in_edges(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    results = results_of("updates", tmp_path, "--peers", "none", "--in-edges")
    rows = results.where(structure="hornet", variant="in-edges", operation="insert")
    assert rows and all(row["times_without_in_edges"] > 0 for row in rows)
    assert "time with in-edges, over that without" in capsys.readouterr().out


def test_updates_with_edge_data(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    results = results_of("updates", tmp_path, "--peers", "none", "--edge-data", "--structures", "slab")
    rows = results.where(structure="slab", variant="edge data", operation="insert")
    assert rows


@pytest.mark.usefixtures("interpreted")
def test_first_batches(capsys: pytest.CaptureFixture) -> None:
    options = ["--scale", "6", "--batch", "512", "--analytics", "connected_components", "--child", "slab"]
    assert run.main(["cold", "--device", "cpu", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["batches_ms"]["insert"]) == len(found["batches_ms"]["delete"]) == 2
    assert found["attach_ms"] > 0 and all(entry["compiler"] == "own" for entry in found["compiled"])
    row = {"structure": "slab", "analytics": ["connected_components"], "shipped": True, "caches": "empty"}
    row |= {"process_s": 1.0, **found}
    assert "without" not in cold_start.describe(row) and "first answer" in cold_start.describe(row)


def test_the_first_run(tmp_path: Path) -> None:
    options = ["--rounds", "1", "--stream", "--scale 4 --edge-factor 2 --batch-size 16"]
    rows = results_of_own("first-run", tmp_path, *options)
    assert [row["run"] for row in rows] == ["first", "second"] and rows[0]["milliseconds"] > rows[1]["milliseconds"]


def test_small_updates(tmp_path: Path) -> None:
    options = ["--scale", "6", "--sizes", "1,9", "--batches", "3", "--structures", "slab"]
    results = results_of_own("latency", tmp_path, *options, "--analytics", "connected_components")
    rows = [row for row in results if row["structure"] == "slab"]
    assert {(row["analytic"], row["operation"], row["size"]) for row in rows} == {
        (analytic, operation, size)
        for analytic in (None, "connected_components") for operation in ("insert", "delete") for size in (1, 9)
    }  # fmt: skip
    assert all(0 < row["p50_us"] <= row["p99_us"] and len(row["wall_ms"]) == 3 for row in rows)


@pytest.mark.usefixtures("interpreted")
def test_updates_among_more_vertices(tmp_path: Path) -> None:
    options = ["--scale", "6", "--vertices", "6,8", "--sizes", "4", "--batches", "3", "--analytics", "bfs"]
    rows = results_of_own("latency", tmp_path, *options, "--structures", "slab")
    assert {(row["analytic"], row["scale"], row["operation"]) for row in rows} == {
        (analytic, scale, operation)
        for analytic in (None, "bfs") for scale in (6, 8) for operation in ("insert", "delete")
    }  # fmt: skip
    assert all(row["p50_us"] > 0 and len(row["wall_ms"]) == 3 for row in rows)


def test_small_updates_of_directed_graphs(tmp_path: Path) -> None:
    options = ["--directed", "--scale", "6", "--sizes", "9", "--batches", "3", "--structures", "slab"]
    rows = results_of_own("latency", tmp_path, *options, "--analytics", "bfs")
    assert {(row["analytic"], row["operation"]) for row in rows if row["structure"] == "slab"} == {
        (analytic, operation) for analytic in (None, "bfs") for operation in ("insert", "delete")
    }


def test_names_of_vertices(tmp_path: Path) -> None:
    rows = results_of_own("names", tmp_path, "--scale", "6", "--batches", "4,8", "--repeat", "1")
    assert [(row["place"], row["batch"], row["what"]) for row in rows] == [
        ("cpu", size, what) for size in (16, 256) for what in ("new", "known")
    ]
    assert len({row["names"] for row in rows}) == 1 and all(row["m_names_per_s"] > 0 for row in rows)


def test_streams_in_parts(tmp_path: Path) -> None:
    rows = results_of_own("temporal", tmp_path, "--quick", "--scale", "8", "--parts", "window", "--structures", "slab")
    assert rows and {row["what"] for row in rows} == {"window"}
    with pytest.raises(SystemExit):
        run.main(["temporal", "--parts", "nosuch"])


def test_motifs_that_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNFRONTIER_DATA", str(tmp_path))
    options = "--quick", "--scale", "8", "--parts", "motifs", "--structures", "slab", "--repeat", "2"
    assert not results_of_own("temporal", tmp_path, *options)
    rng = np.random.default_rng(1)
    events = np.stack([*rng.integers(1, 9, (2, 60)), np.arange(60) * 600], axis=1)
    (tmp_path / temporal.EVENTS).write_bytes(gzip.compress("\n".join(" ".join(map(str, e)) for e in events).encode()))
    monkeypatch.setattr(temporal, "MOVES", (1, 5))
    rows = [row for row in results_of_own("temporal", tmp_path, *options) if row["structure"] == "slab"]
    assert [row["batch"] for row in rows] == [1, 5] and all(row["recompute_cpu_median_ms"] > 0 for row in rows)


def test_growth(tmp_path: Path) -> None:
    rows = results_of_own("growth", tmp_path, "--scale", "6", "--batch", "256", "--structures", "slab")
    (row,) = (row for row in rows if row["structure"] == "slab")
    assert row["arcs"] > 0 and len(row["wall_ms"]) == 4
    assert 0 < row["p50_ms"] <= row["p99.9_ms"] <= row["p100_ms"]


def test_the_main_job(tmp_path: Path) -> None:
    rows = results_of_own("stream", tmp_path, "--scale", "6", "--rounds", "2")
    assert [row["analytic"] for row in rows] == ["none", "triangle_count"] * 2
    assert all(row["python_loop_ms"] > 0 and row["totals"]["records"] == 16 * 2**6 for row in rows)


def test_temporal_samples(tmp_path: Path) -> None:
    options = ["--scale", "7", "--seeds", "16", "--counts", "3", "--threads", "1", "--repeat", "1", "--peers", "none"]
    rows = results_of_own("temporal-sampling", tmp_path, *options, "--structures", "slab")
    cases = {(row["seeds"], row["what"], tuple(row["counts"])) for row in rows if row["what"] != "sort"}
    kinds = {(method + when, (3,)) for method in ("uniform", "latest") for when in ("", " after an update")}
    kinds.add(("uniform", (15, 10)))
    assert cases == {(seeds, *kind) for seeds in ("vertices", "edges") for kind in kinds}


def test_motifs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts are compared with SNAP's where no times are equal, and other files are left out."""
    monkeypatch.setenv("DYNFRONTIER_DATA", str(tmp_path))
    (tmp_path / "CollegeMsg.txt.gz").write_bytes(gzip.compress(b"1 2 5\n2 3 6\n3 1 6\n1 1 7\n1 2 9\n"))
    counts = np.zeros((6, 6), int)
    program = tmp_path / "temporalmotifsmain"
    program.write_text('#!/bin/sh\ncp "${0%/*}/counts" "${3#-o:}"\n')
    program.chmod(0o755)
    options = ["motifs", "--repeat", "1", "--out", str(tmp_path), "--snap", str(program)]
    np.savetxt(tmp_path / "counts", counts, "%d")
    with pytest.raises(AssertionError, match="CollegeMsg: other counts than SNAP's"):
        run.main(options)
    counts[1, 3], counts[1, 0], counts[2, 0] = 2, 1, 1  # two cycles, and 1 -> 2 twice with another event between
    np.savetxt(tmp_path / "counts", counts, "%d")
    assert run.main(options) == 0
    (path,) = tmp_path.glob("*.json")
    found = Results.load(path)
    assert [(row["total"], row["snap_total"]) for row in found.rows] == [(2, 4), (4, 4)] and len(found.notes) == 2


def results_of_own(benchmark: str, folder: Path, *options: str) -> list[dict]:
    """The rows of a benchmark that reads its options itself."""
    assert run.main([benchmark, "--device", "cpu", "--out", str(folder), *options]) == 0
    (path,) = folder.glob(f"{benchmark}-*.json")
    return json.loads(path.read_text())["rows"]


@pytest.mark.parametrize(
    "name, options",
    [
        ("adverse", "--graphs grid8 --sizes 4 --repeat 1 --analytics connected_components"),
        ("inside", "--scale 6 --repeat 1 --structures csr"),
        ("networkx", "--quick --scale 5 --repeat 2"),
        ("pipeline", "--quick --records 8 --batches 6 --repeat 1"),
    ],
)
def test_tiny_sizes(name: str, options: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    pytest.importorskip("networkx")
    assert results_of_own(name, tmp_path, *options.split())
    assert f"written to {tmp_path}" in capsys.readouterr().out


def test_two_checkouts_by_turns(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    options = ["--scale=6", "--batches=2", "--turns=2", "--sizes=1,9", "--analytics=bfs", "--algorithms=bfs"]
    allowed = os.sched_getaffinity(0)
    rows = results_of_own("turns", tmp_path, *options, f"--base={ROOT}", "--structures=slab,csr")
    assert os.sched_getaffinity(0) == allowed
    assert {(row["structure"], row["kind"], row["name"], row["size"]) for row in rows} == {
        *(("slab", "update", name, size) for name in ("", "bfs") for size in (1, 9)),
        ("slab", "static", "bfs", 0), ("csr", "static", "bfs", 0),
    }  # fmt: skip
    for row in rows:
        assert row["p50_ratio"] == pytest.approx(row["this_p50_ms"] / row["base_p50_ms"], rel=0.01)
        assert len(row["base_ms"]) == len(row["this_ms"]) == 2
    assert "This checkout / base, by structure" in capsys.readouterr().out


def test_cells_that_a_checkout_lacks_are_named(tmp_path: Path) -> None:
    options = ["--scale=6", "--batches=2", "--turns=1", "--sizes=1,9", "--analytics=nosuch", "--algorithms=nosuch"]
    rows = results_of_own("turns", tmp_path, *options, f"--base={ROOT}", "--structures=slab")
    (path,) = tmp_path.glob("turns-*.json")
    notes = Results.load(path).notes
    assert {row["name"] for row in rows} == {""} and len(notes) == 3
    assert all("Error: " in note and "nosuch" in note for note in notes)


def test_a_structure_that_a_checkout_lacks_is_named(tmp_path: Path) -> None:
    options = ["--scale=6", "--batches=2", "--turns=1", f"--base={ROOT}", "--structures=nosuch"]
    assert not results_of_own("turns", tmp_path, *options)
    (path,) = tmp_path.glob("turns-*.json")
    assert Results.load(path).notes == ["nosuch: the process ended with 1"]


def test_searches(tmp_path: Path) -> None:
    options = "--scales", "8", "--side", "12", "--repeat", "1"
    rows = results_of_own("searches", tmp_path, *options, "--structures", "slab")
    assert len({row["source"] for row in rows if row["way"] == "bfs"}) > 10
    levels = {row["way"]: row["levels"] for row in rows if row["way"] != "bfs"}
    assert set(levels.values()) == {23} and set(levels) == {"traverse", "advance"}


@pytest.mark.usefixtures("interpreted")
def test_incremental_with_in_edges(tmp_path: Path) -> None:
    results = results_of("incremental", tmp_path, "--structures", "csr", "--in-edges")
    rows = [row for row in results.where(graph="rmat7") if row["analytic"].endswith(", in-edges")]
    names = {row["analytic"].partition(",")[0] for row in rows}
    assert names == {
        "betweenness_centrality", "bfs", "connected_components", "core_number", "katz_centrality", "pagerank", "sssp",
        "strongly_connected_components",
    }  # fmt: skip
    assert all(row["correct"] for row in rows)


def test_algorithms_compared_with_a_peer(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    results = results_of("algorithms", tmp_path, "--peers", "scipy")
    assert {row["system"] for row in results.rows} == {"csr", "hornet", "scipy"}
    compared = [row for row in results.rows if row["agrees"] is not None]
    assert all(row["agrees"] for row in compared)
    both = {"bfs", "triangle_count", "spmv", "connected_components", "pagerank", "pagerank steps", "sssp"}
    assert both <= {row["algorithm"] for row in compared if row["system"] == "scipy"}
    ours = {row["algorithm"] for row in compared if row["system"] == "hornet"}
    assert ours == {*both, "triangle_count per vertex", "k-truss 4", "k-truss 8", "truss_numbers"}
    for row in results.where(system="hornet", algorithm="connected_components"):
        assert row["times_peers"]["scipy"] > 0
    tables = capsys.readouterr().out
    assert "time over that of CSR" in tables and "times as fast as scipy" in tables


def test_k_truss_compared_with_a_peer(tmp_path: Path) -> None:
    pytest.importorskip("networkx")
    results = results_of("algorithms", tmp_path, "--peers", "networkx")
    rows = [row for row in results.where(system="networkx") if row["algorithm"].startswith("k-truss")]
    assert {row["algorithm"] for row in rows} == {"k-truss 4", "k-truss 8"} and all(row["agrees"] for row in rows)


def test_incremental(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    results = results_of("incremental", tmp_path, "--structures", "csr")
    both_forms = [name for name, known in analytics().items() if known.incremental and known.static]
    expected = {"k-truss 4" if name == "k_truss" else name for name in both_forms}
    for graph in ("rmat7", "grid8"):
        rows = results.where(graph=graph)
        assert {(row["structure"], row["analytic"]) for row in rows} == {("csr", name) for name in expected}
        assert all(row["correct"] and row["anew_ms"] > 0 and row["both_ms"] > 0 for row in rows)
    assert "half insertions, half deletions" in capsys.readouterr().out


def test_a_wrong_analytic_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(DynamicConnectedComponents):
        """Components that are wrong for the graph."""

        @property
        def labels(self) -> Any:
            return self.graph.xp.arange(self.graph.num_vertices)

    wrong = replace(analytics()["connected_components"], incremental=Wrong)
    monkeypatch.setattr("algorithms.analytic._catalogue", {"connected_components": wrong})
    assert run.main(["incremental", *SMALLEST, "--structures", "csr", "--out", str(tmp_path)]) == 1
    (path,) = tmp_path.glob("*.json")
    found = Results.load(path)
    assert any(note.startswith("FAILED") for note in found.notes)
    assert not all(row["correct"] for row in found.rows)


def test_changes_of_the_incremental_benchmark_keep_the_graph_simple() -> None:
    graph = GraphSource(CPU, axes_for("cpu", "smoke")).get("rmat7")
    (src, dst, weights), batches = incremental.split(graph, 32, 3)
    held, doomed = (sum(int(part[i][0].size) for part in batches) for i in (0, 1))
    assert src.size == graph.num_edges - held and held == doomed == 3 * 16 and weights.size == src.size
    kind = choose_structures(["hornet"])["hornet"]
    changing = kind.from_edges(src, dst, weights, graph.num_vertices, device="cpu")
    for batch in batches:
        before = changing.num_edges
        incremental._apply(changing, batch, True)
        assert changing.num_edges == before
    assert (changing.edge_weights(*batches[-1][0][:2]) == batches[-1][0][2]).all()


def test_dynamic(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    results = results_of("dynamic", tmp_path, "--peers", "none")
    rows = results.where(system="hornet")
    assert {row["operation"] for row in rows} == {"insert", "delete"}
    assert all(row["correct"] and row["times_csr_recount"] > 0 and row["p99_ms"] >= row["p50_ms"] for row in rows)
    assert "ms from a batch to the new count" in capsys.readouterr().out


def test_schedules(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    results = results_of("schedules", tmp_path, "--structures", "csr")
    assert {row["graph"] for row in results.rows} == {"rmat7", "grid8", "star7"}
    assert {row["balance"] for row in results.rows} == {"auto", "thread", "tile", "block", "merge"}
    operations = {row["operation"] for row in results.rows}
    assert {"sum", "advance from hub", "the same, duplicates", "the same, edges", "bfs, duplicates"} <= operations
    assert all(row["agrees"] for row in results.rows)
    assert "ms (median) by schedule" in capsys.readouterr().out


def test_wrong_options_are_named(capsys: pytest.CaptureFixture) -> None:
    for options, message in ((["--structures", "nosuch"], "nosuch"), (["--peers", "cugraph"], "scipy")):
        with pytest.raises(SystemExit):
            run.main(["updates", "--device", "cpu", "--mode", "smoke", *options])
        assert message in capsys.readouterr().err


def test_a_failing_peer_is_a_note() -> None:
    src = np.array([0, 1, 2], np.int32)
    graph = BenchmarkGraph("path", "", 4, src, src + 1, CPU)
    with PeerRun("scipy", graph) as process:
        answers, note = process.ask(["nosuch", "build"], timeout=60, repeat=1)
        assert [answer["task"] for answer in answers] == ["build"] and note.startswith("nosuch: ")
        answers, note = process.ask(["build"], timeout=0.01)
        assert not answers and "not done after" in note
    assert not process.folder.exists()


def test_a_crash_is_told_by_its_signal(tmp_path: Path) -> None:
    (tmp_path / "errors").write_text("some warning\nValueError: no such thing\n")
    assert reason(-11, tmp_path / "errors") == "crashed (SIGSEGV)"
    assert reason(1, tmp_path / "errors") == "failed: ValueError: no such thing"


def test_baseline_comes_first() -> None:
    assert list(choose_structures(["hornet"])) == ["csr", "hornet"]
    assert next(iter(choose_structures(None))) == "csr"


def test_timing_stops_at_its_limit() -> None:
    calls = []
    samples, result = measure(CPU, lambda: calls.append(1) or len(calls), repeat=5, warm_up=2)
    assert (len(samples.wall), result) == (5, 7)
    samples, _ = measure(CPU, lambda: None, repeat=5, warm_up=1, limit=-1.0)
    assert len(samples.wall) == 1
    assert Samples([0.003, 0.001, 0.002]).numbers()["median_ms"] == pytest.approx(2.0)


def test_budget() -> None:
    clock = Budget(100.0)
    assert clock.fits("work", 10.0)
    clock.took("work", 10.0, 30.0)
    assert clock.fits("work", 10.0) and not clock.fits("work", 100.0)
    assert not Budget(0.0).fits("work", 1.0)
    assert Budget().fits("work", 1e12)


def test_table() -> None:
    assert table("none", ["a"], []) == ""
    text = table("some", ["name", "value"], [["x", 1234], ["long name", 0.5], ["none", None]])
    assert "| long name |   0.5 |" in text and "| x         | 1,234 |" in text and "|      - |" not in text


def test_gallery(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    pytest.importorskip("igraph")
    results = results_of("gallery", tmp_path, "--structures", "csr", "--peers", "igraph")
    assert {row["algorithm"] for row in results.where(system="csr")} == set(GALLERY)
    compared = results.where(system="igraph")
    assert len(compared) > 4 and all(row["agrees"] in (True, None) for row in results.rows)
    assert results.where(algorithm="coloring", system="csr")[0]["times_peers"]["igraph"] > 0
    assert "times as fast as igraph" in capsys.readouterr().out


def test_older_files_name_analytics_as_the_catalogue_does(tmp_path: Path) -> None:
    written = Results("incremental", "cpu", "full", header={"date": "2026-11-21"})
    written.add(analytic="components", incremental_ms=1.0)
    written.add(algorithm="triangles per vertex", median_ms=1.0)
    first, second = Results.load(written.save(tmp_path)).rows
    assert (first["analytic"], second["algorithm"]) == ("connected_components", "triangle_count per vertex")


def test_the_page_of_all_algorithms() -> None:
    """The latest time of each cell, under one name for each algorithm."""
    machine = {"gpu": "H200", "cpu": "a CPU", "cores": 2}
    older, newer = (
        {"date": f"2026-11-{day}T00:00:00", "commit": "0123456789abcdef", "dirty": False, "machine": machine}
        for day in (20, 21)
    )
    cells = Results("cells-20", "gpu", "full", header=newer)
    cells.add(graph="rmat20", structure="slab", algorithm="triangle_count per vertex", form="native", median_ms=1.25)
    cells.add(graph="rmat20", structure="slab", algorithm="bfs", form="native", median_ms=4321.0)
    static = Results("algorithms", "gpu", "full", header=older)
    static.add(graph="rmat20", system="slab", state="built", algorithm="bfs", median_ms=77.0)
    static.add(graph="rmat20", system="slab", state="grown", algorithm="sssp", median_ms=66.0)
    static.add(graph="rmat20", system="slab", state="built", algorithm="triangle_count per vertex", median_ms=2.5)
    static.add(graph="rmat20", system="cugraph", state="peer", algorithm="triangle_count per vertex", median_ms=9.5)
    text, filled, count = summary.page({"cells.json": cells, "static.json": static})
    assert filled == 3 and count > 100
    lines = [line for line in text.split("## rmat16")[0].splitlines() if line.startswith("| ")]
    found = {line.split(" | ")[0].strip("| "): line for line in lines}
    assert " 4,321 " in found["bfs"] and " 1.25 " in found["triangle_count per vertex"] and " 9.5 " in text
    assert " 2.5 " in text and "77" not in text and "66" not in text
    assert "`static.json`: H200, 2026-11-20, commit 0123456789" in text and summary.MISSING in found["louvain"]


def test_cells_of_the_page(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """All forms on the named structures, and the missing ones afterwards."""
    options = ["cells", "--device", "cpu", "--scales", "6", "--structures", "hornet", "--out", str(tmp_path), "--quiet"]
    options += ["--seconds", "0"]
    few = "bfs,triangle_count,sssp,spmv"
    assert run.main([*options, "--algorithms", "bfs,triangle_count"]) == 0
    (path,) = tmp_path.glob("cells-6-cpu-*.json")
    rows = Results.load(path).rows
    assert len(rows) == 2 * (1 + 3) and all(row["agrees"] and row["graph"] == "rmat6" for row in rows)
    assert {row["form"] for row in rows if row["algorithm"] == "triangle_count"} == {"native", "snapshot", "auto"}
    times = summary.collect(summary.load(tmp_path))
    assert ("cpu", "rmat6", "triangle_count", "snapshot", "hornet") in times
    assert run.main([*options, "--missing", "--algorithms", few]) == 0
    (path,) = tmp_path.glob("cells-6-run2-cpu-*.json")
    assert {row["algorithm"] for row in Results.load(path).rows} == {"sssp", "spmv"}
    assert "6 of 6 times" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        run.main([*options, "--algorithms", "nosuch"])
    assert "no algorithm 'nosuch'" in capsys.readouterr().err


def test_what_takes_minutes_is_not_missing() -> None:
    assert summary.is_left_out("truss_numbers", "rmat20") and not summary.is_left_out("truss_numbers", "rmat16")
    text, _, _ = summary.page({})
    rmat20, rmat16 = (text.split(f"## {name}")[1] for name in ("rmat20", "rmat16"))
    assert f"| {summary.LEFT_OUT} |" in rmat20.split("## ")[0] and summary.LEFT_OUT not in rmat16.split("## ")[0]


def test_a_task_of_a_peer_that_is_late_costs_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    src = np.array([0, 1, 2], np.int32)
    graph = BenchmarkGraph("path", "", 4, src, src + 1, CPU)
    asked = []

    def one_process(self: Any, request: dict, end: float, task_timeout: float) -> tuple[list[dict], str, bool]:
        asked.append(request["tasks"])
        late = "coloring" in request["tasks"]
        done = request["tasks"][: request["tasks"].index("coloring") if late else None]
        return [{"task": name, "median_ms": 1.0} for name in done], "not done after 3 s" if late else "", late

    monkeypatch.setattr(PeerRun, "_run", one_process)
    with PeerRun("igraph", graph) as process:
        answers, note = process.ask(["build", "core_number", "coloring", "jaccard"], timeout=60, task_timeout=3.0)
    assert asked == [["build", "core_number", "coloring", "jaccard"], ["build", "jaccard"]]
    assert [answer["task"] for answer in answers] == ["build", "core_number", "coloring", "jaccard"]
    assert answers[2] == {"task": "coloring", "late_s": 3.0} and note == "coloring: not done after 3 s"


def test_a_peer_that_is_late_is_a_lower_bound() -> None:
    results = Results("gallery", "cpu", "smoke")
    results.add(graph="rmat7", system="csr", algorithm="coloring", median_ms=2.0, agrees=True)
    results.add(graph="rmat7", system="igraph", algorithm="coloring", late_s=3.0)
    gallery._compare(results)
    (text,) = gallery.tables(results)
    assert "> 3,000" in text and "> 1,500.0" in text


def test_a_comparison_that_goes_on_keeps_what_it_does_not_measure_again() -> None:
    def results(commit: str, *cells: tuple[str, str]) -> Results:
        rows = [{"graph": graph, "algorithm": algorithm} for graph, algorithm in cells]
        return Results("compare", "cpu", "full", rows, ["a note"], {"commit": commit, "dirty": False})

    before = results("1" * 40, ("rmat7", "bfs"), ("rmat7", "k_truss(4)"), ("rmat8", "k_truss(4)"))
    now = results("2" * 40)
    compare._keep(now, before, ["rmat7"], ["k_truss"])
    assert now.rows == [before.rows[0], before.rows[2]]
    assert set(now.notes) == {"a note", "some cells were measured at commit 1111111111"}
