"""Operators with functors, as algorithms call them: their requests for CUDA kernels, by name."""

import importlib

import numpy as np
from compile_cases import bare_case, numbered_case

from frontier.operators.intersect import cuda_functors
from frontier.runtime.compile.kernels import C_TYPES

# By their modules' names, which the packages' functions hide.
advance_module = importlib.import_module("frontier.operators.advance")
launch_module = importlib.import_module("frontier.operators.dispatch.gpu_balance")
traverse_module = importlib.import_module("frontier.operators.traverse.traversal")
bfs_module = importlib.import_module("algorithms.bfs")
dynamic_module = importlib.import_module("algorithms.dynamic_triangle_count")
pagerank_module = importlib.import_module("algorithms.pagerank")
ranks_module = importlib.import_module("algorithms._pagerank_functors")
orientation = importlib.import_module("frontier.operators.orientation")
components_module = importlib.import_module("algorithms.connected_components")
dynamic_components_module = importlib.import_module("algorithms.dynamic_connected_components")
intersect_module = importlib.import_module("frontier.operators.intersect")
orientation_module = importlib.import_module("frontier.operators.orientation")
priority_module = importlib.import_module("frontier.operators.priority_frontier")
spmv_module = importlib.import_module("frontier.operators.spmv")
truss_module = importlib.import_module("algorithms.k_truss")
peeling_module = importlib.import_module("algorithms.edge_peeling")
dynamic_truss_module = importlib.import_module("algorithms.dynamic_k_truss")
sssp_module = importlib.import_module("algorithms.sssp")
mode_module = importlib.import_module("frontier.operators.neighbor_mode")
columns_module = importlib.import_module("frontier.operators.neighbor_columns")
tree_module = importlib.import_module("algorithms.shortest_path_tree")
distances_module = importlib.import_module("algorithms._distance_functors")

INT = np.dtype(np.int32)
OP = ("vertex", "vertex", "edge", "weight")


def total(src, dst, edge, weight, x):
    return weight * x[dst]


def large(v, x, low):
    return x[v] > low


def clear(v, x, low):
    x[v] = low


def advance_case(graph):
    functors, args = visit_functors(graph)
    return advance_module.advance_functors(functors), args, advance_module.advance_options(graph, functors)


def traverse_case(graph):
    functors, args = visit_functors(graph)
    return advance_module.advance_functors(functors), args, traverse_module.traverse_options((graph,), functors, 2)


def choosing_traverse_case(graph):
    functors, args = visit_functors(graph)
    options = traverse_module.traverse_options((graph,), functors, 2, chooses=True)
    return advance_module.advance_functors(functors), args, options


def visit_functors(graph):
    args = (np.zeros(1, np.int32), np.zeros(1, graph.vertex_dtype), np.int32(1))
    return advance_module.Functors(bfs_module._visit, bfs_module._unreached), args


def settle(v, x):
    x[v] = 0


def rises(src, dst, edge, weight, x):
    return x[src] < x[dst]


def pagerank_step_case(graph):
    args = (*(np.zeros(1) for _ in range(5)), np.zeros(1, np.float32), np.zeros(1), np.float64(0.85))
    return (("op", pagerank_module.next_rank, ("vertex",), np.dtype(np.float64)),), args, (
        ("REDUCE", "Sum"), ("RESULT", "double"))  # fmt: skip


def walk(dtype=np.float64):
    """The arguments that functors of `DynamicPageRank` have in common."""
    return *(np.zeros(1) for _ in range(5)), np.zeros(1, dtype), np.float64(0.85)


def push_ranks_case(graph):
    module = ranks_module
    functors = advance_module.Functors(module.push_weighted, None, module.push_vertex)
    args = np.float64(1e-9), np.float64(64), *walk(np.float32)
    return advance_module.advance_functors(functors), args, advance_module.advance_options(graph, functors)


def measure_ranks_case(graph):
    functor = (("op", ranks_module.measure_vertex, ("vertex", "column"), np.dtype(np.float64)),)
    return functor, walk(), (("REDUCE", "Sum"), ("RESULT", "double"), ("COLUMNS", "6"))


def step_of_ranks_case(graph):
    """The second functor of a step in a conjugate direction, which calls the first."""
    functor = (("op", ranks_module.step_vertex, ("vertex", "column"), np.dtype(np.float64)),)
    args = np.zeros(2), *walk(np.float32)
    return functor, args, (("REDUCE", "Sum"), ("RESULT", "double"), ("COLUMNS", "6"))


def edge_of_ranks_case(name, *arrays):
    def case(graph):
        op = getattr(ranks_module, name)
        args = (*(np.zeros(1, kind) for kind in arrays), np.bool_(True))
        return (("op", op, OP, None),), args, (("NO_OUTPUT", "1"), ("NO_LOOKUP", "1"))

    return case


def prepared_advance_case(graph):
    functors = advance_module.Functors(rises, None, settle)
    options = advance_module.advance_options(graph, functors)
    return advance_module.advance_functors(functors), (np.zeros(1, np.int64),), options


def scheduled_case(balance, output):
    """A push by one of the schedules, whose output is a set of vertices, a list, or edges."""

    def case(graph):
        functors = advance_module.Functors(rises, None, settle)
        options = advance_module.advance_options(graph, functors, balance, output)
        return advance_module.advance_functors(functors), (np.zeros(1, np.int64),), options

    return case


def both_ways_case(graph):
    """A traversal along out- and in-edges, with all that functors may be."""
    functors = advance_module.Functors(rises, may_rise, settle)
    options = traverse_module.traverse_options((graph, graph), functors, None)
    return advance_module.advance_functors(functors), (np.zeros(1, np.int64),), options


def may_rise(v, x):
    return x[v] < 9


def scheduled_traverse_case(graph):
    functors, args = visit_functors(graph)
    options = traverse_module.traverse_options((graph,), functors, 2, "merge")
    return advance_module.advance_functors(functors), args, options


def scheduled_reduce_case(balance):
    def case(graph):
        functors, args, options = reduce_case("Sum", np.float64)(graph)
        rest = tuple(option for option in options if option[0] != "TILE_SIZE")
        return functors, args, (*rest, *launch_module.balance_options(graph, balance))

    return case


def edges_case(result, *options):
    return lambda graph: ((("op", total, OP, result),), (np.zeros(1),), (("OF_EDGES", "1"), *options))


def plain_advance_case(graph):
    functors = advance_module.Functors(rises)
    options = advance_module.advance_options(graph, functors)
    return advance_module.advance_functors(functors), (np.zeros(1, np.int64),), options


def reduce_case(reduce, dtype, *options):
    def case(graph):
        functors = (("op", total, OP, np.dtype(np.int32 if dtype == np.bool_ else dtype)),)
        result = C_TYPES[np.dtype(dtype)]
        value = "int" if dtype == np.bool_ else result
        if reduce == "Combine":
            functors += (("combine", product, ("value", "value"), np.dtype(dtype)),)
        named = (("REDUCE", reduce), ("RESULT", result), ("VALUE", value), ("TILE_SIZE", "8"))
        return functors, (np.zeros(1, dtype),), (*named, *options)

    return case


def product(a, b):
    return a * b


def feature(src, dst, edge, weight, column, x):
    return weight * x[dst, column]


def columns_case(reduce, dtype, columns):
    """A reduction of matrices with this number of columns."""

    def case(graph):
        kind = np.dtype(dtype)
        functors = columns_module.column_functors(feature, reduce, kind)
        return functors, (np.zeros((1, columns), kind),), columns_module.column_options(reduce, kind, columns, 8)

    return case


def mode_case(dtype, score=None):
    kind = np.dtype(dtype)
    return lambda graph: (
        mode_module.mode_functors(total, score, kind), (np.zeros(1, kind),), mode_module.mode_options(score, kind)
    )  # fmt: skip


def preference(src, value, total, x):
    return total - x[value] if value != src else total / 2


def best_case(compare, dtype):
    """The second pass of argmin or argmax: the lowest id whose value is the best."""

    def case(graph):
        ids = C_TYPES[np.dtype(f"u{graph.vertex_dtype.itemsize}")]
        options = (("REDUCE", "Min"), ("RESULT", ids), ("VALUE", C_TYPES[np.dtype(dtype)]), ("BEST", compare),
                   ("TILE_SIZE", "8"))  # fmt: skip
        return (("op", total, OP, np.dtype(dtype)),), (np.zeros(1, dtype),), options

    return case


def visit_case(graph):
    functor = (("op", total, OP, INT),)
    return functor, (np.zeros(1, np.float64),), ()


def reduce_vertices_case(reduce, dtype):
    def case(graph):
        result = {np.float64: "double", np.int32: "int"}[dtype]
        functor = (("op", large, ("vertex",), np.dtype(dtype)),)
        return functor, (np.zeros(1, np.float64), np.float64(0)), (("REDUCE", reduce), ("RESULT", result))

    return case


def vertices_case(op, result):
    return lambda graph: ((("op", op, ("vertex",), result),), (np.zeros(1, np.float64), np.float64(0)), ())


def intersect_case(graph):
    functors, options = cuda_functors(dynamic_module._share, dynamic_module._credit, False)
    sums = np.zeros(1, np.int64)
    return functors, (np.zeros(1, np.uint8), np.uint8(1), np.int64(1), sums, sums), options


def mark_case(graph):
    functor = (("op", dynamic_module.set_mark, OP, None),)
    return functor, (np.zeros(1, np.uint8), np.uint8(1)), (("NO_OUTPUT", "1"),)


def pass_on_case(graph):
    functor = (("op", peeling_module._pass_on, ("vertex", "vertex", "vertex", "edge", "edge"), None),)
    numbers = np.zeros(1, np.int32)
    args = (numbers, numbers, np.int64(-1), np.int64(2), numbers, np.zeros(1, np.int64))
    return functor, args, (("HAS_OP", "1"),)


def list_sides_case(graph):
    functor = (("op", dynamic_truss_module._list_sides, ("vertex", "vertex", "vertex", "edge", "edge"), None),)
    return functor, (np.int64(1), np.zeros(1, np.int64), np.zeros(1, np.int64)), (("HAS_OP", "1"),)


def leave_case(graph):
    functors = advance_module.Functors(truss_module._leave)
    options = advance_module.advance_options(graph, functors)
    return advance_module.advance_functors(functors), (np.zeros(1, np.int64), np.int64(3)), options


def sample_case(graph):
    return (("op", components_module._link, OP, INT),), (np.zeros(1, graph.vertex_dtype),), ()


def weighted_sample_case(graph):
    return (*sample_case(graph)[:2], (("WEIGHTED", "1"),))


def typed_sample_case(graph):
    return (*sample_case(graph)[:2], (("TYPE", "i8"), ("WEIGHTED", "1")))


def join_case(graph):
    ids = np.zeros(1, graph.vertex_dtype)
    return (("op", dynamic_components_module._join, OP, INT),), (ids, ids, np.zeros(2, np.int64)), ()


def reattach_case(graph):
    functors = advance_module.advance_functors(advance_module.Functors(dynamic_components_module._reattach))
    args = (np.int64(9), np.zeros(1, graph.vertex_dtype), np.zeros(1, np.int32), *lists(graph))
    return functors, args, advance_module.advance_options(graph, advance_module.Functors(None))


def lists(graph):
    """Arguments of functors that list vertices."""
    return np.zeros(1, graph.vertex_dtype), np.zeros(1, np.int64), np.int64(1)


def attach_case(*walked):
    """Along the edges of an undirected graph, or both ways in a directed one."""
    graph = walked[0]
    functors = advance_module.advance_functors(advance_module.Functors(dynamic_components_module._attach_to_parent))
    ids = np.zeros(1, graph.vertex_dtype)
    args = (np.int64(1), np.int32(1), ids, np.zeros(1, np.int32), ids, np.zeros(4, np.int64))
    return functors, args, traverse_module.traverse_options(walked, advance_module.Functors(None), 1)


def rename_end_case(graph):
    functor = (("op", dynamic_components_module._rename_end, OP, INT),)
    largest, ids = graph.vertex_dtype.type(0), np.zeros(1, graph.vertex_dtype)
    forest = ids, ids, np.zeros(1, np.int32), ids, np.zeros(4, np.int64), *lists(graph)
    return functor, (largest, np.zeros(1, np.int64), *forest), (("NO_LOOKUP", "1"),)


def rename_case(graph):
    functor = (("op", dynamic_components_module._rename, ("vertex",), INT),)
    ids = np.zeros(1, graph.vertex_dtype)
    return functor, (ids, ids, np.zeros(1, np.int32), ids, np.zeros(4, np.int64)), ()


def form_case(graph):
    functor = (("op", dynamic_components_module._form_component, ("vertex",), INT),)
    ids = np.zeros(1, graph.vertex_dtype)
    return functor, (ids, ids, np.zeros(1, np.int32), ids, np.zeros(4, np.int64)), ()


def follow_case(graph):
    ids = np.zeros(1, graph.vertex_dtype)
    return (("op", dynamic_components_module._follow, ("vertex",), None),), (ids, ids), ()


def detach_case(graph):
    functor = (("op", dynamic_components_module._detach, ("vertex",), INT),)
    numbers = np.zeros(4, np.int64)
    return functor, (np.zeros(1, graph.vertex_dtype), np.zeros(1, np.int32), numbers, np.int64(9), numbers), ()


def compress_case(graph):
    functor = (("op", components_module._compress, ("vertex",), np.dtype(np.int64)),)
    return functor, (np.zeros(1, graph.vertex_dtype),), (("REDUCE", "Sum"), ("RESULT", "i64"))


def extract_case(graph):
    args = np.zeros(1, graph.vertex_dtype), np.int64(3)
    return (("op", orientation._goes_down, OP, INT),), args, (("HAS_OP", "1"),)


def supported_case(graph):
    functor = (("op", truss_module._is_supported, OP, INT),)
    args = (np.zeros(1, graph.vertex_dtype), np.zeros(1, np.int32), np.int64(1))
    return functor, args, (("HAS_OP", "1"),)


def rank_case(graph):
    functor = (("op", orientation_module._goes_up, OP, INT),)
    return functor, (np.zeros(1, graph.vertex_dtype),), (("HAS_OP", "1"),)


def product_case(op, *arrays):
    def case(graph):
        result = np.dtype(np.int32 if len(arrays) > 1 else np.float64)
        names = (("REDUCE", "Sum"), ("RESULT", C_TYPES[result]), ("VALUE", C_TYPES[result]), ("TILE_SIZE", "8"))
        return (("op", op, OP, result),), tuple(np.zeros(1, dtype) for dtype in arrays), names

    return case


CASES = {
    "advance": ("advance", advance_case),
    "traverse": ("traverse", traverse_case),
    "traverse-choosing": ("traverse", choosing_traverse_case),
    "traverse-both-ways": ("traverse", both_ways_case),
    "advance-plain": ("advance", plain_advance_case),
    "pagerank-step": ("reduce", pagerank_step_case),
    "pagerank-measure": ("reduce", measure_ranks_case),
    "dynamic-pagerank-step": ("reduce", step_of_ranks_case),
    "pagerank-add": ("visit_edges", edge_of_ranks_case("add_edge", np.float64, np.uint8)),
    "pagerank-remove": ("visit_edges", edge_of_ranks_case("remove_edge", np.float64, np.float64, np.float64)),
    "pagerank-push": ("advance", push_ranks_case),
    "advance-prepared": ("advance", prepared_advance_case),
    "sum-float64": ("neighbor_reduce", reduce_case("Sum", np.float64)),
    "min-float32": ("neighbor_reduce", reduce_case("Min", np.float32)),
    "max-int64": ("neighbor_reduce", reduce_case("Max", np.int64)),
    "argmin-float64": ("neighbor_reduce", best_case("<=", np.float64)),
    "columns-float32": ("neighbor_columns", columns_case("sum", np.float32, 64)),
    "mode-int32": ("neighbor_mode", mode_case(np.int32)),
    "mode-int32-score": ("neighbor_mode", mode_case(np.int32, preference)),
    "intersect-op": ("intersect", intersect_case),
    "intersect-count": ("intersect", bare_case()),
    "common-neighbors": ("intersect", bare_case(("HAS_MEMBERS", "1"))),
    "visit": ("visit_edges", visit_case),
    "visit-only": ("visit_edges", mark_case),
    "reduce-sum-float64": ("reduce", reduce_vertices_case("Sum", np.float64)),
    "reduce-min-int32": ("reduce", reduce_vertices_case("Min", np.int32)),
    "sample": ("sample_neighbors", sample_case),
    "sample-weighted": ("sample_neighbors", weighted_sample_case),
    "sample-typed": ("sample_neighbors", typed_sample_case),
    "components-join": ("visit_edges", join_case),
    "components-reattach": ("advance", reattach_case),
    "components-attach": ("traverse", attach_case),
    "components-attach-both-ways": ("traverse", lambda graph: attach_case(graph, graph)),
    "extract-op": ("extract", extract_case),
    "extract-all": ("extract", bare_case()),
    "match": ("match", bare_case()),
    "degrees": ("degrees", bare_case()),
    "truss-core": ("advance", leave_case),
    "truss-supported": ("extract", supported_case),
    "orientation-up": ("extract", rank_case),
    "orientation": ("orientation", bare_case()),
    "orientation-tally": ("orientation", bare_case(("HAS_TALLY", "1"))),
    "orientation-support": ("orientation", bare_case(("HAS_SUPPORT", "1"))),
    "priority": ("priority_frontier", bare_case(*priority_module.priority_options(INT, INT))),
    "product": ("neighbor_reduce", product_case(spmv_module._value, np.float32)),
    "truss-peel": ("intersect", pass_on_case),
    "truss-candidates": ("intersect", list_sides_case),
}
SNAPSHOT_CASES = {
    "product-weighted": ("neighbor_reduce", product_case(spmv_module._weighted_value, np.float64)),
    "product-scattered": ("neighbor_reduce", product_case(spmv_module._scatter, np.float32, np.float64)),
    "product-scattered-weighted": (
        "neighbor_reduce",
        product_case(spmv_module._weighted_scatter, np.float64, np.float64),
    ),
    "or-int32": ("neighbor_reduce", reduce_case("Or", np.int32)),
    "and-int64": ("neighbor_reduce", reduce_case("And", np.int64)),
    "any": ("neighbor_reduce", reduce_case("Any", np.bool_)),
    "all": ("neighbor_reduce", reduce_case("All", np.bool_)),
    "own-int32": ("neighbor_reduce", reduce_case("Combine", np.int32, ("HAS_COMBINE", "1"))),
    "own-int64": ("neighbor_reduce", reduce_case("Combine", np.int64, ("HAS_COMBINE", "1"))),
    "own-float32": ("neighbor_reduce", reduce_case("Combine", np.float32, ("HAS_COMBINE", "1"))),
    "own-float64": ("neighbor_reduce", reduce_case("Combine", np.float64, ("HAS_COMBINE", "1"))),
    "mode-int64": ("neighbor_mode", mode_case(np.int64)),
    "mode-int64-score": ("neighbor_mode", mode_case(np.int64, preference)),
    "column": ("neighbor_columns", columns_case("sum", np.float64, 1)),
    "columns-few": ("neighbor_columns", columns_case("max", np.int32, 3)),
    "columns-many": ("neighbor_columns", columns_case("min", np.float64, 128)),
    "columns-or": ("neighbor_columns", columns_case("or", np.int64, 100)),
    "columns-own": ("neighbor_columns", columns_case(product, np.float32, 16)),
    "argmax-int32": ("neighbor_reduce", best_case(">=", np.int32)),
    "components-rename": ("filter", rename_case),
    "components-rename-end": ("visit_edges", rename_end_case),
    "components-form": ("filter", form_case),
    "components-follow": ("compute", follow_case),
    "components-detach": ("filter", detach_case),
    "components-compress": ("reduce", compress_case),
    "advance-thread-list": ("advance", scheduled_case("thread", "list")),
    "advance-block": ("advance", scheduled_case("block", "set")),
    "advance-merge-edges": ("advance", scheduled_case("merge", "edges")),
    "advance-edges": ("advance", scheduled_case("tile", "edges")),
    "advance-nothing": ("advance", scheduled_case("tile", "nothing")),
    "traverse-merge": ("traverse", scheduled_traverse_case),
    "sum-thread": ("neighbor_reduce", scheduled_reduce_case("thread")),
    "sum-block": ("neighbor_reduce", scheduled_reduce_case("block")),
    "sum-merge": ("neighbor_reduce", scheduled_reduce_case("merge")),
    "filter-edges": ("filter", edges_case(INT)),
    "compute-edges": ("compute", edges_case(None)),
    "reduce-edges": ("reduce", edges_case(np.dtype(np.float64), ("REDUCE", "Sum"), ("RESULT", "double"))),
    "filter": ("filter", vertices_case(large, INT)),
    "compute": ("compute", vertices_case(clear, None)),
    "edge_support": ("edge_support", bare_case()),
    "priority-float64": ("priority_frontier", bare_case(("PRIORITY", "double"), ("SLOT", "i64"))),
    "intersect-numbered": ("intersect", numbered_case),
    "temporal-sample": ("frontier/features/temporal_sampling/sample_temporal_neighbors.cuh", bare_case()),
    "visit_common": ("visit_common", bare_case()),
    "intersect_arcs": ("intersect_arcs", bare_case()),
    "intersect_arcs-tally": ("intersect_arcs", bare_case(("HAS_TALLY", "1"))),
}


def distances_case(op, header, weight_dtype):
    """A functor of shortest paths, with the arguments that its algorithm hands it."""

    def case(graph):
        length = tree_module.unit_length if weight_dtype is None else tree_module.weight_length
        homes = (
            sssp_module, tree_module, distances_module, tree_module.tree_functors(length),
            distances_module.repair_functors(length),
        )  # fmt: skip
        function = next(getattr(home, op) for home in homes if hasattr(home, op))
        kind = np.dtype(weight_dtype or np.float32)
        unweighted = weight_dtype is None and not hasattr(sssp_module, op)  # sssp leaves graphs without weights to bfs
        distances = np.zeros(1, np.int32 if unweighted else np.int64 if kind.kind == "i" else kind)
        vertices, unreached = np.zeros(1, graph.vertex_dtype), distances.dtype.type(9)
        flags = np.zeros(1, np.int32)
        repair = distances, vertices, np.zeros(1, np.uint8), flags, flags, unreached, np.int32(1), *lists(graph)
        args = {
            "_root_or_nan": (),
            "_relax": (distances, unreached, flags),
            "forget": (np.zeros(1, np.int64), np.int64(9), *repair),
            "take_changed": repair[2:3],
            "relax_levels": (np.int32(1), np.int64(9), *repair),
            "adopt_or_pass_on": (np.int32(1), np.int64(9), np.int64(9), *repair),
            "pass_on": (np.int32(1), np.int64(9), np.int64(9), *repair),
            "_leads_on": (distances, unreached),
            "choose_nearer": (distances, vertices, unreached, np.int64(0)),
            "has_none": (distances, vertices, unreached, np.int64(0)),
            "grow": (distances, vertices, unreached, np.int64(0)),
        }.get(op, repair)
        if header == "advance":
            options = advance_module.advance_options(graph, advance_module.Functors(None))
            return advance_module.advance_functors(advance_module.Functors(function)), args, options
        parameters, result, options = {
            "visit_edges": (OP, INT, ()),
            "filter": (("vertex",), INT, ()),
            "neighbor_reduce": (
                OP, np.dtype(np.float64),
                (("REDUCE", "Sum"), ("RESULT", "double"), ("VALUE", "double"), ("TILE_SIZE", "8")),
            ),
        }[header]  # fmt: skip
        return (("op", function, parameters, result),), args, options

    return case
