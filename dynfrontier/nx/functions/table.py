"""`function`: adds a function to the backend, with its restrictions and the size from which a conversion pays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..dispatching import original
from ..holders import Unsupported

NEVER = 2**63
FEW = 500
"""The number of nodes from which algorithms of more than linear work, and iterations, are expected to be faster than
NetworkX's with the conversion included. NetworkX processes smaller graphs in milliseconds. Algorithms of linear work
never are: the conversion costs more."""


@dataclass(frozen=True)
class Function:
    """A function of the backend, with the signature of NetworkX's function.

    `run` accepts the graph, ``G``, and supported arguments. The remaining ones, `only`, must have NetworkX's defaults.
    `refuse` returns why the backend cannot run it, or None. Graphs with fewer than `least_nodes` are not worth a
    conversion. `undirected` functions refuse directed graphs. `parallel` ones accept parallel edges, as only the lowest
    weight counts.
    """

    name: str
    run: Callable[..., Any]
    refuse: Callable[..., str | None] | None
    least_nodes: int
    undirected: bool
    parallel: bool
    signature: inspect.Signature = field(init=False)
    only: dict[str, Any] = field(init=False)
    _taken: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        signature = inspect.signature(inspect.unwrap(original(self.name)))
        defaults = {name: known.default for name, known in signature.parameters.items()}
        taken = inspect.signature(self.run).parameters
        object.__setattr__(self, "signature", signature)
        object.__setattr__(self, "only", {name: value for name, value in defaults.items() if name not in taken})
        object.__setattr__(self, "_taken", {name: defaults[name] for name in taken})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it with arguments that `can_run` accepts."""
        given = dict(zip(self.signature.parameters, args, strict=False)) | kwargs
        return self.run(**{name: given.get(name, default) for name, default in self._taken.items()})

    def can_run(self, args: Any, kwargs: Any) -> bool | str:
        """True, or why the arguments are not supported."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            return str(error)
        bound.apply_defaults()
        given = bound.arguments
        graph = given["G"]
        if graph.is_multigraph() and not self.parallel:
            return "graphs with parallel edges are not supported"
        if self.undirected and graph.is_directed():
            return "directed graphs are not supported"
        for name, value in self.only.items():
            if given[name] is not value and (value is None or given[name] != value):
                return f"{name} must be {value!r}"
        for name in ("weight", "distance"):
            if callable(given.get(name)):
                return f"a function as {name} is not supported"
        for name in ("cutoff", "depth_limit"):
            if given.get(name) is not None and not isinstance(given[name], int | float):
                return f"{name} must be a number, not {type(given[name]).__name__}"
        return True if self.refuse is None else self.refuse(**given) or True


TABLE: dict[str, Function] = {}


def function(
    name: str = "", *, least_nodes: int = NEVER, undirected: bool = False, parallel: bool = False,
    refuse: Callable[..., str | None] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # fmt: skip
    """Add the decorated function to the table, under its own or another name of NetworkX's. See `Function`."""

    def add(run: Callable[..., Any]) -> Callable[..., Any]:
        key = name or run.__name__
        TABLE[key] = Function(key, run, refuse, least_nodes, undirected, parallel)
        return run

    return add


@contextmanager
def refused(*errors: type[Exception]) -> Iterator[None]:
    """Turn these errors into `Unsupported`: NetworkX may have an answer for the graph."""
    try:
        yield
    except errors as error:
        raise Unsupported(str(error)) from error


def without_loops(mirror: Any, what: str) -> None:
    """Raise Unsupported if the graph has self-loops: NetworkX's `what` counts them, structures do not have them."""
    if mirror.loops:
        raise Unsupported(f"{what} of graphs with self-loops is not supported")


def seed_of(generator: Any) -> int:
    """Draw a seed from the generator, Python's or NumPy's, that NetworkX makes of its argument `seed`."""
    if hasattr(generator, "getrandbits"):
        return generator.getrandbits(31)
    return int(generator.randint(0, 2**31 - 1))
