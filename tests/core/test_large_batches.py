"""Large batches on a CPU: the result of several threads equals the result of one, down to the slots."""

import numpy as np
import pytest
from concurrency import run
from model import make

PROGRAM = """
    import hashlib
    import numpy as np
    import frontier as fr
    import structures

    n, size = 3000, 50_000
    rng = np.random.default_rng(7)
    for name in ("slab", "hornet", "gpma", "lpma"):
        graph = fr.structures()[name](n, directed=True, device="cpu", weight_dtype="float32")
        found = []
        for _ in range(3):
            src, dst = rng.integers(0, n, (2, size))
            src[: size // 3] = rng.integers(0, 9, size // 3)  # hubs, and duplicates
            found.append(graph.insert_edges(src, dst, rng.random(size, np.float32)))
            found.append(graph.delete_edges(dst[::2], src[::2]))
            found.append(graph.has_edges(src, dst).sum())
        arrays = [graph.find_edges(src, dst), *graph.to_coo()]
        text = hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()
        print(name, found, text)
"""


@pytest.mark.slow
def test_graphs_do_not_depend_on_the_number_of_threads():
    one, several = (run(PROGRAM, NUMBA_NUM_THREADS=str(threads)) for threads in (1, 3))
    assert one == several and one.count("\n") == 4


@pytest.mark.slow
@pytest.mark.parametrize("weight_dtype", [None, "float32"])
def test_a_large_batch_of_duplicates(structure, device, weight_dtype):
    """Each arc many times, some there already: the last one counts, and each is reported once."""
    n, size = 500, 40_000
    rng = np.random.default_rng(3)
    pair = make(structure, device, num_vertices=n, directed=True, weight_dtype=weight_dtype)
    for _ in range(2):
        src, dst = rng.integers(0, 60, (2, size))
        src[:4000] = 7  # a hub
        dst[:4000] = rng.integers(0, n, 4000)
        weights = None if weight_dtype is None else rng.random(size).astype(weight_dtype)
        pair.insert(src, dst, weights)
        pair.delete(src[::5], dst[::5])
    pair.check()
