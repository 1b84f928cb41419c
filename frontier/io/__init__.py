"""Reading, generating, streaming and writing of edge lists.

A leaf of the project: it needs NumPy, SciPy, Numba and the standard library, pyarrow only for Parquet, Feather and
Arrow, and of the other packages only how files are replaced and kernels are compiled (`frontier.runtime`).
"""

from frontier.io.columns import IgnoredColumnsWarning, ReaderWarning
from frontier.io.edge_list import EdgeList
from frontier.io.errors import ParseError
from frontier.io.generators import preferential_attachment, small_world, uniform
from frontier.io.lattices import grid, road_like
from frontier.io.reader import read_edges
from frontier.io.rmat import rmat
from frontier.io.stream import EdgeStream, read_stream, stream_edges
from frontier.io.tables import from_table
from frontier.io.window import sliding_window
from frontier.io.writer import write_edges
from frontier.runtime.atomic import replacing

__all__ = [
    "EdgeList",
    "EdgeStream",
    "IgnoredColumnsWarning",
    "ParseError",
    "ReaderWarning",
    "from_table",
    "grid",
    "preferential_attachment",
    "read_edges",
    "read_stream",
    "replacing",
    "rmat",
    "road_like",
    "sliding_window",
    "small_world",
    "stream_edges",
    "uniform",
    "write_edges",
]
