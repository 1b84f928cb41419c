"""Distributed graphs on disk: a folder with a file for each partition, and a list of these files.

    graph.json               the properties of the graph, and the names of its files
    <name>-<partition>.npz        the local graph of a partition, as written by `Graph.save`

A graph is saved under new names, and the list is replaced last, in one step. Until then the folder contains the old
graph, as it does if a partition fails or a process is killed. Vertices have the same owners for any graph with the same
number of partitions, unless another rule was used (in format 1). On another number of workers, arcs go to their new
owners like batches.
"""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontier.core.structures import structure_class
from frontier.runtime.atomic_file import write_atomically

from ..exchange.agreement import all_or_none
from ..exchange.columns import declared_columns, edge_dtypes, own_records
from ..exchange.routing import OwnedArcs, route_by_target
from ..exchange.updates import Insertion

if TYPE_CHECKING:
    from ..base import BasePart
    from ..transport.communicator import Communicator

LIST = "graph.json"
FORMATS = 1, 2
"""Format 2 also has the length of the runs of vertices with one owner (`together`, as in `owners`), and the structure's
options. In format 1, every single vertex has an owner by its hash."""
FIELDS = {
    "format", "structure", "directed", "in_edges", "num_vertices", "num_arcs", "vertex_dtype", "weight_dtype", "files",
}  # fmt: skip
DATA_FIELDS = {"edge_data", "time_unit", "keep_time", "multi_edges"}  # of graphs with edge data


def save(part: BasePart, path: str | os.PathLike[str]) -> None:
    """Write the graph to a folder, which all workers reach by the same path.

    Raises an OSError that names the file. The folder retains its previous contents.
    """
    folder = Path(path)
    name = part.comm.gather_objects(uuid.uuid4().hex[:12])[0]
    names = [f"{name}-{rank}.npz" for rank in range(part.comm.size)]

    def write() -> None:
        folder.mkdir(parents=True, exist_ok=True)
        part.local.save(folder / names[part.comm.rank])

    def publish() -> None:
        if part.comm.rank:
            return
        text = {
            "format": FORMATS[-1], "together": part.partition.together, "structure": part.structure.name,
            "directed": part.directed, "in_edges": part.inward is not None, "num_vertices": part.num_vertices,
            "num_arcs": part.num_arcs, "options": {name: getattr(part.local, name) for name in part.store.options},
            "vertex_dtype": part.vertex_dtype.name,
            "weight_dtype": None if part.weight_dtype is None else part.weight_dtype.name, "files": names,
        }  # fmt: skip
        if part.edge_data is not None:
            columns = {name: dtype.name for name, dtype in declared_columns(part).items()}
            text |= {
                "edge_data": columns, "time_unit": part.time_unit, "keep_time": part.keep_time or "latest",
                "multi_edges": part.multi_edges,
            }  # fmt: skip
        write_atomically(folder / LIST, json.dumps(text, indent=1).encode(), durable=True)

    try:
        all_or_none(part, write)
        all_or_none(part, publish)
    except OSError:
        (folder / names[part.comm.rank]).unlink(missing_ok=True)
        raise
    if part.comm.rank == 0:
        for old in folder.glob("*-*.npz"):
            if old.name not in names:
                old.unlink(missing_ok=True)


def load(kind: type[BasePart], comm: Communicator, path: str | os.PathLike[str]) -> BasePart:
    """Load a graph that `save` has written, on the current number of workers."""
    folder = Path(path)
    facts = read_list(folder)
    files = facts["files"]
    names = ("directed", "in_edges", "weight_dtype", "vertex_dtype", *sorted(DATA_FIELDS & set(facts)))
    options = {name: facts[name] for name in names}
    part = kind(comm, structure_class(facts["structure"]), facts["num_vertices"], **options, **facts.get("options", {}))
    for first in range(0, len(files), comm.size):
        mine = first + comm.rank
        held = all_or_none(part, lambda at=mine: _read(part, folder, files, at))
        if len(files) == comm.size and facts.get("together", 0) == part.partition.together:
            part.local = held
        else:
            _hand_out(part, held)
    arcs = comm.reduce_numbers([part.local.num_arcs])[0]
    if arcs != facts["num_arcs"]:
        raise ValueError(f"{folder}: the files contain {arcs} arcs, but the list states {facts['num_arcs']}")
    part.commit(arcs)
    if part.inward is not None:
        _fill_inward(part)
    return part


def _fill_inward(part: BasePart) -> None:
    """Give a loaded graph its in-edges."""
    routed = route_by_target(part, OwnedArcs(*own_records(part.local), safe=False))
    all_or_none(part, lambda: Insertion(routed, resolved=True).apply(part, "inward", routed))
    if part.store.absent is not None:
        part.inward.delete_vertices(part.xp.flatnonzero(part.store.absent))


def read_list(folder: Path) -> dict[str, Any]:
    """Return the list of a folder's files. Raises OSError without one, and ValueError if `save` has not written it."""
    try:
        facts = json.loads((folder / LIST).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{folder / LIST} is not a list of a graph's files: {error}") from None
    fields = set(facts) - {"together", "options"} if isinstance(facts, dict) else set()
    if fields not in (FIELDS, FIELDS | DATA_FIELDS) or facts["format"] not in FORMATS:
        raise ValueError(f"{folder / LIST} is not a list of a graph's files of format {' or '.join(map(str, FORMATS))}")
    return facts


def _read(part: BasePart, folder: Path, files: list[str], at: int) -> Any:
    """Return the local graph in file `at`, or None behind the last."""
    if at >= len(files):
        return None
    name = files[at]
    if not isinstance(name, str) or Path(name).name != name:
        raise ValueError(f"{folder / LIST} names {name!r}, which is not a file of the folder")
    held = type(part.local).load(folder / name, device=part.device)
    facts = ("directed", "num_vertices", "weight_dtype", "time_unit", "keep_time", "multi_edges")
    if any(getattr(held, fact) != getattr(part.local, fact) for fact in facts) or edge_dtypes(held) != part.edge_dtypes:
        raise ValueError(f"{folder / name} is not a partition of the graph in {folder}")
    return held


def _hand_out(part: BasePart, held: Any) -> None:
    """Send the arcs of a local graph to their owners among the current partitions."""
    xp, comm = part.xp, part.comm
    held = part.new_local() if held is None else held
    src, dst, columns = own_records(held)
    order, counts = part.partition.by_owner(src)
    arrays = [array[order] for array in (src, dst, *columns.values())]
    (u, v, *values), _ = comm.alltoallv_columns(arrays, counts, comm.exchange_counts(counts))
    arcs = OwnedArcs(u, v, dict(zip(columns, values, strict=True)), safe=False)
    all_or_none(part, lambda: Insertion(arcs, resolved=True).apply(part, "local", arcs))
    gone = xp.zeros(part.num_vertices, xp.int32) if held.absent_mask is None else held.absent_mask.astype(xp.int32)
    gone = comm.allreduce(gone, "max")
    if part.local.absent_mask is None and bool(gone.any()):
        part.local.delete_vertices(xp.flatnonzero(gone))
