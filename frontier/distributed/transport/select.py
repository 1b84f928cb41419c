"""The choice of a transport: a file for each library, imported on request.

Workers meet in two steps, so whatever started them can carry the necessary facts. Each makes an `offer`. With the
offers of all, in order of their ranks, they `meet`.
"""

from __future__ import annotations

from typing import Any

from frontier.core.arguments import one_of

from .communicator import Communicator

TRANSPORTS = ("nccl", "ucxx")


def offer(transport: str, rank: int) -> tuple[Any, Any]:
    """Return the facts that other workers need about this one, and an object that it stores until they meet."""
    one_of(transport, "transport", TRANSPORTS)
    if transport == "nccl":
        from .nccl import unique_id

        return unique_id() if rank == 0 else None, None
    from .ucxx import Listener

    listener = Listener()
    return listener.offer, listener


def meet(transport: str, rank: int, offers: list[Any], hosts: list[str], own: Any) -> Communicator:
    """Return this worker's communicator, from the offers and hosts of all, and the object from `offer`."""
    if transport == "nccl":
        from .nccl import NcclCommunicator

        return NcclCommunicator(rank, len(offers), offers[0])
    return own.connect(rank, hosts, offers)
