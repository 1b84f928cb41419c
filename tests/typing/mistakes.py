"""A user's script with a mistake in each marked line. `test_typing.py` checks that a type checker finds them."""

from __future__ import annotations

import dynfrontier
import frontier as fr
from algorithms import DynamicTriangleCount, bfs
from dynfrontier import Pipeline
from structures import CSR, GPMA, LPMA, SlabGraph

graph = SlabGraph(4, driected=True)  # mistake
GPMA(4, deletions="lazy")  # mistake
CSR(4, load_factor=0.7)  # mistake
graph.insert_edges([0], [1], on_existing=1)  # mistake
graph.insert_edge(0, 1)  # mistake
text: str = graph.delete_edges([0], [1])  # mistake
words: str = DynamicTriangleCount(graph).total  # mistake
print(fr.Frontier.all(graph).vertex)  # mistake
bfs(graph, 0, depth=3)  # mistake
fr.advance(graph, fr.Frontier.all(graph), len, way="push")  # mistake
SlabGraph.from_edges([0], [1], lod_factor=0.5)  # mistake
LPMA.from_edges([0], [1], method="locks")  # mistake
CSR.from_edges([0], [1], load_factor=0.7)  # mistake
Pipeline([], graph, batchsize=3)  # mistake
fr.SlidingWindow(graph, spans="10min")  # mistake
count: str = fr.advanced.random_bits(1, 2)  # mistake
fr.interchange.to_dataframe(graph, "dask")  # mistake
bfs(graph, 0).to_dataframe(library="dask")  # mistake
print(fr.interchange.from_pyg(None, structure=SlabGraph).load_factors)  # mistake
dynfrontier.recommend("edges.txt", batchsize=3)  # mistake
