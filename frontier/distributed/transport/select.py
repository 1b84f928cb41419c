"""What carries arrays between parts: a file for each library, imported when it is asked for.

Workers meet in two steps, so that whatever has started them can carry what they must know of each other: each makes an
`offer`, and with the offers of all, in order of their ranks, they `meet`.
"""

from __future__ import annotations

from typing import Any

from frontier.core.arguments import one_of

from .communicator import Communicator

TRANSPORTS = ("nccl", "ucxx")


def offer(transport: str, rank: int) -> tuple[Any, Any]:
    """What others must know of this worker, and what it keeps for itself until they meet."""
    one_of(transport, "transport", TRANSPORTS)
    if transport == "nccl":
        from .nccl import unique_id

        return unique_id() if rank == 0 else None, None
    from .ucxx import Listener

    listener = Listener()
    return listener.offer, listener


def meet(transport: str, rank: int, offers: list[Any], hosts: list[str], own: Any) -> Communicator:
    """The communicator of this worker, from what all workers have offered, on their hosts, and what `offer` kept
    here."""
    if transport == "nccl":
        from .nccl import NcclCommunicator

        return NcclCommunicator(rank, len(offers), offers[0])
    return own.connect(rank, hosts, offers)
