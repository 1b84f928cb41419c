"""Edge data: named columns with an entry for each edge, at an id that the edge keeps as long as it exists.

A graph with edge data stores ids where others store weights, so that structures need not know of it. Its weights are a
column like any other. Columns are growable arrays by id, of which both directions of an undirected edge, and the
in-edges of a directed graph, share an entry. Ids of deleted edges are given to new ones.

An insertion looks up the edges of the batch, finds the last record of each in a hash table, gives new ones an id, and
has the structure insert arcs whose weights are these ids. Then it writes the columns. A deletion frees ids alike.
If a structure can insert arcs and report which were there (`Store.insert_and_find`), nothing is looked up
before: each edge of the batch is given an id, and those that had one give theirs back. Nor is it before a deletion that
tells which arcs were there (`Store.erase_and_find`).

A graph may also keep every record of each edge (``multi_edges="all"``): these have ids and columns of their own
(`RecordTable`).
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
