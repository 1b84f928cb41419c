"""Graph files that were changed at random with knowledge of the format, and the allowed outcomes.

``python fuzz_files.py STRUCTURE DEVICE SEED COUNT FOLDER`` tries COUNT of them in a separate process.
"""

from __future__ import annotations

import copy
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from graph_files import pack, unpack

import frontier as fr
from algorithms import bfs
from frontier import Graph
from frontier.core.invariants import check_graph

DTYPES = ["int8", "uint8", "int32", "uint32", "int64", ">i4", ">i8", "float32", "float64", "bool", "O", "<U3"]
NUMBERS = [0, 1, -1, -2, 2, 3, 31, 32, 63, 2**31 - 1, 2**31, -(2**31), 2**32 + 1, 2**62, 2**63 - 1, -(2**63)]
SCALARS = [*NUMBERS, 10**18, 10**30, 1.5, -0.5, 1e308, True, None, "", "csr", "int64", [], [0, 1], [0.5, 0.9], {}]


def files(structure: Any, device: str, folder: Path) -> list[Path]:
    """Files of graphs of the shapes that matter, each after updates of all kinds."""
    rng = np.random.default_rng(3)
    paths = []
    for number, (directed, weighted) in enumerate([(False, None), (True, None), (False, "float32"), (True, "float32")]):
        weights = None if weighted is None else rng.integers(1, 9, 400).astype(weighted)
        graph = structure.from_edges(
            *rng.integers(0, 60, (2, 400)), weights, num_vertices=400, directed=directed, device=device
        )
        star = np.arange(1, 381)  # a hub, which has its own pages, blocks and slabs
        graph.insert_edges(np.zeros(380, int), star)
        graph.delete_edges(*rng.integers(0, 60, (2, 600)))
        graph.delete_vertices([3, 17, 41])
        graph.insert_vertices([17])
        graph.insert_edges(*rng.choice([v for v in range(60) if v not in (3, 41)], (2, 50)))
        paths.append(folder / f"good{number}.npz")
        graph.save(paths[-1])
    structure(5, device=device).save(folder / "empty.npz")
    return [*paths, folder / "empty.npz"]


def mutate(rng: np.random.Generator, header: dict[str, Any], arrays: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A header and arrays, mostly with one change, or with up to three."""
    header, arrays = copy.deepcopy(header), dict(arrays)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        name = str(rng.choice(list(arrays))) if arrays else None
        kind = rng.integers(0, 12)
        if kind == 0 or name is None:
            place = header if rng.integers(2) or not header["scalars"] else header["scalars"]
            place[str(rng.choice(list(place)))] = SCALARS[rng.integers(len(SCALARS))]
            if not isinstance(header.get("scalars"), dict):
                break
        elif kind == 1:
            place = header["scalars"] if header["scalars"] and rng.integers(2) else header
            numbers = [key for key, value in place.items() if type(value) is int]
            if numbers:
                place[str(rng.choice(numbers))] += int(rng.integers(-3, 4))
        elif kind == 2:
            arrays[name] = _resized(rng, arrays[name])
        elif kind == 3 and rng.integers(4) == 0:
            if rng.integers(2):
                del arrays[name]
            else:
                arrays[f"{name}2"] = arrays[name]
        elif kind == 3:
            with np.errstate(invalid="ignore"):
                arrays[name] = arrays[name].astype(DTYPES[rng.integers(len(DTYPES))])
        else:
            arrays[name] = _touched(rng, arrays[name])
    return header, arrays


def _resized(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    way = rng.integers(5)
    if way == 0:
        return array[: rng.integers(0, len(array) + 1)] if array.ndim else array
    if way == 1:
        return np.concatenate([array, array])
    if way == 2:
        return array.reshape(-1)
    if way == 3:
        return np.asfortranarray(np.stack([array, array]))
    return np.concatenate([array, array[: rng.integers(0, 4)]])


def _touched(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    """An array with some elements changed: to any number, to one nearby, or to another element."""
    if not array.size or array.dtype.kind not in "iufb":
        return array
    flat = array.copy().reshape(-1)
    used = np.flatnonzero(flat > 0) if rng.integers(2) else np.arange(flat.size)
    places = rng.choice(used if used.size else np.arange(flat.size), rng.integers(1, 4))
    for place in places:
        way = rng.integers(5)
        if flat.dtype == bool:
            flat.view(np.uint8)[place] = rng.integers(0, 256)
        elif way == 0:
            flat[place] = np.array(NUMBERS[rng.integers(len(NUMBERS))]).astype(flat.dtype)
        elif way == 1:
            flat[place : place + 1] += flat.dtype.type(rng.integers(1, 5))
        elif way == 2:
            flat[place] = rng.choice(flat)
        elif way == 3:
            other = rng.choice(places)
            flat[place], flat[other] = flat[other], flat[place]
        elif flat.dtype.kind in "iu":
            flat[place] ^= flat.dtype.type(1) << flat.dtype.type(rng.integers(0, 8 * flat.itemsize - 1))
        else:
            flat[place] = np.nan
    return flat.reshape(array.shape)


def use(graph: Graph, rng: np.random.Generator) -> None:
    """Call functions through which kernels read all of a graph's arrays. It must stay a graph."""
    present = np.flatnonzero(graph.device.to_host(graph.has_vertices(np.arange(graph.num_vertices))))
    if not present.size or graph.num_vertices > 1 << 20:
        return
    bfs(graph, int(present[0]))
    src, dst = rng.choice(present, (2, 64))
    graph.has_edges(src, dst)
    before = graph.num_edges
    graph.insert_edges(src, dst)
    graph.insert_edges(np.full(present.size, present[-1]), present)
    graph.delete_edges(*rng.choice(present, (2, 300)))
    graph.to_csr()
    graph.delete_vertices(present[:2])
    graph.insert_vertices(2)
    graph.compact()
    src, dst, _ = graph.to_coo()
    graph.delete_edges(src, dst)
    assert graph.num_edges == 0 <= before
    check_graph(graph)


def attempt(path: Path, rng: np.random.Generator, device: str) -> bool:
    """Load a file and use the graph, or expect an error that names the file. Return whether it was loaded."""
    try:
        graph = fr.Graph.load(path, device=device)
    except ValueError as error:
        assert path.name in str(error), error
        return False
    use(graph, rng)
    return True


def campaign(structure: Any, device: str, seed: int, count: int, folder: Path) -> Counter[str]:
    """Try changed files, and return the numbers of refused and loaded ones."""
    rng = np.random.default_rng(seed)
    good = [unpack(path) for path in files(structure, device, folder)]
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        pack(folder / "changed.npz", *mutate(rng, *good[rng.integers(len(good))]))
        state = rng.bit_generator.state
        try:
            outcomes["loaded" if attempt(folder / "changed.npz", rng, device) else "refused"] += 1
        except BaseException:
            print("seed", seed, "state", state, flush=True)
            raise
    return outcomes


if __name__ == "__main__":
    from frontier.core.structures import structures

    name, device, seed, count, folder = sys.argv[1:]
    print(name, dict(campaign(structures()[name], device, int(seed), int(count), Path(folder))))
