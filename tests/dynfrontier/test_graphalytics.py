"""The command ``dynfrontier graphalytics``: on a small data set, on wrong results, and on LDBC's validation graphs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import run
from published import FOLDER, locate

from dynfrontier.graphalytics import ALGORITHMS

ON_CPU = ("--device", "cpu", "--repeat", 1)
FILES = {
    "tiny.properties": "# a comment = none\ngraph.tiny.edge-file = tiny.e\ngraph.tiny.vertex-file = tiny.v\n"
    "graph.tiny.directed = true\ngraph.tiny.algorithms = bfs, cdlp, lcc, pr, sssp, wcc\n"
    "graph.tiny.bfs.source-vertex = 3\ngraph.tiny.sssp.source-vertex = 3\ngraph.tiny.cdlp.max-iterations = 1\n"
    "graph.tiny.pr.damping-factor = 0.5\ngraph.tiny.pr.num-iterations = 1\n",
    "tiny.v": "3\n5\n7\n9\n",
    "tiny.e": "3 5 0.5\n5 3 2.0\n5 7 1.0\n7 3 4.0\n",
    "tiny-BFS": "3 0\n5 1\n7 2\n9 9223372036854775807\n",
    "tiny-SSSP": "3 0.0\n5 0.5\n7 1.5\n9 infinity\n",
    "tiny-WCC": "9 1\n3 0\n5 0\n7 0\n",
    "tiny-CDLP": "3 5\n5 3\n7 3\n9 9\n",
    "tiny-LCC": "3 0.5\n5 0.5\n7 1.0\n9 0.0\n",
    "tiny-PR": "3 0.34375\n5 0.28125\n7 0.21875\n9 0.15625\n",
}


@pytest.fixture
def data_set(tmp_path):
    """The graph lies below the folder of its properties."""
    (tmp_path / "graphs").mkdir()
    for name, text in FILES.items():
        (tmp_path / ("" if name.endswith(".properties") else "graphs") / name).write_text(text)
    return tmp_path


def test_all_six_algorithms(data_set, tmp_path):
    report = tmp_path / "report.json"
    assert "6 of 6 results are valid by LDBC's rules" in run("graphalytics", data_set, *ON_CPU, "--json", report)
    found = json.loads(report.read_text())["results"]
    assert {row["algorithm"] for row in found} == ALGORITHMS.keys()
    assert all(row["verdict"] == "valid" and (row["vertices"], row["edges"]) == (4, 4) for row in found)


WRONG = {"BFS": "3 0\n5 2", "SSSP": "3 0.0\n5 0.6", "WCC": "3 1\n5 0", "CDLP": "3 3\n5 3", "LCC": "3 0.5\n5 0.51"}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_results_are_found(data_set, name):
    file = data_set / "graphs" / f"tiny-{name}"
    rest = [line for line in FILES[file.name].splitlines() if line[0] in "79"]
    file.write_text("\n".join([*WRONG[name].splitlines(), *rest]))
    output = run("graphalytics", data_set, *ON_CPU, "--algorithm", name.lower(), code=1)
    assert f"{name.lower()} of tiny: " in output and "differ" in output


def test_a_result_may_be_missing_and_a_parameter_may_not(data_set):
    (data_set / "graphs" / "tiny-LCC").unlink()
    output = run("graphalytics", data_set, *ON_CPU, "-a", "lcc", "-a", "wcc")
    assert "1 of 2 results are valid" in output and "1 have no reference" in output
    (data_set / "graphs" / "tiny-WCC").write_text("3 0\n")
    output = run("graphalytics", data_set, *ON_CPU, "-a", "wcc", code=1)
    assert "tiny-WCC lists other vertices than the graph has" in output
    properties = data_set / "tiny.properties"
    properties.write_text(properties.read_text().replace("sssp.source-vertex = 3", "sssp.source-vertex = 4"))
    assert "source-vertex 4 is not in the graph" in run("graphalytics", data_set, *ON_CPU, "-a", "sssp", code=2)
    properties.write_text(properties.read_text().replace("cdlp.max-iterations", "other"))
    assert "do not have max-iterations" in run("graphalytics", data_set, *ON_CPU, "-a", "cdlp", code=2)


def test_arguments(tmp_path):
    assert "choose among bfs, pr" in run("graphalytics", tmp_path, "--algorithm", "dfs", code=2)
    assert "has no graphs of Graphalytics" in run("graphalytics", tmp_path, *ON_CPU, code=2)


def test_sets_match_up_to_their_names():
    matches = ALGORITHMS["wcc"].matches
    assert matches(np.array([5, 5, 7]), np.array([0, 0, 2])).all()
    assert matches(np.array([5, 5, 7, 9]), np.array([0, 0, 2, 2])).tolist() == [True, True, False, False]
    assert not matches(np.array([5, 5, 5]), np.array([0, 0, 2])).any()


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER, reason="DYNFRONTIER_DATA is not set")
def test_the_validation_graphs():
    output = run("graphalytics", locate("ldbc-graphalytics-validation-graphs.tar.xz"), *ON_CPU)
    assert "24 of 24 results are valid by LDBC's rules" in output
