"""The pages under docs: their Python blocks run and print the documented output. Links, tables and pictures are
good."""

from __future__ import annotations

import doctest
import inspect
import json
import re
import runpy

import pytest

import algorithms
import dynfrontier
import frontier as fr
import structures
from algorithms.analytic import analytics
from benchmarks import algorithm_pictures
from benchmarks.calls import calls
from dynfrontier.job import Applied
from dynfrontier.supported import runs_on
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

DOCS = PROJECT_ROOT / "docs"
PAGES = sorted(path for folder in (".", "operators", "api") for path in (DOCS / folder).glob("*.md"))
ROOT_PAGES = [PROJECT_ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
NOTEBOOKS = sorted((DOCS / "tutorials").glob("*.ipynb"))
IDS = [page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES]
WIDTH = 88
"""Columns of a code block, which a phone or a narrow window shows without scrolling far."""
PRINTED = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)
OPTIONAL = ("polars", "torch", "torch_geometric")
"""Libraries that a page may need, and that not every environment has."""
SOURCES = ("algorithms", "benchmarks", "dynfrontier", "examples", "frontier", "scripts", "structures", "tests")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_python_blocks(page, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("algorithms.analytic._catalogue", analytics())  # the page's registrations are forgotten
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    if not blocks:
        return
    for library in re.findall(rf"^(?:import|from) ({'|'.join(OPTIONAL)})\b", "\n".join(blocks), re.MULTILINE):
        pytest.importorskip(library)
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    runpy.run_path(str(script))
    expected = [line for printed in PRINTED.findall("\n".join(blocks)) for line in printed.split(", then ")]
    assert capsys.readouterr().out.splitlines() == expected


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links(page):
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
        assert (page.parent / target).exists()


def text(name):
    return (PROJECT_ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def test_the_catalogue_is_the_registrys(algorithm_pages):
    page = text("catalogue")
    assert algorithm_pages.catalogue(page, linked=False) == page, "run: python docs/algorithm_pages.py"


def test_the_catalogue_has_each_algorithm_once(algorithm_pages):
    grouped = [name for names in algorithm_pages.GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(ENTRIES)


def test_every_algorithm_runs_everywhere():
    """The catalogue states so in one sentence."""
    assert {runs_on(form, kind) for form in FORMS for kind in fr.structures().values()} == {"CPU, GPU"}


def test_the_index_lists_every_page():
    listed = set(re.findall(r"^[\w/]+$", text("index"), re.MULTILINE))
    assert {name for name in IDS if not name.startswith("operators/")} - {"index"} <= listed
    overview = text("operators")
    assert all(f"\n{name}\n" in overview for name in IDS if name.startswith("operators/"))


@pytest.mark.parametrize("page", [*PAGES, *ROOT_PAGES, *NOTEBOOKS], ids=lambda page: page.name)
def test_code_fits(page):
    assert [line for block in blocks_of(page) for line in block.splitlines() if len(line) > WIDTH] == []


def blocks_of(page):
    """The blocks of code of a page, or the cells of a notebook."""
    if page.suffix == ".ipynb":
        cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return re.findall(r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


MARKERS = [("catalogue", "algorithms"), ("catalogue", "structures")]


@pytest.mark.parametrize(("page", "marker"), MARKERS)
def test_markers(page, marker):
    assert text(page).count(f"<!-- {marker} -->") == text(page).count(f"<!-- /{marker} -->") == 1


def test_commands_are_those_of_the_command_line():
    from dynfrontier.cli import app

    known = {command.callback.__name__ for command in app.registered_commands} | {"generate"}
    named = [name for page in PAGES for name in re.findall(r"^dynfrontier (\w+)", page.read_text(), re.MULTILINE)]
    assert len(named) > 10 and set(named) <= known


def test_environment_variables_are_in_the_table():
    """Variables that our files name are in the table, and vice versa."""
    files = [path for name in SOURCES for path in (PROJECT_ROOT / name).rglob("*")]
    files = [path for path in files if path.suffix in ("", ".py", ".cuh") and path.is_file()]
    files += [PROJECT_ROOT / "test", PROJECT_ROOT / "demo"]
    texts = "\n".join(path.read_text("utf-8", "replace") for path in files)
    used = set(re.findall(r"DYNFRONTIER_[A-Z_]*[A-Z]", texts))
    described = re.findall(r"^\| `(DYNFRONTIER_\w+)` \|", text("environment"), re.MULTILINE)
    assert len(described) == len(set(described)) and set(described) == used


def test_translations_name_what_there_is():
    """The second column of the tables: functions, methods of graphs, and `frontier`."""
    columns = [line.split(" | ")[1] for line in text("translation").splitlines() if line.count(" | ") >= 2]
    names = [name for column in columns for name in re.findall(r"(?<![\w.])((?:\w+\.)*\w+)\(", column)]
    assert len(names) > 60
    spaces = {"fr": fr, "g": fr.DynamicGraph}
    for name in names:
        first, *rest = name.split(".")
        owner = spaces.get(first) or getattr(algorithms, first, None) or getattr(structures, first, None)
        assert owner is not None, name
        for part in rest:
            owner = getattr(owner, part)


def test_pictures_are_drawn_from_results_files(tmp_path):
    pytest.importorskip("matplotlib")
    from benchmarks import pictures

    pictures.draw_all(tmp_path)
    shown = {name for page in PAGES for name in re.findall(r"\]\(pictures/(\w+\.svg)\)", page.read_text())}
    assert {path.name for path in tmp_path.iterdir()} <= shown
    for path in tmp_path.iterdir():
        drawn, stored = (labels(file) for file in (path, pictures.PICTURES / path.name))
        assert drawn and drawn == stored, f"{path.name}: run python -m benchmarks figures --write"


def test_the_picture_of_the_live_view_has_its_rows(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import draw_live

    view = draw_live.LiveView(4, "triangle", 3, lambda: 1000, draw_live.COLUMNS)
    view.step(Applied(4, 0, 3, 0, 0, 3, 1, 1e-3, 1e-3))
    drawn, stored = (
        re.findall(rf'<text x="{draw_live.AROUND}"[^>]*>([^<]+)', picture)
        for picture in (draw_live.draw(view), draw_live.PICTURE.read_text())
    )
    assert len(drawn) == 6 and drawn == stored, "run: python docs/draw_live.py"


# ---- pages of algorithms ---------------------------------------------------------------------------------------------

ENTRIES = analytics() | analytics(times=True)
FORMS = [form for known in ENTRIES.values() for form in (known.static, known.incremental) if form]


@pytest.fixture
def algorithm_pages(monkeypatch):
    """The module that makes the pages."""
    monkeypatch.syspath_prepend(str(PROJECT_ROOT / "docs"))
    import algorithm_pages

    return algorithm_pages


def test_every_algorithm_has_a_page(algorithm_pages):
    """Which has its forms, their result, how it works, and after which papers."""
    index = algorithm_pages.index(linked=True)
    for name, known in ENTRIES.items():
        page = algorithm_pages.page(known)
        assert f"](algorithms/{name}.md)" in index and f"\nalgorithms/{name}\n" in index
        assert page.startswith(f"# `{name}`\n")
        assert all(f":: algorithms.{form.__name__}" in page for form in algorithm_pages.forms_of(known))
        sections = dict(part.split("\n", 1) for part in page.split("\n## ")[1:])
        assert len(sections["Method"]) > 200, name
        assert re.search(r"^\* .*\b(18|19|20)\d\d\b", sections["Sources"], re.MULTILINE), name


def test_every_result_of_an_algorithm_is_described_once(algorithm_pages):
    pages = "\n".join(map(algorithm_pages.page, ENTRIES.values()))
    described = re.findall(r"^\.\. auto\w+:: algorithms\.(\w+)$", pages, re.MULTILINE)
    assert sorted(described) == sorted(member.__name__ for member in algorithm_pages.described())


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=[form.__name__ for form in FORMS])
def test_docstrings_of_algorithms(form):
    """They state the cost, and their examples run and print the documented output."""
    text = inspect.getdoc(form)
    costs = text.partition("Notes\n-----\n")[2].partition("\n---")[0]
    assert re.search(r"O\(|\bwork\b|\bpasses\b", costs)
    assert any(form.__name__ in example.source for example in examples_of(form))


def examples_of(thing):
    """The examples of a docstring, which have printed the documented output."""
    found = doctest.DocTestParser().get_doctest(inspect.getdoc(thing) or "", {}, thing.__name__, None, None)
    said = []
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(found, out=said.append).failed == 0, "".join(said)
    return found.examples


MODULES = fr, fr.advanced, fr.io, fr.interchange, structures, dynfrontier
FACE = {name: thing for module in MODULES for name in module.__all__ if callable(thing := getattr(module, name))}
MEMBERS = {
    f"{owner}.{name}": getattr(member, "__func__", getattr(member, "fget", member))
    for owner, thing in FACE.items() if inspect.isclass(thing)
    for name, member in inspect.getmembers_static(thing)
    if inspect.isfunction(member) or isinstance(member, classmethod | staticmethod | property)
}  # fmt: skip
BY_TEXT = {inspect.getdoc(thing) or "": name for name, thing in reversed((FACE | MEMBERS).items())}
"""Functions, classes and their members, by docstring: inherited ones once, under the name of their base."""
WITH_EXAMPLES = sorted(name for text, name in BY_TEXT.items() if ">>>" in text)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_docstrings_of_the_face(name):
    assert examples_of((MEMBERS | FACE)[name])


def test_pages_show_the_times_that_there_are():
    """The times on the page of all algorithms, with the sources, and incremental ones beside the ones from scratch."""
    shown = {name: algorithm_pictures.panels(known) for name, known in ENTRIES.items()}
    measured = {key[2] for key in algorithm_pictures.times()}
    for call in calls().values():
        assert bool(shown[call.analytic.name]) >= (call.label in measured), call.label
    for panel in (panel for panels in shown.values() for panel in panels):
        assert panel.bars and all(bar.milliseconds > 0 for bar in panel.bars) and ".json`" in panel.origin
    systems = {bar.label for panel in shown["bfs"] for bar in panel.bars}
    assert {"csr", "slab", "slab, incremental", "slab, from scratch", "cugraph", "networkx"} <= systems


def labels(picture):
    """The texts of a picture, among them what its bars stand for."""
    return sorted(re.findall(r"<text[^>]*>([^<]+)", picture.read_text()))
