"""Reading, generating, streaming and writing of edge lists.

A leaf of the project. It needs NumPy, SciPy, Numba and the standard library, and pyarrow for Parquet, Feather and
Arrow. It imports only `frontier.runtime`, to replace files and compile kernels.
"""

from frontier.runtime.atomic_file import replacing

from .columns import IgnoredColumnsWarning, ReaderWarning
from .edge_list import EdgeList
from .errors import ParseError
from .generators import grid, preferential_attachment, rmat, road_like, small_world, uniform
from .reader import read_edges
from .stream import EdgeStream, read_stream, stream_edges
from .tables import from_table
from .window import sliding_window
from .writer import write_edges

__all__ = [
    "EdgeList", "EdgeStream", "IgnoredColumnsWarning", "ParseError", "ReaderWarning", "from_table", "grid",
    "preferential_attachment", "read_edges", "read_stream", "replacing", "rmat", "road_like", "sliding_window",
    "small_world", "stream_edges", "uniform", "write_edges",
]  # fmt: skip
