"""``dynfrontier generate``: make graphs of known kinds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import err, guarded, say, user_errors
from ..outputs import check_outputs

if TYPE_CHECKING:
    from collections.abc import Callable

    import frontier as fr

generate = typer.Typer(
    help="Make a graph file.\n\nThe suffix sets the format: .txt, .csv, .tsv, .mtx (also .gz, .xz, .bz2), .parquet.",
    no_args_is_help=True,
)
Out = Annotated[Path, typer.Argument(help="The file to write.")]
Seed = Annotated[int, typer.Option(help="Equal seeds give equal graphs.")]


@generate.command()
@guarded
def rmat(
    out: Out,
    scale: Annotated[int, typer.Option(min=0, max=31, help="2**scale vertices.")] = 16,
    edge_factor: Annotated[float, typer.Option(min=0, help="Records for each vertex.")] = 16,
    seed: Seed = 1,
    permute: Annotated[bool, typer.Option("--permute", help="Number the vertices at random.")] = False,
) -> None:
    """A scale-free graph, as Graph500's.

    Example:

    - `dynfrontier generate rmat big.txt.gz --scale 18`
    """
    _make(out, lambda io: io.rmat(scale, edge_factor, seed=seed, permute=permute))


@generate.command()
@guarded
def uniform(
    out: Out,
    vertices: Annotated[int, typer.Option(min=0)] = 65536,
    edges: Annotated[int, typer.Option(min=0, help="Number of records.")] = 1048576,
    seed: Seed = 1,
) -> None:
    """Edges between uniformly random vertices.

    Example:

    - `dynfrontier generate uniform u.csv --vertices 1000 --edges 5000`
    """
    _make(out, lambda io: io.uniform(vertices, edges, seed=seed))


@generate.command()
@guarded
def grid(
    out: Out, rows: Annotated[int, typer.Option(min=0)] = 256, cols: Annotated[int, typer.Option(min=0)] = 256
) -> None:
    """A grid: large diameter, no triangles.

    Example:

    - `dynfrontier generate grid g.mtx --rows 100 --cols 100`
    """
    _make(out, lambda io: io.grid(rows, cols))


@generate.command()
@guarded
def road(out: Out, vertices: Annotated[int, typer.Option(min=0)] = 65536, seed: Seed = 1) -> None:
    """A network with the properties of a road network: large diameter, small degrees.

    Example:

    - `dynfrontier generate road r.txt`
    """
    _make(out, lambda io: io.road_like(vertices, seed=seed))


def _make(out: Path, maker: Callable[..., fr.io.EdgeList]) -> None:
    from frontier import io

    check_outputs(out=out)
    with user_errors(ValueError, OSError, ImportError):
        edges = maker(io)
        io.write_edges(out, edges)
    say(f"{out}: {len(edges):,} records, {edges.num_vertices:,} vertices", err)
