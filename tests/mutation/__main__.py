"""Mutation testing: the fraction of small faults in `frontier/` and `structures/` that the tests notice.

    python -m tests.mutation [--sample 60] [--seed 1] [--only structures/packed] [--out results.json]
    python -m tests.mutation --again results.json       # the survivors there, with the tests of today

Each mutant is put into a copy of the project, and the tests that should notice it run until the first failure. One that
hangs is noticed, too. One whose tests pass until their time is over has survived. Ready-made tools (mutmut, cosmic-ray)
swap functions in a running process or run one command for all files. Here compiled code must see the change, and a
change should run the tests of its own file.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from dynfrontier.machine import describe_run
from frontier.runtime import resolve_device

from .kernels import kernel_mutants
from .mutants import Mutant, mutants
from .targets import folders_of, needs_gpu, targets_of

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("frontier", "structures", "algorithms", "dynfrontier", "tests", "pyproject.toml", "README.md", "examples")
PLUGIN = Path(__file__).with_name("in_process.py")
WAIT = 900  # seconds by the clock, for a test that blocks and uses no processor time
MEMORY = 16 << 30  # bytes: a fault may request any number
NO_END, ENDED = "no end", "the process ended with"


class Copy:
    """A copy of the project, in which tests are run."""

    def __init__(self, folder: Path, tests: Path, gpu: bool, tier: str):
        self.folder, self.gpu = folder, gpu
        self.tier = tier
        for name in COPIED:
            source = tests if name == "tests" else ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, folder / name)
        shutil.copy(PLUGIN, folder / "mutation_plugin.py")
        self.tests = {path.name: str(path.relative_to(folder)) for path in (folder / "tests").rglob("test_*.py")}

    def run(self, path: str, seconds: int) -> tuple[bool, str]:
        """Whether the tests of a file pass, and the last lines of their output."""
        files, chosen = targets_of(path)
        files = [self.tests[file] for file in files if file in self.tests]
        own = (file for folder in folders_of(path) for file in sorted(self.tests.values()) if f"/{folder}/" in file)
        files = list(dict.fromkeys([*files, *own]))
        options = ["-x", "-m", "gpu" if self.gpu else "not gpu"]
        if chosen and self.tier != "first":  # whose tests have one structure each, any of them
            options += ["-k", chosen]
        passed, lines = self.pytest([*options, *files], seconds)
        return passed, "\n".join(lines[-3:])

    def pytest(self, arguments: list[str], seconds: float) -> tuple[bool, list[str]]:
        """Whether the chosen tests pass within their limits, and all of their output."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "mutation_plugin"]
        command += [f"--timeout={WAIT}", *([] if self.tier == "first" else [f"--{self.tier}"]), *arguments]
        environment = {**os.environ, "PYTHONPATH": f"{self.folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
        environment["MUTATION_SECONDS"] = str(seconds)
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True,
                timeout=4 * WAIT, preexec_fn=None if self.gpu else _limit_memory,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False, [NO_END]
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return False, [NO_END]
        if done.returncode < 0:
            return False, [f"{ENDED} {signal.Signals(-done.returncode).name}"]
        passed = done.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED)
        return passed, (done.stdout + done.stderr).strip().splitlines()

    def try_mutant(self, path: str, mutant: Mutant, seconds: int) -> dict[str, Any]:
        """Whether the tests notice a mutant."""
        file = self.folder / path
        text = file.read_text()
        begin = time.monotonic()
        try:
            file.write_text(mutant.apply(text))
            passed, said = self.run(path, seconds)
        finally:
            file.write_text(text)
        took = round(time.monotonic() - begin, 1)
        noticed = next((line for line in said.splitlines() if line.startswith(("FAILED", "ERROR", NO_END, ENDED))), "")
        return {"file": path, **asdict(mutant), "killed": not passed, "by": noticed, "seconds": took}


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def unfounded(copy: Copy, results: list[dict[str, Any]]) -> list[str]:
    """Tests that noticed a mutant, and fail without one, too."""
    noticed = sorted({test for result in results if (test := _failed(result["by"]))})
    lines = copy.pytest(noticed, math.inf)[1] if noticed else []
    return [test for line in lines if (test := _failed(line))]


def _failed(line: str) -> str:
    """The failed test that a line of pytest's summary names, or ""."""
    return line.removeprefix("FAILED ").partition(" - ")[0] if line.startswith("FAILED ") else ""


def candidates(only: str, gpu: bool) -> list[tuple[str, Mutant]]:
    """Every mutant of every file whose path starts with `only`."""
    found = []
    for package in ("frontier", "structures"):
        for file in sorted((ROOT / package).rglob("*.cuh" if gpu else "*.py")):
            path = file.relative_to(ROOT).as_posix()
            if path.startswith(only) and not needs_gpu(path):
                made = kernel_mutants(file.read_text()) if gpu else mutants(file.read_text())
                found += [(path, mutant) for mutant in made]
    return found


def sample(found: list[tuple[str, Mutant]], count: int, seed: int) -> list[tuple[str, Mutant]]:
    """Some of them, at most one of a line: lines with many numbers do not count more."""
    order = random.Random(seed)
    order.shuffle(found)
    lines = {}
    for path, mutant in found:
        lines.setdefault((path, mutant.line), (path, mutant))
    return list(lines.values())[:count]


def report(results: list[dict[str, Any]]) -> str:
    """The kill rate, of all and of each package, and the survivors."""
    rows = []
    for name in ("frontier", "structures", ""):
        part = [result for result in results if result["file"].startswith(name)]
        if part:
            killed = sum(result["killed"] for result in part)
            rows.append(f"{name or 'total':12} {killed} of {len(part)} noticed ({killed / len(part):.0%})")
    rows += [
        f"survived: {r['file']}:{r['line']} {r['kind']}: {r['old'].strip()!r} -> {r['new'].strip()!r}"
        for r in results
        if not r["killed"]
    ]
    return "\n".join(rows)


def main() -> None:
    line = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.partition("\n")[0])
    line.add_argument("--sample", type=int, default=60, help="how many mutants (default: 60)")
    line.add_argument("--skip", type=int, default=0, help="leave out the first so many, which were tried before")
    line.add_argument("--seed", type=int, default=1)
    line.add_argument("--only", default="", metavar="PATH", help="files whose path begins so")
    line.add_argument("--gpu", action="store_true", help="mutants of CUDA headers, and the tests that need a GPU")
    line.add_argument("--tier", choices=("first", "all", "long"), default="all", help="of the tests (default: all)")
    line.add_argument("--tests", type=Path, default=ROOT / "tests", help="other tests, such as those of another commit")
    line.add_argument("--again", type=Path, metavar="RESULTS", help="those that survived in these results")
    line.add_argument("--seconds", type=int, default=300, help="of a processor, for one mutant's tests (default: 300)")
    line.add_argument("--out", type=Path, metavar="RESULTS", help="where to write the results")
    options = line.parse_args()
    if options.again:
        old = json.loads(options.again.read_text())
        fields = Mutant.__dataclass_fields__
        chosen = [(r["file"], Mutant(**{name: r[name] for name in fields})) for r in old["rows"] if not r["killed"]]
    else:
        chosen = sample(candidates(options.only, options.gpu), options.sample, options.seed)[options.skip :]
    device = "gpu" if options.gpu else "cpu"
    about = {"benchmark": "mutation", "device": device, "mode": "sample", "notes": []}
    about |= {"sample": options.sample, "seed": options.seed, "only": options.only}
    about |= describe_run(resolve_device(device))
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder) / "project", options.tests, options.gpu, options.tier)
        for path, mutant in chosen:
            results.append(copy.try_mutant(path, mutant, options.seconds))
            verdict = "killed  " if results[-1]["killed"] else "SURVIVED"
            old, new = (" ".join(part.split()) for part in (mutant.old, mutant.new))
            print(f"{verdict} {results[-1]['seconds']:5.0f} s  {path}:{mutant.line}  {old}  ->  {new}", flush=True)
            if options.out:
                options.out.write_text(json.dumps({**about, "rows": results}, indent=1) + "\n")
        wrong = unfounded(copy, results)
    print(report(results))
    if wrong:
        sys.exit(f"these fail without a mutant, too: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
