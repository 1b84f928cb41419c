"""The notebooks under docs: their cells run, and print their stored output."""

from __future__ import annotations

import json

import pytest

from frontier.runtime.compile.disk_cache import PROJECT_ROOT

pytestmark = pytest.mark.slow

NOTEBOOKS = sorted((PROJECT_ROOT / "docs" / "tutorials").glob("*.ipynb"))


def printed(cell):
    """The printed output of a cell when the notebook was stored."""
    return "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebook(path, capsys):
    pytest.importorskip("matplotlib").use("Agg")
    names = {"__name__": "notebook"}
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert any(printed(cell) for cell in cells)
    for number, cell in enumerate(cells):
        exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
        out = capsys.readouterr().out
        if "measured" not in cell["metadata"].get("tags", ()):  # times differ
            assert out == printed(cell)
    import matplotlib.pyplot as plt

    plt.close("all")
