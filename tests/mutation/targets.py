"""Which tests should notice a change to a file: the closest first, since the first failure ends a run."""

from __future__ import annotations

import re

UPDATES = (
    "test_operations_insert.py", "test_operations_delete.py", "test_operations_build.py", "test_operations_query.py",
    "test_operations_weights.py", "test_vertices.py", "test_save_copy.py", "test_operations_large.py",
    "test_stateful.py", "test_campaign.py", "test_operations_memory.py",
)  # fmt: skip
OPERATORS = (
    "test_functor_forms.py", "test_operators.py", "test_engine.py", "test_traverse_modes.py", "test_match.py",
    "test_algorithms.py", "test_pagerank.py", "test_sssp.py", "test_k_truss.py", "test_components.py",
)  # fmt: skip
COMMON = ("test_bad_input.py", "test_operations_inputs.py", "test_observers.py", *UPDATES, "test_match.py")
INPUT = (
    "test_io_text.py", "test_io_formats.py", "test_io_edge_list.py", "test_io_tables.py", "test_io_stream.py",
    "test_io_generators.py", "test_io_data.py", "test_io_writer.py", "test_ldbc.py", "test_reader_fuzz.py",
)  # fmt: skip

# What a file's path begins with; the tests; and which of their cases, as ``pytest -k`` takes it.
TARGETS = (
    (r"frontier/operators/", OPERATORS, "csr or slab"),
    (r"frontier/(frontier|view)\.py|frontier/bitmap/", ("test_view.py", "test_frontiers.py", *OPERATORS),
     "csr or slab"),
    (r"frontier/sort/", ("test_sort.py", "test_match.py", *UPDATES), "csr or hornet or gpma or sort"),
    (r"frontier/io/", INPUT, ""),
    (r"frontier/interchange/", ("test_interchange.py",), ""),
    (r"frontier/registry\.py|structures/__init__\.py", ("test_registry.py",), ""),
    (r"frontier/runtime/growable", ("test_growable.py", "test_lpma.py"), ""),
    (r"frontier/(functor|atomics|runtime/)",
     ("test_functors.py", "test_bounds.py", "test_checking.py", "test_atomics.py", "test_operators.py",
      "test_compiled_code_cache.py"),
     "not (hornet or slab or gpma or lpma or graphvine or faimgraph)"),
    (r"frontier/", COMMON, "csr or slab"),
    (r"structures/packed/", ("test_gpma.py", "test_lpma.py", "test_packed_leaves.py", *UPDATES),
     "gpma or lpma or packed"),
    (r"structures/(blocks|changes)/", ("test_hornet.py", "test_graphvine.py", "test_faimgraph.py", *UPDATES),
     "hornet or graphvine or faimgraph"),
    (r"structures/records\.py", ("test_vertices.py", *UPDATES), "hornet or slab or graphvine"),
    (r"structures/(\w+)/", ("test_{0}.py", *UPDATES, "test_match.py", "test_view.py", "test_operators.py"), "{0}"),
)  # fmt: skip
NEVER = (r"frontier/runtime/cuda\.py", r"frontier/atomics_cuda\.py", r"frontier/interchange/(cugraph|pylibcugraph)")
"""Nothing of these runs without a GPU."""


def targets_of(path: str) -> tuple[list[str], str]:
    """Test files for a file, and the expression that selects their cases."""
    for pattern, files, chosen in TARGETS:
        match = re.match(pattern, path)
        if match:
            return [file.format(*match.groups()) for file in files], chosen.format(*match.groups())
    raise ValueError(f"no tests are known for {path}")


def needs_gpu(path: str) -> bool:
    return any(re.match(pattern, path) for pattern in NEVER)
