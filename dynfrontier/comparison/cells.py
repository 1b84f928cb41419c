"""Compare all algorithms on all structures with another library: one `Cell` per graph, algorithm, structure and state.

The peer library runs once per graph and algorithm. A checksum verifies that all structures contain the same edges. Each
side runs in its own process with a time limit per call, so a crash or an endless run costs one cell. Further processes
compare results meanwhile.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import frontier as fr
from algorithms import Analytic

from ..machine import cores
from ..peers import with_sources
from .growing import STATES
from .inputs import GraphInput
from .process import WorkerProcess

AGREES, DIFFERS = "agrees", "differs"
NOT_OFFERED, UNDEFINED = "not offered", "undefined"
LATE, FAILED, NO_TIME = "did not end", "failed", "no time left"
NO_ANSWER, MEASURED = "no answer", "measured"
PEER = "peer"  # instead of a state: the times of the peer library
JUDGE_LIMIT_S = 120.0
MAKE_LIMIT_S = 60.0


@dataclass(frozen=True)
class Cell:
    """The result of an algorithm on a graph in a structure.

    `structure` is a structure, the peer library in a cell with its times, or "" if neither was asked. `state` is
    "built" or "grown", "peer" for the peer library, or "". `result` is a constant from above. "no answer": the peer
    library has none, but structures agree. `detail` states how closely results agree, or which side failed and why.
    `against` is the peer library, or a structure that replaces it. `ms` and `theirs_ms` are median times of a call. For
    the peer library, `ms` is its own time.
    """

    graph: str
    algorithm: str
    structure: str = ""
    state: str = ""
    result: str = ""
    detail: str = ""
    against: str = ""
    ms: float | None = None
    theirs_ms: float | None = None
    wall_ms: tuple[float, ...] = ()

    @property
    def is_wrong(self) -> bool:
        """Whether our side is at fault."""
        return self.result == DIFFERS or (self.state in STATES and self.result in (LATE, FAILED))

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "wall_ms": list(self.wall_ms)}


@dataclass(frozen=True)
class Options:
    """Options of `compare_all`: each algorithm is compared with the first of the `peers` that has it.

    `repeat` timed calls follow one that is not timed. A call is abandoned after `limit` seconds and not repeated after
    `seconds`. After `budget` seconds, the remaining cells have no time. `judges` processes compare results. With 0, the
    process of the peer library does, before the next cell runs.
    """

    device: fr.advanced.Device
    peers: Sequence[str]
    structures: Sequence[str]
    states: Sequence[str] = STATES
    repeat: int = 3
    limit: float = 20.0
    seconds: float = 2.0
    budget: float = float("inf")
    judges: int = 0


def compare_all(
    inputs: Mapping[str, Callable[[], GraphInput]], algorithms: Sequence[Analytic], options: Options, *,
    say: Callable[[str], None] = lambda text: None, warm_up: bool = True,
) -> Iterator[Cell]:  # fmt: skip
    """Compare algorithms on all structures with another library, and yield each `Cell` as soon as it is known.

    `inputs` maps names to functions that make graphs, the most important first. A thread makes the next graph ahead.
    `say` is notified of the progress. `warm_up` compiles kernels on tiny graphs, for all structures at the same time.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dynfrontier-compare-")))
        run = _Run(options, algorithms, folder, stack, say)
        if warm_up:
            run.compile_kernels()
        yield from run.graphs(inputs)


class _Run:
    """The processes of a comparison, and its state."""

    def __init__(
        self, options: Options, algorithms: Sequence[Analytic], folder: Path, stack: ExitStack,
        say: Callable[[str], None],
    ):  # fmt: skip
        self.options, self.algorithms, self.folder, self.say = options, algorithms, folder, say
        self.end = time.perf_counter() + options.budget
        kind = options.device.kind
        self.mine = stack.enter_context(WorkerProcess(kind))
        self.theirs = stack.enter_context(WorkerProcess(kind))
        self.judges = [stack.enter_context(WorkerProcess("cpu")) for _ in range(options.judges)] or [self.theirs]
        self.pool = stack.enter_context(ThreadPoolExecutor(len(self.judges)))
        self.preparer = stack.enter_context(ThreadPoolExecutor(1))
        self.late: dict[tuple[str, str], tuple[str, int]] = {}

    def compile_kernels(self) -> None:
        """Run everything on tiny graphs, the structures at the same time."""
        self.say("compile kernels, on tiny graphs")
        begin = time.perf_counter()
        tiny = [
            GraphInput.of(fr.io.rmat(7, 8, seed=1), f"tiny{int(directed)}", directed).with_weights(1)
            for directed in (False, True)
        ]
        work = []
        for given in tiny:
            given.save(self.folder / given.name)
            for structure in self.options.structures:
                plans = [plan for plan in (_Plan(a, given) for a in self.algorithms) if not plan.obstacle]
                # Weighted algorithms are few, so they share the processes of unweighted ones.
                work += [(given, structure, half) for half in (plans[::2], plans[1::2]) if half]
        with ThreadPoolExecutor(max(1, cores() - 2)) as pool:
            list(pool.map(lambda item: self._compile(*item), work))
        self.say(f"kernels compiled in {time.perf_counter() - begin:.0f} s")

    def _compile(self, given: GraphInput, structure: str, plans: list[_Plan]) -> None:
        with WorkerProcess(self.options.device.kind) as process, tempfile.TemporaryDirectory() as folder:
            for plan in plans:
                process.ask(
                    120.0, **plan.ours(self.folder / given.name, structure, STATES[-1]), repeat=1, seconds=1.0,
                    out=f"{folder}/ours.npz",
                )  # fmt: skip

    def graphs(self, inputs: Mapping[str, Callable[[], GraphInput]]) -> Iterator[Cell]:
        folders = {name: self.folder / str(number) for number, name in enumerate(inputs)}
        prepared: dict[str, Future[GraphInput]] = {}
        for position, name in enumerate(inputs):
            for near in list(inputs)[position : position + 2]:
                if near not in prepared and not self._is_over():
                    prepared[near] = self.preparer.submit(_prepare, inputs[near], folders[near])
            if name not in prepared or self._is_over():
                labels = [analytic.label(**analytic.settings()) for analytic in self.algorithms]
                yield from (Cell(name, label, result=NO_TIME) for label in labels)
                continue
            try:
                given = prepared.pop(name).result()
            except Exception as error:  # a file that cannot be read must not end the run
                yield Cell(name, "", result=FAILED, detail=f"the graph: {type(error).__name__}: {error}")
                continue
            yield from self.graph(given, folders[name])

    def graph(self, given: GraphInput, folder: Path) -> Iterator[Cell]:
        """Yield the cells of a graph, which is stored in a folder."""
        options = self.options
        self.say(f"{given.name}: {given.num_vertices:,} vertices, {given.num_edges:,} edges")
        digests = {weighted: given.digest(weighted) for weighted in (False, True)}
        plans, answers = [], {}
        for analytic in self.algorithms:
            plan = _Plan(analytic, given)
            if plan.obstacle:
                yield Cell(given.name, plan.label, result=UNDEFINED, detail=plan.obstacle)
                continue
            answer, peer = self._ask_peers(plan, folder)
            yield self._peer_cell(plan, answer, peer)
            if answer.get("result") != NOT_OFFERED:
                plans.append(plan)
                answers[plan.label] = answer
        pending: list[Future[Cell]] = []
        for structure in options.structures:
            self.say(f"{given.name}: {structure}")
            for state in options.states:
                made: dict[bool, tuple[str, str]] = {}
                for plan in sorted(plans, key=lambda plan: plan.weighted):
                    cell = partial(Cell, given.name, plan.label, structure, state)
                    if self._is_over():
                        yield cell(result=NO_TIME)
                        continue
                    if plan.weighted not in made:
                        made[plan.weighted] = self._make(folder, structure, state, plan.weighted, digests)
                    result, detail = made[plan.weighted]
                    if result:
                        yield cell(result=result, detail=detail)
                        continue
                    pending.append(self._ours(plan, folder, structure, state, answers[plan.label]))
                    if not options.judges:
                        pending[-1].result()
                    yield from (each.result() for each in pending if each.done())
                    pending = [each for each in pending if not each.done()]
        yield from (each.result() for each in pending)
        for path in folder.iterdir():
            path.unlink()

    def _is_over(self) -> bool:
        return time.perf_counter() > self.end

    # ---- the peer library -------------------------------------------------------------------------------------------

    def _ask_peers(self, plan: _Plan, folder: Path) -> tuple[dict[str, Any], str]:
        """The answer of the first library that has an algorithm, and its name."""
        options, given = self.options, plan.given
        if self._is_over():
            return {"result": NO_TIME}, ""
        for peer in options.peers:
            smaller, edges = self.late.get((peer, plan.label), ("", 0))
            if smaller and given.num_edges >= edges:
                return {"result": LATE, "detail": f"{peer} in {options.limit:g} s on {smaller}, which is smaller"}, peer
            out = folder / f"{plan.label}.npz"
            answer = self.theirs.ask(
                options.limit, **plan.theirs(folder, peer), repeat=options.repeat, seconds=options.seconds, out=str(out)
            )
            if answer.get("absent"):
                continue
            if "late" in answer:
                self.late[peer, plan.label] = given.name, given.num_edges
                self.say(f"{given.name}: {peer}: {plan.label} did not end in {options.limit:g} s")
                return {"result": LATE, "detail": f"{peer} in {options.limit:g} s"}, peer
            if "error" in answer:
                self.say(f"{given.name}: {peer}: {plan.label}: {answer['error']}")
                return {"result": FAILED, "detail": f"{peer}: {answer['error']}"}, peer
            return {**answer, "out": str(out), "against": f"{peer} {answer['version']}"}, peer
        return {"result": NOT_OFFERED, "detail": f"by {', '.join(options.peers)}"}, ""

    def _peer_cell(self, plan: _Plan, answer: dict[str, Any], peer: str) -> Cell:
        """The cell of the peer library, without a structure if it lacks the algorithm."""
        cell = partial(Cell, plan.given.name, plan.label, peer, PEER if peer else "")
        if "result" in answer:
            return cell(result=answer["result"], detail=answer.get("detail", ""))
        return cell(
            result=MEASURED, detail=answer["note"], against=answer["against"], ms=median(answer["ms"]),
            wall_ms=tuple(answer["ms"]),
        )  # fmt: skip

    # ---- our side ---------------------------------------------------------------------------------------------------

    def _make(
        self, folder: Path, structure: str, state: str, weighted: bool, digests: dict[bool, int]
    ) -> tuple[str, str]:
        """Make a graph. Return the result and detail of its cells if it differs from the given one, else "" twice."""
        answer = self.mine.ask(
            MAKE_LIMIT_S, do="make", folder=str(folder), structure=structure, state=state, weighted=weighted
        )
        if "late" in answer:
            return LATE, f"{structure} was not made in {MAKE_LIMIT_S:g} s"
        if "error" in answer:
            return FAILED, f"{structure} was not made: {answer['error']}"
        same = answer["digest"] == digests[weighted]
        return ("", "") if same else (DIFFERS, f"{structure} does not contain the edges that it was given")

    def _ours(self, plan: _Plan, folder: Path, structure: str, state: str, theirs: dict[str, Any]) -> Future[Cell]:
        """Run an algorithm, and return its cell, once its result has been compared."""
        options = self.options
        cell = partial(Cell, plan.given.name, plan.label, structure, state)
        out = folder / f"{plan.label}-{structure}-{state}.npz"
        answer = self.mine.ask(
            options.limit, **plan.ours(folder, structure, state), repeat=options.repeat, seconds=options.seconds,
            out=str(out),
        )  # fmt: skip
        if "late" in answer or "error" in answer:
            detail = answer.get("error", f"{structure} in {options.limit:g} s")
            found: Future[Cell] = Future()
            found.set_result(cell(result=LATE if "late" in answer else FAILED, detail=detail))
            return found
        if "out" not in theirs:  # structures are compared with each other
            theirs |= {"out": str(out), "against": f"{structure}, {state}", "rounding": 0.0, "kept": str(out)}
        cell = partial(
            cell, against=theirs["against"], ms=median(answer["ms"]), wall_ms=tuple(answer["ms"]),
            theirs_ms=median(theirs["ms"]) if "ms" in theirs else None,
        )  # fmt: skip
        return self.pool.submit(self._judge, plan, folder, out, theirs, cell)

    def _judge(self, plan: _Plan, folder: Path, out: Path, theirs: dict[str, Any], cell: Any) -> Cell:
        """Compare a result with theirs, in a thread that owns a process."""
        judge = self.judges.pop()
        try:
            answer = judge.ask(
                JUDGE_LIMIT_S, do="judge", folder=str(folder), algorithm=plan.analytic.name, settings=plan.settings,
                weighted=plan.weighted, ours=str(out), theirs=theirs["out"], rounding=theirs["rounding"],
            )  # fmt: skip
        finally:
            self.judges.append(judge)
        if theirs.get("kept") != str(out):
            out.unlink()
        if "agrees" not in answer:
            return cell(result=FAILED, detail=f"the comparison: {answer.get('error', 'it did not end')}")
        if not answer["agrees"]:
            return cell(result=DIFFERS, detail=answer["text"])
        if "result" in theirs:
            return cell(result=NO_ANSWER, detail=f"{theirs['result']}: {theirs['detail']}; ours: {answer['text']}")
        return cell(result=AGREES, detail=answer["text"])


class _Plan:
    """An algorithm and its parameters on a graph."""

    def __init__(self, analytic: Analytic, given: GraphInput):
        self.analytic, self.given = analytic, given
        needed = analytic.weights in ("expected", "required")
        self.weighted = given.weights is not None and (needed or (analytic.weights == "optional" and given.own_weights))
        self.settings = with_sources(analytic.settings(source=given.hub), np.arange(given.num_vertices))
        self.label = analytic.label(**self.settings)
        self.obstacle = ""
        if given.directed and analytic.directions == "refused":
            self.obstacle = "it is defined for undirected graphs"
        elif given.weights is None and analytic.weights == "required":
            self.obstacle = "it needs a graph with weights"
        elif not given.num_vertices:
            self.obstacle = "the graph has no vertices"

    def _request(self, do: str, folder: Path) -> dict[str, Any]:
        return {
            "do": do, "folder": str(folder), "weighted": self.weighted, "algorithm": self.analytic.name,
            "settings": self.settings,
        }  # fmt: skip

    def ours(self, folder: Path, structure: str, state: str) -> dict[str, Any]:
        return self._request("ours", folder) | {"structure": structure, "state": state}

    def theirs(self, folder: Path, peer: str) -> dict[str, Any]:
        directed = self.given.directed and self.analytic.directions == "followed"
        return self._request("theirs", folder) | {"peer": peer, "directed": directed}


def _prepare(make: Callable[[], GraphInput], folder: Path) -> GraphInput:
    given = make()
    given.save(folder)
    return given
