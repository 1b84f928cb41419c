"""Data frames of distributed graphs, against one device. `distributed_frames` has the frames of Dask."""

from __future__ import annotations

import pytest
from conftest import DEVICES
from distributed_frames import assert_same, insert, pair_of
from graphs import GRAPHS

import frontier as fr
from frontier.distributed import ThreadEngine

pytest.importorskip("pandas")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", ["empty", "rmat"])
def test_edges(name, directed, device):
    src, dst, n = GRAPHS[name]
    with ThreadEngine(3, device) as engine:
        graphs = pair_of(n, directed, engine, device)
        insert(graphs, src, dst)
        assert_same(*(fr.interchange.to_dataframe(graph, "pandas") for graph in graphs))
        for wrong in ({"library": "abacus"}, {"records": True}):
            errors = []
            for graph in graphs:
                with pytest.raises(ValueError) as error:
                    fr.interchange.to_dataframe(graph, **wrong)
                errors.append(str(error.value))
            assert errors[0] == errors[1]
