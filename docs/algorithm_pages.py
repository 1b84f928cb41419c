"""A page for each algorithm of the catalogue, generated from its code: ``docs/conf.py`` writes them for the site.
``python docs/algorithm_pages.py`` updates the tables of ``docs/catalogue.md``.

A page has both forms with their signatures, examples and costs. The method and its sources come from the docstrings of
the modules, and the measured times from results files. The code follows, and the pages of the guide that name the
algorithm.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import frontier as fr
from algorithms import Analytic, IncrementalAlgorithm, Result, analytics
from benchmarks import algorithm_pictures
from benchmarks.results import ROOT
from dynfrontier.supported import replace_between, runs_on, summary, tables

DOCS = Path(__file__).resolve().parent
FOLDER = DOCS / "algorithms"
SOURCE = re.compile(r'"[^"]+".*\b(18|19|20)\d\d\b', re.DOTALL)
"""A title and a year, which the last paragraph of a module's docstring has if it names sources."""
DIRECTED = {"followed": "edges are followed forward", "ignored": "directions are ignored", "refused": "undirected only"}
WEIGHTS = {
    "ignored": "ignored", "optional": "used if the graph has them", "expected": "used, with 1 per edge as the default",
    "required": "required",
}  # fmt: skip
TIMES = """\
Times are in milliseconds. `rmat20` is an R-MAT graph with 2^20 vertices and 16 generated edges per vertex. Times of the
incremental form exclude the update. [Benchmarks](../benchmarks.md) has more."""
GROUPS = {
    "Traversal and paths": (
        "bfs", "sssp", "shortest_path", "ego_graph", "random_walks", "biased_random_walks", "node2vec_random_walks",
        "minimum_spanning_forest", "maximum_spanning_forest",
    ),
    "Components": ("connected_components", "strongly_connected_components"),
    "Ranks and centrality": (
        "pagerank", "personalized_pagerank", "hits", "katz_centrality", "eigenvector_centrality",
        "degree_centrality", "betweenness_centrality", "edge_betweenness_centrality", "closeness_centrality",
    ),
    "Triangles and cohesion": (
        "triangle_count", "local_clustering", "k_truss", "truss_numbers", "core_number", "k_core",
    ),
    "Communities and colorings": (
        "louvain", "leiden", "ecg", "label_propagation", "cdlp", "coloring", "maximal_independent_set",
    ),
    "Layouts": ("force_atlas2",),
    "Similarity": (
        "jaccard", "sorensen", "cosine", "overlap", "all_pairs_jaccard", "all_pairs_sorensen", "all_pairs_cosine",
        "all_pairs_overlap",
    ),
    "Graphs with times": (
        "earliest_arrival", "temporal_pagerank", "temporal_triangle_count", "temporal_motifs",
        "temporal_cycle_count", "temporal_cycles", "temporal_random_walks",
    ),
}  # fmt: skip
LISTS = ("algorithms", "catalogue", "benchmarks")
"""Pages that list algorithms without describing them."""


def entries() -> dict[str, Analytic]:
    """All analytics by name, analytics that need times last."""
    return analytics() | analytics(times=True)


def write() -> None:
    """Write all pages and pictures, and delete pages of removed algorithms.

    Unchanged files are not written, so Sphinx does not read them again.
    """
    files: dict[str, str] = {}
    for name, known in entries().items():
        picture = algorithm_pictures.svg(known)
        files[f"{name}.md"] = page(known)
        files |= {f"{name}.svg": picture} if picture else {}
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def index(*, linked: bool) -> str:
    """Tables of all algorithms by group, in Markdown, linked to their pages, which only the site has."""
    tables = [f"### {group}\n\n{_group_table(names, linked)}" for group, names in GROUPS.items()]
    if linked:
        pages = "\n".join(f"algorithms/{name}" for name in entries())
        tables.append(f"```{{toctree}}\n:hidden:\n\n{pages}\n```")
    return "\n\n".join(tables)


def _group_table(names: tuple[str, ...], linked: bool) -> str:
    lines = ["| algorithm | result | incremental |", "| --- | --- | --- |"]
    for name in names:
        known = entries()[name]
        title = f"[`{name}`](algorithms/{name}.md)" if linked else f"`{name}`"
        form = known.incremental
        incremental = "" if form is None else _link(form) if linked else f"`{form.__name__}`"
        lines.append(f"| {title} | {summary(main_form(known))} | {incremental} |")
    return "\n".join(lines)


def catalogue(text: str, *, linked: bool) -> str:
    """The text of ``catalogue.md`` with current tables."""
    text = replace_between(text, "structures", tables()[0].markdown())
    return replace_between(text, "algorithms", index(linked=linked))


def page(known: Analytic) -> str:
    """The page of an algorithm."""
    parts = [f"# `{known.name}`", _rst(inspect.getdoc(main_form(known)).split("\n\n")[0]), _facts(known)]  # type: ignore[union-attr]
    if known.static:
        parts += ["## Static form", _rst(f".. autofunction:: algorithms.{known.static.__name__}")]
        result = result_of(known)
        if result is not None and home_of(result) is known:
            parts.append(_rst(_class(result, up_to=Result)))
    if known.incremental:
        parts += ["## Incremental form", _rst(_class(known.incremental, up_to=IncrementalAlgorithm))]
    texts = [_method_and_sources(module) for module in modules_of(known)]
    parts += ["## Method", *(_rst(method) for method, _ in texts if method)]
    cited = dict.fromkeys(source for _, sources in texts for source in sources)
    parts += ["## Sources", _rst("\n".join(f"* {source}" for source in cited))]
    parts += ["## Times", _times(known)]
    parts += ["## Code", *(_code(module) for module in modules_of(known))]
    named = "\n".join(f"* [](../{path})" for path in pages_naming(known))
    parts += ["## In the guide", named] if named else []
    return "\n\n".join(parts) + "\n"


# ---- what belongs to an algorithm ------------------------------------------------------------------------------------


def forms_of(known: Analytic) -> list[Any]:
    """The function and the class, where they exist."""
    return [form for form in (known.static, known.incremental) if form]


def main_form(known: Analytic) -> Any:
    """The static form, or the incremental one if it is the only one."""
    return forms_of(known)[0]


def result_of(known: Analytic) -> type[Result] | None:
    """The class of the static form's results."""
    found = get_type_hints(known.static).get("return") if known.static else None
    return found if inspect.isclass(found) and issubclass(found, Result) else None


def home_of(result: type[Result]) -> Analytic:
    """The algorithm on whose page a class of results is described: the first in the file that defines it."""
    mine = [known for known in entries().values() if result_of(known) is result]
    return next((known for known in mine if known.static.__module__ == result.__module__), mine[0])  # type: ignore[union-attr]


def described() -> set[Any]:
    """All that is described on a page of an algorithm."""
    found = {form for known in entries().values() for form in forms_of(known)}
    return found | {result_of(known) for known in entries().values()} - {None}


def modules_of(known: Analytic) -> list[ModuleType]:
    """The modules that document the method: of both forms, and of the bases of the incremental one."""
    bases = known.incremental.__mro__ if known.incremental else ()
    owners = [known.static, *(base for base in bases if issubclass(base, IncrementalAlgorithm))]
    names = dict.fromkeys(owner.__module__ for owner in owners if owner not in (None, IncrementalAlgorithm))
    return [sys.modules[name] for name in names]  # type: ignore[index]


def pages_naming(known: Analytic) -> list[str]:
    """The pages of the guide and the tutorials that name one of its forms in code, by their paths."""
    names = "|".join(form.__name__ for form in forms_of(known))
    named = re.compile(rf"`(?:algorithms\.)?(?:{names})\b|\b(?:{names})\(|algorithms\.(?:{names})\b")
    paths = [path for path in sorted(DOCS.glob("*.md")) if path.stem not in LISTS]
    paths += sorted((DOCS / "operators").glob("*.md"))
    paths += sorted((DOCS / "tutorials").glob("*.ipynb"))
    return [str(path.relative_to(DOCS)) for path in paths if named.search(path.read_text(encoding="utf-8"))]


# ---- sections of a page ---------------------------------------------------------------------------------------------


def _facts(known: Analytic) -> str:
    """The common properties of both forms, as a list."""
    facts = [f"{_link(known.static)} computes the result for the current graph."] if known.static else []
    if known.incremental:
        facts.append(f"{_link(known.incremental)} maintains it while the graph changes.")
    result = result_of(known)
    if result is not None:
        facts.append(f"Result: {_link(result)}.")
    facts += [f"Directed graphs: {DIRECTED[known.directions]}.", f"Weights: {WEIGHTS[known.weights]}."]
    if known.times:
        facts.append("The graph needs [times](../temporal.md).")
    facts.append(f"Runs on: {_places(main_form(known))}.")
    if known.static and not known.times:
        facts.append(f"On the [command line](../command_line.md): `dynfrontier run {known.name} FILE`.")
    if known.note:
        note = known.note.format(**known.settings())
        facts.append(f"[Compared](../compare.md) with other libraries: {note}.")
    return "\n".join(f"* {fact}" for fact in facts)


def _places(form: Any) -> str:
    """The structures and devices on which a form runs."""
    by_devices: dict[str, list[str]] = {}
    for name, kind in fr.structures().items():
        by_devices.setdefault(runs_on(form, kind), []).append(f"`{name}`")
    if len(by_devices) == 1:
        return f"all [structures](../catalogue.md), {next(iter(by_devices)).replace(', ', ' and ')}"
    return "; ".join(f"{', '.join(names)}: {devices}" for devices, names in by_devices.items())


def _times(known: Analytic) -> str:
    """The picture, and where its numbers are from."""
    panels = algorithm_pictures.panels(known)
    if not panels:
        return "No results file measures this algorithm."
    picture = f"![Times of {known.name} by structure](./{known.name}.svg)"
    origins = "\n".join(f"* {panel.title}: {panel.origin}" for panel in panels)
    return f"{TIMES}\n\n{picture}\n\n{origins}"


def _code(module: ModuleType) -> str:
    """The file of a module, to be unfolded, from the end of its docstring."""
    path = Path(module.__file__)  # type: ignore[arg-type]
    begin = ast.parse(path.read_text(encoding="utf-8")).body[0].end_lineno + 1  # type: ignore[operator]
    shown = path.relative_to(ROOT).as_posix()
    block = f"```{{literalinclude}} ../../{shown}\n:language: python\n:lines: {begin}-\n```"
    return f"<details><summary><code>{shown}</code></summary>\n\n{block}\n\n</details>"


def _method_and_sources(module: ModuleType) -> tuple[str, list[str]]:
    """A module's docstring in reStructuredText, and its citations."""
    title, *paragraphs = inspect.getdoc(module).split("\n\n")  # type: ignore[union-attr]
    sources = []
    if paragraphs and SOURCE.search(paragraphs[-1]):
        sources = re.split(r";\s+(?=[A-Z])", paragraphs.pop().rstrip("."))
    method = [f".. rubric:: {title}", *map(_paragraph, paragraphs)]
    return "\n\n".join(method), [" ".join(source.split()) + "." for source in sources]


def _paragraph(text: str) -> str:
    """A paragraph. An indented one describes arrays in columns, or is a formula."""
    return f".. code-block:: text\n\n{text}" if text.startswith("    ") else text


def _class(member: type, *, up_to: type) -> str:
    """The documentation of a class, including inherited text from classes below `up_to`."""
    return f".. autoclass:: algorithms.{member.__name__}\n   :members:\n   :inherited-members: {up_to.__name__}"


def _rst(text: str) -> str:
    """reStructuredText, as docstrings are written, on a page in Markdown."""
    return f"```{{eval-rst}}\n.. currentmodule:: algorithms\n\n{text}\n```"


def _link(member: Any) -> str:
    """A link to where a member of `algorithms` is described."""
    return f"{{py:obj}}`{member.__name__} <algorithms.{member.__name__}>`"


if __name__ == "__main__":
    path = DOCS / "catalogue.md"
    path.write_text(catalogue(path.read_text(encoding="utf-8"), linked=False), encoding="utf-8")
