"""Small graphs of the shapes that matter: names, edges, number of vertices."""

import numpy as np

import frontier as fr

_rmat = fr.io.rmat(9, 8, seed=3)
_grid = fr.io.grid(20, 31)
_road = fr.io.road_like(400, seed=2)
_clique = np.array([(i, j) for i in range(40) for j in range(i)], np.int64).T
_star = (np.zeros(3000, np.int64), np.arange(1, 3001))

GRAPHS = {
    "empty": (np.zeros(0, np.int64), np.zeros(0, np.int64), 5),
    "one-vertex": (np.zeros(1, np.int64), np.zeros(1, np.int64), 1),
    "one-edge": (np.array([3]), np.array([1]), 5),
    "path": (np.arange(299), np.arange(1, 300), 300),
    "clique": (_clique[0], _clique[1], 41),
    "star": (*_star, 3001),
    "wheel": (np.concatenate([_star[0], _star[1]]), np.concatenate([_star[1], np.roll(_star[1], 1)]), 3001),
    "rmat": (_rmat.src, _rmat.dst, _rmat.num_vertices),
    "grid": (_grid.src, _grid.dst, _grid.num_vertices),
    "road": (_road.src, _road.dst, _road.num_vertices),
}

KINDS = {
    "plain": {},
    "weights": {"weight_dtype": "float32"},
    "data": {"edge_data": {"value": "int32"}},
    "latest": {"time_unit": "s", "weight_dtype": "int64"},
    "first": {"time_unit": "s", "keep_time": "first", "weight_dtype": "int64"},
}
"""Options of graphs, by the records that they store."""
