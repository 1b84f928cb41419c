"""Makes the backend known to NetworkX where no entry point does: in a checkout that is on the path, not installed."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import networkx as nx

from .dispatching import look_for_backends
from .info import DEFAULTS, NAME, get_info


def ensure_registered() -> None:
    """Register the backend; does nothing if NetworkX found it when it was imported."""
    known = nx.utils.backends
    if NAME in known.backends:
        return
    known.backends[NAME] = EntryPoint(NAME, "dynfrontier.nx.interface:backend", "networkx.backends")
    known.backend_info[NAME] = get_info()
    nx.config.backends = nx.utils.Config(**nx.config.backends, **{NAME: nx.utils.Config(**DEFAULTS)})
    look_for_backends()
