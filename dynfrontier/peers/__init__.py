"""Other graph libraries behind one interface, for comparisons: each is a module with a class `Peer`.

A peer has no method for a task that its library lacks (see `peers.base`).
"""

from __future__ import annotations

import importlib
import importlib.util

from .base import TASKS, BasePeer, Task, with_sources

PEERS = {
    "cugraph": ("cugraph_peer", "pylibcugraph"),
    "igraph": ("igraph_peer", "igraph"),
    "networkit": ("networkit_peer", "networkit"),
    "scipy": ("scipy_peer", "scipy"),
    "networkx": ("networkx_peer", "networkx"),
}
"""For each peer its module here and the package that it needs. The first that can do a task is asked first."""
NEED_GPU = ("cugraph",)
SLOW = {"networkx": 2**17}  # peers that are asked on larger graphs, by edges, only if they are named

__all__ = [
    "PEERS", "SLOW", "TASKS", "BasePeer", "Task", "check_peer", "is_installed", "load_peer", "usable_peers",
    "with_sources",
]  # fmt: skip


def is_installed(name: str) -> bool:
    """Return whether a peer's library is installed."""
    return importlib.util.find_spec(PEERS[name][1]) is not None


def usable_peers(on_gpu: bool) -> list[str]:
    """The installed peers, best first. Peers that need a GPU are included only if one exists."""
    return [name for name in PEERS if is_installed(name) and (on_gpu or name not in NEED_GPU)]


def check_peer(name: str) -> None:
    """Raise ValueError if no peer has this name, and ImportError if its package is not installed."""
    if name not in PEERS:
        raise ValueError(f"there is no peer {name!r}; choose one of {', '.join(PEERS)}")
    _, package = PEERS[name]
    if not is_installed(name):
        raise ImportError(f"peer {name!r} needs the package {package}, which is not installed", name=package)


def load_peer(name: str) -> BasePeer:
    """A peer, ready to build graphs. See `check_peer`."""
    check_peer(name)
    return importlib.import_module(f"{__name__}.{PEERS[name][0]}").Peer()
