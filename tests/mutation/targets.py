"""Which tests should notice a change to a file: the closest first, since the first failure ends a run.

Test files are named without their folders.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

UPDATES = (
    "test_operations_insert.py", "test_operations_delete.py", "test_operations_build.py", "test_operations_query.py",
    "test_operations_weights.py", "test_vertices.py", "test_save_copy.py", "test_statistics.py",
    "test_operations_large.py", "test_stateful.py", "test_campaign.py", "test_operations_memory.py",
)  # fmt: skip
OPERATORS = (
    "test_functor_forms.py", "test_operators.py", "test_engine.py", "test_traverse_modes.py", "test_match.py",
    "test_compile_operators.py",
    "test_frontier_sets.py", "test_both_ways.py", "test_neighbor_reductions.py", "test_common_neighbors.py",
    "test_random.py", "test_public_floor.py", "test_outdated.py", "test_integer_weights.py", "test_algorithms.py",
    "test_pagerank.py", "test_sssp.py", "test_k_truss.py", "test_components.py",
)  # fmt: skip
COMMON = (
    "test_bad_input.py", "test_operations_inputs.py", "test_observers.py", *UPDATES, "test_in_edges.py",
    "test_public_floor.py", "test_copies.py", "test_effective_edges.py", "test_match.py", "test_outdated.py",
)  # fmt: skip
INPUT = (
    "test_io_text.py", "test_io_formats.py", "test_io_edge_list.py", "test_io_tables.py", "test_io_columns.py",
    "test_io_stream.py", "test_io_generators.py", "test_io_data.py", "test_io_writer.py", "test_ldbc.py",
    "test_io_fuzz.py",
)  # fmt: skip
FILES = (
    "test_save_copy.py", "test_load_hostile.py", "test_atomic_files.py", "test_copies.py", "test_in_edges.py",
    "test_temporal.py", "test_kept_records.py", "test_edge_data.py",
)  # fmt: skip
FUNCTORS = (
    "test_functors.py", "test_functor_forms.py", "test_functor_compilers.py", "test_bounds.py", "test_checking.py",
    "test_atomics.py", "test_compile_operators.py", "test_operators.py", "test_compiled_code_cache.py",
    "test_caches.py",
)  # fmt: skip
RUNTIME = (
    "test_threads.py", "test_parallel.py", "test_parameters.py", "test_device.py", "test_interrupts.py",
    "test_atomic_files.py", "test_compiled_code_cache.py", "test_caches.py", "test_exhausted_memory.py",
    "test_processes.py",
)  # fmt: skip
TWO = "not (hornet or gpma or lpma or graphvine or faimgraph)"
"""Two structures, and tests that belong to none: any structure shows the common code."""
THREE = "not (hornet or gpma or graphvine or faimgraph)"
"""With one whose lists are sorted and in several segments, for operators that walk them."""

# Prefixes of files' paths, the tests, and a selection of their cases, as for ``pytest -k``.
TARGETS = (
    (r"frontier/operators/frontiers/", ("test_frontier_sets.py", *OPERATORS), TWO),
    (r"frontier/operators/", OPERATORS, THREE),
    (r"frontier/core/(view|base)\.py|frontier/core/bitmap/", ("test_frontier_sets.py", *OPERATORS), TWO),
    (r"frontier/functor/intrinsics/random", ("test_random.py", "test_functors.py"), TWO),
    (r"frontier/core/sort/", ("test_sort.py", "test_match.py", *UPDATES),
     "csr or hornet or gpma or graphvine or sort or match"),
    (r"frontier/io/", INPUT, ""),
    (r"frontier/interchange/", ("test_interchange.py",), ""),
    (r"frontier/core/(registry|structures)\.py|structures/__init__\.py", ("test_registry.py", "test_new_structure.py"),
     ""),
    (r"frontier/runtime/memory/growable", ("test_growable.py", "test_lpma.py"), ""),
    (r"frontier/core/(files|invariants)\.py|frontier/runtime/atomic_file\.py", (*FILES, *COMMON), TWO),
    (r"frontier/runtime/compile/(prebuilt|source_text)", ("test_shipped.py", "test_source_text.py"), ""),
    (r"frontier/functor/", FUNCTORS, TWO),
    (r"frontier/runtime/compile/caches", ("test_caches.py", "test_compiled_code_cache.py"), ""),
    (r"frontier/runtime/", (*RUNTIME, *FUNCTORS), TWO),
    (r"frontier/core/effective/", ("test_effective_edges.py", "test_observers.py", "test_incremental.py"), TWO),
    (r"frontier/(distributed|names)/", (), ""),
    (r"frontier/features/", (), TWO),
    (r"frontier/", COMMON, TWO),
    (r"structures/packed/", ("test_gpma.py", "test_lpma.py", "test_packed_leaves.py", *UPDATES, "test_load_hostile.py"),
     "gpma or lpma or packed"),
    (r"structures/small_batches", ("test_small_updates.py", *UPDATES), "not slab"),
    (r"structures/(blocks|changes)/", ("test_hornet.py", "test_graphvine.py", "test_faimgraph.py", *UPDATES),
     "hornet or graphvine or faimgraph"),
    (r"algorithms/repertoire|dynfrontier/prebuilt", ("test_shipped.py",), ""),
    (r"structures/lists\.py", ("test_hornet.py", "test_graphvine.py", "test_gpma.py", *UPDATES, "test_operators.py"),
     "csr or hornet or graphvine or gpma"),
    (r"structures/records\.py", ("test_vertices.py", *UPDATES, "test_load_hostile.py"), "hornet or slab or graphvine"),
    (r"structures/(\w+)/",
     ("test_{0}.py", *UPDATES, "test_load_hostile.py", "test_match.py", "test_operators.py"), "{0}"),
)  # fmt: skip
NEVER = (
    r"frontier/runtime/compile/cuda\.py", r"frontier/interchange/(cugraph|pylibcugraph)", r".*on_gpu\.py",
    r"frontier/features/windows/pushes", r"frontier/distributed/transport/nccl",
    r"frontier/distributed/operators/gpu_steps",
)  # fmt: skip
"""Nothing of these runs without a GPU."""


def targets_of(path: str) -> tuple[list[str], str]:
    """Test files for a file, and the expression that selects their cases.

    Test files that are named like the file or its folder come first.
    """
    for pattern, files, chosen in TARGETS:
        match = re.match(pattern, path)
        if match:
            own = [f"test_{PurePosixPath(path).stem}.py", f"test_{PurePosixPath(path).parent.name}.py"]
            listed = [file.format(*match.groups()) for file in files]
            return list(dict.fromkeys([*own, *listed])), chosen.format(*match.groups())
    raise ValueError(f"no tests are known for {path}")


def folders_of(path: str) -> list[str]:
    """Folders of tests that should notice a change after the tests of `targets_of`: all tests of its package."""
    package, folder, *_ = PurePosixPath(path).parts
    folders = ["structures", "core"] if package == "structures" else [folder]
    return [*folders, "features"] if folder == "core" else folders


def needs_gpu(path: str) -> bool:
    return any(re.match(pattern, path) for pattern in NEVER)
