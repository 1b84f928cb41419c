"""Graphs to and from other libraries.

=================  ========================================  =====================================================
library            functions                                 vertices
=================  ========================================  =====================================================
NetworkX           `to_networkx`, `from_networkx`            nodes of any name. Deleted ids are no nodes
igraph             `to_igraph`, `from_igraph`                vertex v is id v, with names in ``vs["name"]``
SciPy, CuPy        `to_scipy`, `from_scipy`                  row v is id v
PyTorch Geometric  `to_pyg`, `from_pyg`                      node v is id v
..                 `to_pyg_hetero`, `from_pyg_hetero`        numbered by type
..                 `to_edge_index`, `from_edge_index`        node v is id v
..                 `sample_pyg`                              the sampled vertices
pandas, Polars,    `to_dataframe`, `from_dataframe`          vertices that edges name
Arrow, cuDF
cuGraph            `to_cugraph`, `from_cugraph`              named one by one. Deleted ids are no vertices
pylibcugraph       `to_pylibcugraph`, `from_pylibcugraph`    named one by one. Deleted ids are no vertices
=================  ========================================  =====================================================

The functions `from_...` make graphs of the structure that `structure=` names, ``"slab"`` by default. Self-loops are
dropped, and the last of several rows of an edge counts, also of parallel edges. If a library numbers vertices
without gaps, deleted ids become vertices without edges. Data on the GPU stays there, except for NetworkX and igraph.
Libraries are imported when a function first needs them, and named in an ImportError if they are missing.
"""

from .dataframe import FrameLibrary, data_frame, from_dataframe, to_dataframe
from .edge_index import from_edge_index, to_edge_index
from .igraph_graph import from_igraph, to_igraph
from .networkx_graph import from_networkx, to_networkx
from .pyg import from_pyg, to_pyg
from .pyg_hetero import from_pyg_hetero, to_pyg_hetero
from .pyg_sample import sample_pyg
from .rapids import from_cugraph, from_pylibcugraph, to_cugraph, to_pylibcugraph
from .scipy_matrix import from_scipy, to_scipy

__all__ = [
    "FrameLibrary", "data_frame", "from_cugraph", "from_dataframe", "from_edge_index", "from_igraph", "from_networkx",
    "from_pyg", "from_pyg_hetero", "from_pylibcugraph", "from_scipy", "sample_pyg", "to_cugraph", "to_dataframe",
    "to_edge_index", "to_igraph", "to_networkx", "to_pyg", "to_pyg_hetero", "to_pylibcugraph", "to_scipy",
]  # fmt: skip
