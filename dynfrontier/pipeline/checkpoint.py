"""Checkpoints: a folder with files of the graph, its names, and the further state of a pipeline.

A checkpoint writes graph and names to new files, and then replaces ``state.json``, which names them: whenever the
process is killed, the folder contains this checkpoint or the previous one. Old files are deleted last. The file of a
distributed graph is a folder with one file per partition.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontier.features.times.units import as_span
from frontier.graphs import Graph
from frontier.names import VertexNames
from frontier.runtime import Device
from frontier.runtime.atomic_file import write_atomically
from frontier.runtime.values import integer

if TYPE_CHECKING:
    from frontier.distributed import Engine

STATE = "state.json"
FORMAT = 1
USUAL_SECONDS = 60.0


class Checkpoints:
    """A pipeline's checkpoints in a folder, every `every` batches, or a time such as ``"30s"``. A minute by default."""

    def __init__(self, path: str | os.PathLike[str], every: Any = None):
        self.folder = Path(path)
        self._batches = integer(every, "every", 1) if isinstance(every, int) else None
        self._seconds = USUAL_SECONDS if every is None or self._batches else as_span(every, "every", "ns") / 1e9

    def is_due(self, batches: int, seconds: float) -> bool:
        """Whether a checkpoint is due, by batches and seconds since the last."""
        return batches >= self._batches if self._batches is not None else seconds >= self._seconds and batches > 0

    def check_new(self) -> None:
        """Raise FileExistsError if the folder contains a checkpoint, which a new pipeline would overwrite."""
        if (self.folder / STATE).exists():
            raise FileExistsError(
                f"checkpoint: {self.folder} contains a checkpoint; continue with Pipeline.resume, or delete it"
            )

    def save(self, graph: Graph, names: VertexNames | None, state: dict[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        number = f"{state['totals']['records']}-{state['totals']['batches']}"
        saved = {"graph": f"graph-{number}" if graph.in_parts else f"graph-{number}.npz"}
        if names is not None:
            saved |= {"names": f"names-{number}.npz", "names_device": names.device.kind}
        graph.save(self.folder / saved["graph"])
        if names is not None:  # may include names of rows that were read ahead
            names.save(self.folder / saved["names"])
        text = json.dumps({"format": FORMAT, **saved, **state}, indent=1)
        write_atomically(self.folder / STATE, text.encode(), durable=True)
        for kind in ("graph", "names"):
            for other in self.folder.glob(f"{kind}-*"):
                if other.name != saved.get(kind):
                    _delete(other)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink()


def load_checkpoint(
    path: str | os.PathLike[str], device: str | Device, engine: Engine | None = None
) -> tuple[Any, VertexNames | None, dict[str, Any]]:  # fmt: skip
    """Load the graph, for a `device` or, if distributed, an `engine`, the names and the state of the last checkpoint.

    TypeError for the wrong one of these, FileNotFoundError without a checkpoint, ValueError if it is damaged.
    """
    folder = Path(path)
    text = (folder / STATE).read_bytes()
    try:
        state = json.loads(text)
        known = state["format"] == FORMAT
        name, names = Path(state["graph"]).name, state.get("names")
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{folder / STATE} is no checkpoint of a pipeline: {error}") from None
    if not known:
        raise ValueError(f"{folder / STATE} has the format {state['format']!r}; this version reads {FORMAT}")
    graph = _load_graph(folder / name, device, engine)
    if names is None:
        return graph, None, state
    names_device = "cpu" if state.get("names_device", "cpu") == "cpu" else graph.device
    return graph, VertexNames.load(folder / Path(names).name, device=names_device), state


def _load_graph(path: Path, device: str | Device, engine: Engine | None) -> Any:
    if not path.is_dir():
        if engine is not None:
            raise TypeError("engine is for distributed graphs, and this checkpoint has a graph on one device")
        return Graph.load(path, device=device)
    if device != "auto":
        raise TypeError("device is for graphs on one device, and this checkpoint has a distributed graph: give engine")
    from frontier.distributed import DistributedGraph

    return DistributedGraph.load(path, engine=engine)
