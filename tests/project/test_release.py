"""One set of figures: ``python -m benchmarks release`` continues where it ended, and a failure costs one file."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import release, run
from benchmarks.defaults import SHARES
from benchmarks.questions import QUESTIONS, Question, Settings
from benchmarks.results import Results
from dynfrontier.machine import cores

QUICK = ["release", "--device", "cpu", "--quick", "--card", "test"]
GROWTH = Question("growth", "?", "growth", {"cpu": Settings("", 1, "slab", budget=False)}, "--scale 6 --batch 256")
BROKEN = replace(GROWTH, name="broken", benchmark="nosuch")


def test_files_have_names_of_question_and_card() -> None:
    names = [each.name for each in QUESTIONS]
    assert len(set(names)) == len(names) and SHARES.keys() == run.BENCHMARKS.keys()
    for question in QUESTIONS:
        assert question.benchmark in run.BENCHMARKS | run.OWN_OPTIONS and question.text.endswith("?")
    assert release.card_of({"gpu": "NVIDIA H100 80GB HBM3"}) == "h100" and release.card_of({"cpu": "EPYC"}) == "cpu"
    assert release.file_name("updates", "h200") == "updates-h200.json"


def test_a_set_fits_four_calls_on_a_gpu_and_half_an_hour_on_a_cpu() -> None:
    def seconds(kind: str) -> list[float]:
        return [each.settings[kind].seconds for each in QUESTIONS if kind in each.settings]

    assert sum(seconds("gpu")) <= 4 * (280 - release.COMPILE_S - release.SAVING_S)
    assert sum(seconds("cpu")) <= 1800


class ParsedError(Exception):
    """Ends a benchmark when its options are known."""


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: each.name)
def test_benchmarks_know_their_options(question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parse = argparse.ArgumentParser.parse_args

    def parsed(self: argparse.ArgumentParser, *given: Any) -> None:
        raise ParsedError(parse(self, *given))

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parsed)
    for kind, settings in question.settings.items():
        for quick in (False, True):
            command = release.command_of(question, kind, tmp_path, quick=quick)
            with pytest.raises(ParsedError):
                run.main([*command[3:], *["--budget", "1"] * settings.budget])


@pytest.mark.slow
def test_a_failure_costs_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(release, "QUESTIONS", (BROKEN, GROWTH))
    assert run.main([*QUICK, "--out", str(tmp_path)]) == 1
    broken, answered = (Results.load(tmp_path / f"{name}-test.json") for name in ("broken", "growth"))
    assert not broken.header["complete"] and broken.notes[0].startswith("FAILED: ended with 2")
    assert answered.header["complete"] and answered.rows
    assert {"commit", "machine", "versions", "python_loop_ms", "question", "command", "card"} <= answered.header.keys()
    assert "failed: broken; left: none" in capsys.readouterr().out
    monkeypatch.setattr(release, "QUESTIONS", (GROWTH,))
    assert run.main([*QUICK, "--out", str(tmp_path)]) == 0  # this commit has its file
    assert "0 open, 1 answered" in capsys.readouterr().out


@pytest.mark.slow
def test_a_question_of_microseconds_runs_on_one_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bound = replace(GROWTH, settings={"cpu": replace(GROWTH.settings["cpu"], one_core=True)})
    monkeypatch.setattr(release, "QUESTIONS", (bound,))
    assert run.main([*QUICK, "--out", str(tmp_path)]) == 0
    header = Results.load(tmp_path / "growth-test.json").header
    assert header["core"] in os.sched_getaffinity(0) and header["machine"]["cores"] == cores()


def test_a_question_that_does_not_fit_the_budget_is_left(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert run.main([*QUICK, "--budget", "5", "--only", "growth,vertices", "--out", str(tmp_path)]) == 0
    assert "left: growth, vertices" in capsys.readouterr().out and not list(tmp_path.iterdir())
    with pytest.raises(SystemExit):
        run.main([*QUICK, "--only", "nosuch"])
    assert "no question 'nosuch'" in capsys.readouterr().err
