"""The recommendation of a workload report, and refused arguments and reports."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from workloads import EDGES, FIRST, JUMPY, NAMES, QUICK, SMALL, STEADY, report_of, row_of

import frontier as fr
import structures
from dynfrontier.workload import Workload, WorkloadReport, recommend, run_workload
from dynfrontier.workload import recommend as recommend_function
from dynfrontier.workload.generated import generate


@pytest.mark.parametrize(
    ("objective", "best", "parts"),
    [
        # Two are nearly equal: the one with less memory wins.
        ("time", "steady", ("steady takes 3 s a batch, jumpy 2.9 s", "But steady needs 20.0 bytes an edge against")),
        ("latency", "steady", ("99 % of batches within 3 s", "next is small 9 s, 3.0 times", "last is jumpy 20 s")),
        ("memory", "small", ("small needs 10.0 bytes an edge", "next is steady 20.0 bytes, 2.0 times", "the least is")),
    ],
)
def test_objectives(objective, best, parts):
    report = report_of(STEADY, JUMPY, SMALL)
    found = recommend(report, objective)
    assert found.structure == best and found.report is report
    for part in (*parts, "With batches of 64 on the CPU, "):
        assert part in found.reason, found.reason
    assert str(found) == found.reason and found.equals == (("jumpy",) if objective == "time" else ())
    assert found.reason.count(". ") == 1  # the report omits batches that some structures did not have


def test_the_same_batches_are_compared():
    late, early = row_of("late", [1.0] * 6 + [50.0] * 4, 3000), row_of("early", [2.0] * 6, 2000)
    stopped = row_of("stopped", [1.0] * 4, 1000)
    report = report_of(late, early, stopped)
    found = recommend(report)
    assert found.structure == "late" and "late takes 1 s a batch; next is early 2 s" in found.reason
    assert "Times are those of the first 6 batches, for which all had time." in found.reason
    assert "The time of stopped was up too early for a comparison." in found.reason
    assert recommend(report, "latency").structure == "late" and recommend(report, "memory").structure == "early"
    assert "**" not in str(report) and "| batches | 10 | 6 | 4 |" in str(report)
    assert recommend(report_of(late, early)).reason.endswith("all had time.")
    # Each was stopped somewhere.
    rows = [row_of("a", [1.0] * 9, 1), row_of("a", [1.0], 1, 128)]
    rows += [row_of("b", [2.0], 1), row_of("b", [2.0] * 9, 1, 128)]
    found = recommend(report_of(*rows))
    assert found.structure == "a" and "the first 1 and 1 batches" in found.reason


def test_several_sizes_are_weighed_alike():
    rows = (row_of("a", [1.0], 1), row_of("b", [2.0], 1), row_of("a", [100.0], 1, 128), row_of("b", [10.0], 1, 128))
    found = recommend(report_of(*rows))
    assert found.structure == "b" and "batches of 64 and 128" in found.reason and "geometric mean" in found.reason
    assert "b takes 4.47 s" in found.reason and "a 10 s, 2.2 times" in found.reason
    assert recommend(report_of(*rows[:3])).structure == "a"  # b was not measured at every size
    with pytest.raises(ValueError, match="no structure"):
        recommend(report_of())


@pytest.mark.slow
def test_recommend_of_a_stream_by_its_door():
    assert structures.recommend is recommend_function
    options = QUICK | dict(batches=3)
    found = structures.recommend(EDGES, seconds=0.5, deletes=0.1, analytics=["connected_components"], **options)
    assert found.structure in NAMES and found.structure in found.reason
    assert set(found.report.structures) == set(NAMES) and found.report.workload["records_used"] == len(EDGES)
    again = recommend(found.report, "memory")
    assert again.report is found.report
    with pytest.raises(AttributeError, match="nosuch"):
        structures.nosuch  # noqa: B018


def test_long_streams_are_cut(monkeypatch):
    module = sys.modules["dynfrontier.workload.recommend"]
    monkeypatch.setattr(module, "SMALLEST_SAMPLE", 256)
    edges = fr.io.rmat(10, 16)
    options = QUICK | dict(batch_size=16, structures=FIRST)
    cut = recommend(edges, seconds=1e-6, **options).report
    assert cut.workload["records_used"] == 256 and cut.workload["records"] == len(edges)
    assert "the first 256 of 16,384 records were used, 1.56%" in cut.notes
    assert cut.workload["vertices"] < edges.num_vertices  # the vertices of the sample only
    assert recommend(edges, seconds=3600, **options).report.workload["records_used"] == len(edges)


# ---- wrong arguments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(batch_size=0), "batch_size must be a positive integer, got 0"),
        (dict(batch_size=[]), "batch_size must not be empty"),
        (dict(batches=1.5), r"batches must be a positive integer, got 1\.5"),
        (dict(deletes=1.5), r"deletes must be a share from 0 to 1, got 1\.5"),
        (dict(queries=float("nan")), "queries must be a share"),
        (dict(preload="half"), "preload must be a share"),
        (dict(deletes=0.6, queries=0.6), "deletes and queries must add up"),
        (dict(delete_order="newest"), "delete_order must be one of 'random', 'oldest'"),
        (dict(analytics="colors"), "analytics: there is no 'colors'; choose from bfs, connected_components"),
        (dict(analytics="dynamic_truss_numbers"), "analytics: truss_numbers has no incremental form"),
        (dict(analytics=["bfs", "bfs"]), "analytics: 'bfs' is listed twice"),
        (dict(analytics="triangle_count", directed=True), "analytics: triangle_count is defined for undirected graphs"),
        (dict(structures="tree"), "structures: there is no 'tree'; choose from"),
        (dict(structures=[]), "structures must not be empty"),
        (dict(weighted=True), "weighted=True, but source has no weights"),
        (dict(seconds=0), "seconds must be positive, got 0"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    for function in (run_workload, recommend):
        with pytest.raises(ValueError, match=message):
            function(EDGES, device="cpu", quiet=True, **options)


def test_other_wrong_arguments():
    def query(graph):
        return 0

    with pytest.raises(ValueError, match="a function must have another name than 'query'"):
        run_workload(EDGES, analytics=query)
    with pytest.raises(TypeError, match="source must be a file, an EdgeList or an EdgeStream"):
        run_workload([(0, 1)])
    with pytest.raises(TypeError, match="batchsize"):
        run_workload(EDGES, batchsize=3)
    with pytest.raises(TypeError, match="a Workload has its own"):
        run_workload(Workload(EDGES), batch_size=3)
    with pytest.raises(TypeError, match="a report is judged as it is"):
        recommend(report_of(STEADY), batch_size=3)
    with pytest.raises(ValueError, match="objective must be one of 'time', 'latency', 'memory'"):
        recommend(EDGES, "speed")
    with pytest.raises(ValueError, match="source contains no records"):
        run_workload(fr.io.EdgeList([], []), device="cpu")
    with pytest.raises(OSError, match="missing"):
        recommend("missing.csv", device="cpu")
    with pytest.raises(ValueError, match="device must be"):
        run_workload(EDGES, device="tpu")
    with pytest.raises(ValueError, match="there is no generator"):
        generate("tree")


def test_what_is_no_report_is_refused(tmp_path):
    path = tmp_path / "x.json"
    good = report_of(STEADY)
    good.write_json(path)
    assert WorkloadReport.read_json(path) == good
    texts = ["{}", "no json", "[]", '{"workload": {}, "device": "cpu", "rows": [{"a": 1}], "notes": [], "header": {}}']
    for broken in (
        replace(good, header={}), replace(good, header=good.header | {"machine": {}}), replace(good, workload={}),
        replace(good, rows=(replace(STEADY, seconds={"insert": [1.0], "delete": [1.0, 2.0]}),)),
    ):  # fmt: skip
        broken.write_json(path)
        texts.append(path.read_text())
    for text in texts:
        path.write_text(text)
        with pytest.raises(ValueError, match="contains no report of a workload"):
            WorkloadReport.read_json(path)
