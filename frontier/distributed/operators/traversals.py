"""Levels of a search over partitions on GPUs: the host knows only sums over all partitions.

A push sends its output to the owners (`levels`), a pull exchanges a bit for each vertex (`pulls`). The sums that end a
level are the number of vertices and arcs of the next one, which decide between push and pull as on one device.

    level           exchanges                                     synchronizations of the host
    push            2: messages, sums                             1
    push of many    4: messages, sums, second messages, sums      2
    pull            2: bits of the frontier, sums                 1
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from frontier.core.arguments import one_of
from frontier.core.locking import workspace_of
from frontier.operators.advance import Functors, advance_kernels, check_functors, queue_pull
from frontier.operators.dispatch.gpu_balance import BALANCES, gpu_balance, launch_balanced
from frontier.operators.dispatch.kernels import A_TRUTH, check_op, functor_args
from frontier.operators.dispatch.signatures import OP_PARAMETERS
from frontier.operators.frontiers.frontier import Frontier

from ..exchange.levels import TOTALS, Columns, Level, follow_updates
from .frontiers import PartFrontier

if TYPE_CHECKING:
    from ..base import BasePart


class Levels:
    """Steps of one operator over the partitions of a graph, with their common preparation done once.

    The arrays of `columns` travel with reached vertices. `arrays` are all arrays by vertex. Pushes read other entries
    than the source's of `read`, pulls other entries than the destination's of `pulled`.
    """

    def __init__(
        self, graph: BasePart, functors: Functors, args: tuple, columns: Columns, arrays: list[Any], read: list[Any],
        pulled: list[Any], balance: str = "auto",
    ):  # fmt: skip
        one_of(balance, "balance", BALANCES)
        check_op(functors.op, "op", OP_PARAMETERS, args, A_TRUTH)
        check_functors(functors.condition, functors.prepare, args)
        for local in graph.locals():
            follow_updates(local)
        self.graph = graph
        self.local = graph.local
        self.functors = functors
        self.columns = columns
        self._arrays, self._read, self._pulled = arrays, read, pulled
        self._mail = graph.arrays.mail
        self._schedule = gpu_balance(balance)
        self._kernels: Any = None
        self._pull_kernels: Any = None

    def push(self, frontier: PartFrontier, args: tuple, total_arcs: int | None = None) -> tuple[PartFrontier, int, int]:
        """Run one push, and return the next frontier, the arcs that leave it on all partitions, and the size of
        `frontier`.

        `total_arcs` leave `frontier` on all partitions, if known.
        """
        graph, local, mail, functors = self.graph, self.local, self._mail, self.functors
        self.prepare(frontier)
        args = functor_args(local, functors.op, args)
        own: Any = frontier.local
        count, arcs, room = own._walk_length(), own._known_arcs(), local.num_vertices
        mail.begin(local, self.columns, count, most=total_arcs)
        stamps, epoch = workspace_of(local).next_stamps(local)
        reached = workspace_of(local).scratch.get("reached", room, local.vertex_dtype)
        if count:
            self._kernels = self._kernels or advance_kernels(local, functors, args, self._schedule)
            launch_balanced(
                self._kernels, "push", self._schedule, local, count, own._walk(),
                (stamps, epoch, reached, mail.reached, None), args, arcs,
            )  # fmt: skip
        most = 0 if not count else room if arcs is None else min(arcs, room)
        found = mail.deliver(local, self.columns, reached, most, stamps, epoch)
        made = PartFrontier.of_part(graph, Frontier._of(local, found.members, arcs=found.arcs))
        made._count = found.total
        return made, found.total_arcs, found.entered

    def prepare(self, frontier: PartFrontier) -> None:
        """Bring the arrays that pushes read up to date."""
        self.graph.arrays.before_edges(self._arrays, self._read, writes_few=not frontier.is_everyone)

    def send(self, reached: Any, entered: int) -> Level:
        """End a push that has reached these vertices, from `entered` ones (`Mail.send`)."""
        return self._mail.send(self.local, self.columns, reached, entered)

    def pull(self, frontier: PartFrontier, args: tuple) -> tuple[PartFrontier, int, int]:
        """Run one pull. The results are as in `push`."""
        graph, local, mail, functors = self.graph, self.local, self._mail, self.functors
        graph.arrays.sync(self._pulled)
        args = functor_args(local, functors.op, args)
        self._pull_kernels = self._pull_kernels or advance_kernels(local, functors, args)
        own: Any = frontier.local
        bits = graph.comm.allreduce(own._bitmap())
        mail.begin(local, self.columns, len(own))
        reached = queue_pull(local, graph.reverse.local, bits, functors, args, mail.numbers, self._pull_kernels)
        numbers = mail.sum_up()
        made = PartFrontier.of_part(graph, Frontier._of(local, bits=reached, size=numbers[0], arcs=numbers[1]))
        made._count = numbers[TOTALS]
        return made, numbers[TOTALS + 1], numbers[TOTALS + 3]


def search(
    levels: Levels, frontier: PartFrontier, args: Callable[[int, bool], tuple], *, may_pull: Callable[[int, int], bool],
    max_steps: int | None, max_arcs: int | None, before: Callable[[], None], after: Callable[[], None],
) -> int:  # fmt: skip
    """Run levels until the frontier is empty, and return their number.

    `args` returns the functors' arguments in a step, by its number and whether it is a pull. `may_pull` decides, by the
    numbers of members and arcs of the frontier, whether a pull is less work and equivalent. `before` and `after` are
    called around each step.
    """
    done = step = 0
    count, arcs = frontier._count, None
    while count != 0 and (max_steps is None or done < max_steps):
        if max_arcs is not None:
            arcs = frontier.num_arcs if arcs is None else arcs
            if arcs > max_arcs:
                break
        before()
        pulls = count is not None and arcs is not None and may_pull(count, arcs)
        given = args(step, pulls)
        frontier, arcs, entered = levels.pull(frontier, given) if pulls else levels.push(frontier, given, arcs)
        after()
        count = frontier._count
        step += 1
        done += entered > 0
    return done
