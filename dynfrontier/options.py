"""Options that several commands share, and what they are turned into."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import fail, user_errors

if TYPE_CHECKING:
    import frontier as fr

File = Annotated[
    Path, typer.Argument(help="A graph file: SNAP text, Matrix Market, CSV, LDBC, Parquet; also compressed.")
]
StructureName = Annotated[
    str | None, typer.Option("--structure", "-s", help="Graph structure; see `dynfrontier structures`.")
]
DeviceName = Annotated[str, typer.Option("--device", "-d", help="auto, cpu or gpu.")]
Member = Annotated[str | None, typer.Option("--member", help="Which graph of an archive to read.")]
Columns = Annotated[
    str | None, typer.Option("--columns", help="Roles of the columns, such as 'src,dst,weight,time'; '-' skips one.")
]
PREFERRED = "slab"


def pick_structure(name: str | None) -> type[fr.DynamicGraph]:
    """The structure of this name; by default the one that is fastest on most streams."""
    import frontier as fr

    dynamic = {key: kind for key, kind in fr.structures().items() if issubclass(kind, fr.DynamicGraph)}
    if name is None:
        rest = [key for key in dynamic if key != "csr"]
        name = PREFERRED if PREFERRED in dynamic else (rest or list(dynamic))[0]
    if name not in dynamic:
        fail(f"there is no structure {name!r}; choose one of {', '.join(dynamic)}")
    return dynamic[name]


def pick_device(name: str) -> fr.Device:
    """The device of this name."""
    from frontier.runtime import resolve_device

    with user_errors(RuntimeError, ValueError):
        return resolve_device(name)


def column_roles(text: str | None) -> tuple[str | None, ...] | None:
    """The roles that ``--columns`` names."""
    return None if text is None else tuple(None if word in ("-", "") else word for word in text.split(","))


def read(file: Path, member: str | None, columns: str | None) -> fr.io.EdgeList:
    """The edges of a file, vertices numbered without gaps."""
    import frontier as fr

    with user_errors(fr.io.ParseError, OSError, ValueError, ImportError):
        return fr.io.read_edges(file, member=member, columns=column_roles(columns), compact=True)
