"""One set of figures from one commit: ``python -m benchmarks release --device gpu --budget 280``.

One benchmark answers each question of `QUESTIONS`, in a separate process, and writes one file for each card:
``triangles-h200.json``, ``updates-cpu.json``. The most valuable questions come first. A question whose file is of this
commit is skipped, so the next call continues a call that has ended early. A question that fails loses only its own
file.

On a GPU all kernels are compiled first, in as many processes as there are cores. All processes share the caches on
disk.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import frontier as fr
from dynfrontier.machine import cores, describe_run, python_loop_ms

from .context import Budget
from .defaults import SHARES
from .questions import QUESTIONS, Question
from .results import FOLDER, ROOT, Results, command_environment, command_line
from .timing import fastest_core

COMPILE_S, COMPILE_LIMIT_S = 30.0, 90.0
"""Seconds for all processes that compile ahead, together: expected, and at most."""
PATIENCE = 2.0
"""A question may last this many times as long as expected."""
COLD_S = {"cpu": 150.0, "gpu": 0.0}
"""And so many seconds longer: with empty caches, a CPU's kernels are compiled while a question is answered."""
SAVING_S = 4.0
"""Seconds before the end of a budget at which a question is stopped."""
EMPTY_CACHES = ("cold", "first-run")
"""Benchmarks that start with empty caches themselves."""
START_S = 8.0
"""Seconds that a process needs before it can measure anything."""


def main(arguments: Sequence[str]) -> int:
    """Answer the open questions. Returns 1 if one has failed, else 0."""
    line = command_line("release", __doc__)
    line.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS", help="end before this")
    line.add_argument("--only", metavar="QUESTION,...", help=f"of {', '.join(each.name for each in QUESTIONS)}")
    line.add_argument("--card", help="the end of file names (default: the GPU's name, or cpu)")
    line.add_argument("--quick", action="store_true", help="tiny graphs, to see that everything runs")
    line.add_argument("--again", action="store_true", help="answer also what this commit has a file of")
    line.add_argument("--no-compile", action="store_true", help="compile nothing ahead")
    options = line.parse_args(arguments)
    budget = Budget(options.budget)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # which ends the processes of questions
    device = fr.advanced.resolve_device(options.device)
    header = describe_run(device)
    card = options.card or card_of(header["machine"])
    try:
        chosen = [each for each in _named(options.only) if device.kind in each.settings]
    except ValueError as error:
        line.error(str(error))
    answered = [] if options.again else [each for each in chosen if _is_answered(each, card, header, options)]
    open_ones = [each for each in chosen if each not in answered]
    say = _Clock(budget).say
    say(f"{card}, commit {header['commit'][:10]}{' with changes' if header['dirty'] else ''}: {len(open_ones)} open, "
        f"{len(answered)} answered")  # fmt: skip
    if device.is_gpu and not options.no_compile:
        _compile_ahead(_planned(open_ones, device.kind, budget), device.kind, budget, options.quick, say)
    failed, left = [], []
    for question in open_ones:
        expected = 0.0 if options.quick else question.settings[device.kind].seconds
        if budget.left() - SAVING_S < expected or budget.left() < START_S:
            left.append(question.name)
            continue
        say(f"{question.name}: {question.text}")
        problem = _answer(question, device.kind, card, budget, options)
        if problem:
            failed.append(question.name)
        say(f"{question.name}: {problem or 'answered'}")
    say(f"failed: {', '.join(failed) or 'none'}; left: {', '.join(left) or 'none'}; files in {options.out}")
    return int(bool(failed))


class _Clock:
    """Shows progress with the time since the beginning of a budget."""

    def __init__(self, budget: Budget):
        self._begin = budget.begin

    def say(self, text: str) -> None:
        print(f"[{time.perf_counter() - self._begin:6.1f} s] {text}", flush=True)


def card_of(machine: dict[str, Any]) -> str:
    """The short name of a GPU, such as h200, or cpu."""
    words = machine.get("gpu", "CPU").lower().replace("nvidia", "").split()
    return words[0] if words else "gpu"


def _named(names: str | None) -> list[Question]:
    known = {each.name: each for each in QUESTIONS}
    for name in names.split(",") if names else ():
        if name not in known:
            raise ValueError(f"there is no question {name!r}; there are {', '.join(known)}")
    return [known[name] for name in names.split(",")] if names else list(QUESTIONS)


def file_name(question: str, card: str) -> str:
    """The name of a results file."""
    return f"{question}-{card}.json"


def _is_answered(question: Question, card: str, header: dict[str, Any], options: argparse.Namespace) -> bool:
    """Whether there is a whole file of this commit."""
    expected = {"complete": True, "quick": options.quick, "commit": header["commit"], "dirty": header["dirty"]}
    for folder in (options.out, FOLDER):
        with suppress(FileNotFoundError):
            if expected.items() <= Results.load(folder / file_name(question.name, card)).header.items():
                return True
    return False


def _planned(questions: Iterable[Question], kind: str, budget: Budget) -> list[Question]:
    """The questions that fit a budget, as far as they have kernels to compile ahead."""
    found, left = [], budget.left() - COMPILE_S
    for question in questions:
        seconds = question.settings[kind].seconds
        if seconds <= left:
            left -= seconds
            found.append(question)
    return [each for each in found if each.benchmark not in EMPTY_CACHES]


def command_of(question: Question, kind: str, out: Path, *, quick: bool = False, structure: str = "") -> list[str]:
    """The command that answers a question, on one structure if it is named."""
    settings = question.settings[kind]
    command = [sys.executable, "-m", "benchmarks", question.benchmark, *shlex.split(settings.options)]
    if question.benchmark != "one-thread":
        command += ["--device", kind]
    if settings.structures:
        command += ["--structures", structure or settings.structures]
    return [*command, *(shlex.split(question.quick) if quick else ()), "--out", str(out)]


def _answer(question: Question, kind: str, card: str, budget: Budget, options: argparse.Namespace) -> str:
    """Ask one question, and store its answer as far as it exists. Returns the failure, or ""."""
    settings = question.settings[kind]
    core = fastest_core() if settings.one_core else None
    patience = 600.0 if options.quick else PATIENCE * settings.seconds + COLD_S[kind]
    limit = min(budget.left() - SAVING_S, patience)
    with tempfile.TemporaryDirectory(prefix="dynfrontier-release-") as name:
        folder = Path(name)
        command = command_of(question, kind, folder, quick=options.quick)
        if settings.budget:
            command += ["--budget", str(round(max(limit - START_S, 1.0), 1))]
        begin = time.perf_counter()
        problem = _run(command, limit, folder / "log", core)
        paths = sorted(folder.glob("*.json"))
        found = Results.load(paths[-1]) if paths else Results(question.benchmark, kind, "none", [], [], {})
        if problem or not paths:
            problem = problem or "no file was written"
            found.notes.append(f"FAILED: {problem}")
            print((folder / "log").read_text(errors="replace")[-3000:], flush=True)
    if not found.header:
        found.header = describe_run(fr.advanced.resolve_device(kind))
    found.header["machine"]["cores"] = cores()  # a process that is bound to one counts that one
    found.header |= {
        "question": question.text, "card": card, "complete": not problem, "quick": options.quick,
        "command": shlex.join(["python", *command[1 : command.index("--out")]]),
        "seconds": round(time.perf_counter() - begin, 1), "core": core, "python_loop_ms_after": python_loop_ms(),
    }  # fmt: skip
    found.save(options.out, file_name(question.name, card))
    return problem


def _run(command: list[str], limit: float, log: Path, core: int | None) -> str:
    """Run a command with its own process group, on one core if it is given. Returns the failure, or ""."""
    with open(log, "w") as output:
        process = _start(command, output)
        try:
            if core is not None:
                os.sched_setaffinity(process.pid, {core})
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            return f"not done after {limit:.0f} s"
        except OSError as error:
            return f"cannot run on core {core}: {error}"
        finally:
            _end(process)
    return "" if code == 0 else f"ended with {code}"


def _start(command: list[str], output: Any) -> subprocess.Popen:
    """Start a command with its own process group, which writes to a file."""
    return subprocess.Popen(
        command, cwd=ROOT, env=command_environment(), stdout=output, stderr=subprocess.STDOUT, start_new_session=True
    )  # fmt: skip


def _end(process: subprocess.Popen) -> None:
    """End a process and the processes that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _compile_ahead(questions: Iterable[Question], kind: str, budget: Budget, quick: bool, say: Any) -> None:
    """Run questions on tiny graphs, one process for each structure, to fill the caches with their kernels."""
    clock = Budget(min(COMPILE_LIMIT_S, budget.left() - SAVING_S))
    with tempfile.TemporaryDirectory(prefix="dynfrontier-compile-") as name:
        waiting: list[tuple[str, list[str]]] = []
        for question in questions:
            for structure in question.settings[kind].structures.split(","):
                folder = Path(name) / f"{question.name}-{structure or 'all'}"
                folder.mkdir()
                command = command_of(
                    question, kind, folder, quick=quick or not _warms_up(question), structure=structure
                )
                waiting.append((folder.name, [*command, "--compile-only"] if _warms_up(question) else command))
        say(f"compile kernels, in {len(waiting)} processes")
        running: dict[str, subprocess.Popen] = {}
        problems = []
        try:
            while (waiting or running) and clock.left() > 0:
                while waiting and len(running) < (os.cpu_count() or 1):
                    label, command = waiting.pop(0)
                    with open(Path(name) / label / "log", "w") as log:
                        running[label] = _start(command, log)
                time.sleep(0.1)
                for label, process in list(running.items()):
                    if process.poll() is not None and running.pop(label).returncode:
                        text = (Path(name) / label / "log").read_text(errors="replace").strip()
                        problems.append(f"{label}: {(text.splitlines() or ['no message'])[-1]}")
        finally:
            for process in running.values():
                _end(process)
    for problem in problems:
        say(f"while compiling: {problem}")
    late = [*running, *(label for label, _ in waiting)]
    say(f"not compiled in time: {', '.join(late)}" if late else "compiled")


def _warms_up(question: Question) -> bool:
    """Whether the benchmark warms itself up on tiny graphs, which is all that is asked of it ahead."""
    return question.benchmark in SHARES
