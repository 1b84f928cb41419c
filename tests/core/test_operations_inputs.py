"""Accepted forms of batches: any array, of any library, of any integer type."""

import numpy as np
import pytest
from model import Model, assert_same, make, to_host

from frontier.runtime import gpu_available

SRC, DST = [0, 3, 1, 2, 4, 3], [1, 0, 2, 2, 1, 4]
WEIGHTS = [2, 3, 5, 7, 11, 13]
IDS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4", ">i8"]


class OnlyArray:
    """Has `__array__` and nothing else."""

    def __init__(self, values):
        self._array = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self._array if dtype is None else self._array.astype(dtype)


class OnlyDLPack:
    """Has only the methods that DLPack requires, as tensors of other libraries do."""

    def __init__(self, values):
        self._array = np.asarray(values)

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class OnlyCuda:
    """Has `__cuda_array_interface__` and nothing else."""

    def __init__(self, array):
        self._array = array

    @property
    def __cuda_array_interface__(self):
        return self._array.__cuda_array_interface__


def _pandas(values):
    pandas = pytest.importorskip("pandas")
    return pandas.Series(values, index=range(100, 100 + len(values)))


def _pandas_nullable(values):
    pandas = pytest.importorskip("pandas")
    return pandas.Series(values, dtype="Int64" if all(isinstance(v, int) for v in values) else "Float64")


def _pandas_column(values):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"a": values, "b": [0.5] * len(values)})["a"]


def _pandas_index(values):
    return pytest.importorskip("pandas").Index(values)


def _arrow(values):
    return pytest.importorskip("pyarrow").array(values)


def _arrow_chunks(values):
    arrow = pytest.importorskip("pyarrow")
    return arrow.chunked_array([values[:2], values[2:]])


def _arrow_column(values):
    arrow = pytest.importorskip("pyarrow")
    return arrow.table({"a": values})["a"]


def _strided(values):
    return np.repeat(np.asarray(values), 3)[::3]


def _reversed(values):
    return np.asarray(values)[::-1].copy()[::-1]


def _read_only(values):
    array = np.asarray(values)
    array.flags.writeable = False
    return array


def _misaligned(values):
    array = np.asarray(values)
    return np.frombuffer(b"x" + array.tobytes(), array.dtype, offset=1)


def _column(values):
    return np.asarray([values, values]).T[:, 1]


def _cupy(values):
    if not gpu_available():  # CuPy may be installed all the same
        pytest.skip("there is no GPU")
    import cupy

    return cupy.asarray(values)


def _cuda(values):
    return OnlyCuda(_cupy(values))


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "numpy": np.asarray,
    "strided": _strided,
    "reversed": _reversed,
    "column": _column,
    "read-only": _read_only,
    "misaligned": _misaligned,
    "pandas": _pandas,
    "pandas nullable": _pandas_nullable,
    "pandas column": _pandas_column,
    "pandas index": _pandas_index,
    "arrow": _arrow,
    "arrow chunks": _arrow_chunks,
    "arrow column": _arrow_column,
    "__array__": OnlyArray,
    "__dlpack__": OnlyDLPack,
    "cupy": pytest.param(_cupy, marks=pytest.mark.gpu),
    "__cuda_array_interface__": pytest.param(_cuda, marks=pytest.mark.gpu),
}


@pytest.fixture(params=list(CONTAINERS.values()), ids=list(CONTAINERS))
def container(request):
    return request.param


def test_containers(structure, device, container):
    """Containers of ids, in every call that accepts them."""
    wrap = container
    graph = structure.from_edges(wrap(SRC), wrap(DST), device=device)
    model = Model(5)
    model.insert_edges(SRC, DST)
    assert_same(graph, model)
    graph.delete_edges(wrap(SRC[:2]), wrap(DST[:2]))
    model.delete_edges(SRC[:2], DST[:2])
    graph.insert_edges(wrap([0, 1]), wrap([4, 3]))
    model.insert_edges([0, 1], [4, 3])
    assert_same(graph, model)
    assert to_host(graph, graph.has_edges(wrap([0, 0]), wrap([4, 1]))).tolist() == [True, False]
    assert to_host(graph, graph.has_vertices(wrap([0, 5]))).tolist() == [True, False]
    graph.delete_vertices(wrap([1, 2]))
    model.delete_vertices([1, 2])
    graph.insert_vertices(wrap([2, 6]))
    model.insert_vertices([2, 6])
    assert_same(graph, model)


def test_containers_of_weights(structure, device, container):
    if not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no weights")
    values = [float(w) for w in WEIGHTS]
    graph = structure.from_edges(SRC, DST, container(values), device=device)
    model = Model(5, weight_dtype="float64")
    model.insert_edges(SRC, DST, values)
    graph.insert_edges([0, 1], [4, 3], container([0.25, -1.0]))
    model.insert_edges([0, 1], [4, 3], [0.25, -1.0])
    assert_same(graph, model)


@pytest.mark.parametrize("dtype", IDS)
def test_id_dtypes(structure, device, dtype):
    pair = make(structure, device, np.array(SRC, dtype), np.array(DST, dtype))
    pair.delete(np.array([0], dtype), np.array([1], dtype))
    pair.insert(np.array([0], dtype), np.array([4], dtype))
    pair.check()


@pytest.mark.parametrize(("src_dtype", "dst_dtype"), [("int32", "int64"), ("uint8", "int32"), ("uint64", "int64")])
def test_unlike_id_dtypes(structure, device, src_dtype, dst_dtype):
    make(structure, device, np.array(SRC, src_dtype), np.array(DST, dst_dtype)).check()


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_weight_dtypes(structure, device, dtype):
    pair = make(structure, device, SRC, DST, np.array(WEIGHTS, dtype))
    assert pair.graph.weight_dtype == dtype
    pair.check()


def test_ranges(structure, device):
    make(structure, device, range(10), range(1, 11)).check()


def test_rows_of_one_array(structure, device, rng):
    """The two rows or columns of an edge list, which are views into it."""
    edges = rng.integers(0, 20, (50, 2))
    make(structure, device, edges[:, 0], edges[:, 1]).check()
    make(structure, device, *edges.T.copy()).check()


def test_the_same_array_twice(structure, device):
    ids = np.arange(5)
    pair = make(structure, device, ids, ids)
    assert pair.graph.num_edges == 0
    pair.check()
