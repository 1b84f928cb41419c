"""Edge data: named columns with an entry for each edge, at an id that the edge has as long as it exists.

A graph with edge data stores ids instead of weights, so structures need not know of it. Weights are a column like any
other. Columns are growable arrays by id. Both directions of an undirected edge, and the in-edges of a directed graph,
share an entry. New edges reuse the ids of deleted ones.

An insertion looks up the edges of the batch, finds the last row of each in a hash table, and allocates ids for new
edges. Then it inserts arcs with these ids as weights, and writes the columns. A deletion frees ids. If a structure
reports which arcs existed (`Store.insert_and_find`, `Store.erase_and_find`), nothing is looked up before: each edge of
the batch gets an id, and existing ones return theirs.

A graph may also store every record of each edge (``multi_edges="all"``), with separate ids and columns (`RecordTable`).
"""

from .columns import COLUMN_DTYPES, COUNT, MULTI, WEIGHT_COLUMN, EdgeData, column_arrays
from .results import RecordsResult
from .sums import add_rows, edge_runs, resolved_rows, summed_rows
from .updates import Rows, build_rows, delete_arcs, delete_rows, insert_rows, make_rows, with_weights

__all__ = [
    "COLUMN_DTYPES", "COUNT", "MULTI", "WEIGHT_COLUMN", "EdgeData", "RecordsResult", "Rows", "add_rows", "build_rows",
    "column_arrays", "delete_arcs", "delete_rows", "edge_runs", "insert_rows", "make_rows", "resolved_rows",
    "summed_rows", "with_weights",
]  # fmt: skip
