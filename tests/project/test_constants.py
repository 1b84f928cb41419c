"""Numbers that CUDA and Python share: the same in both, and each defined once."""

import ast
import re

import pytest

from frontier.features.windows import pushes
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

ROOTS = ("frontier", "structures")
ONCE = ["END", "TILE", "MAX_SUMS"]


def files(suffix):
    return [path for root in ROOTS for path in sorted((PROJECT_ROOT / root).rglob(f"*{suffix}"))]


def macros(path):
    """The numbers that a header defines, by name."""
    text = path.read_text()
    found = re.findall(r"^#define (\w+) +(\S[^/\n]*)", text, re.MULTILINE)
    found += re.findall(r"^constexpr \w+ (\w+) = ([^;\n]*);", text, re.MULTILINE)
    numbers = ((name, text.strip()) for name, text in found)
    return {name: int(text.rstrip("uUlL"), 0) for name, text in numbers if re.fullmatch(r"(0x)?[0-9a-f]+[uUlL]*", text)}


def constants(path):
    """The numbers that a module assigns to names in capitals, by name."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        try:
            if isinstance(target, ast.Name) and target.id.isupper():
                found[target.id] = eval(compile(ast.Expression(value), "", "eval"), {"range": range}, dict(found))
            elif isinstance(target, ast.Tuple):
                values = eval(compile(ast.Expression(value), "", "eval"), {"range": range}, dict(found))
                found |= {name.id: number for name, number in zip(target.elts, values, strict=True)}
        except (NameError, AttributeError, TypeError):  # no number, or made of other modules' constants
            continue
    return {name: value for name, value in found.items() if isinstance(value, int)}


@pytest.mark.parametrize(
    "folder", sorted({path.parent.relative_to(PROJECT_ROOT).as_posix() for path in files(".cuh")} - {"frontier/cuda"})
)
def test_folders_agree(folder):
    """A number that a folder names in CUDA and in Python is the same in both."""
    in_cuda = {}
    for path in sorted((PROJECT_ROOT / folder).glob("*.cuh")):
        in_cuda |= macros(path)
    for path in sorted((PROJECT_ROOT / folder).glob("*.py")):
        for name, value in constants(path).items():
            assert in_cuda.get(name, value) == value, f"{name} of {path.name}"


def test_counters_are_seen():
    """The values that the test above compares, which shows that it compares something."""
    layout = PROJECT_ROOT / "structures" / "packed"
    assert constants(layout / "layout.py")["REDUNDANT"] == macros(layout / "layout.cuh")["REDUNDANT"] == 9


@pytest.mark.parametrize("name", ONCE)
def test_defined_once(name):
    """Shared numbers come from one header and one module."""
    headers = [path.name for path in files(".cuh") if re.search(rf"^#define {name}\b", path.read_text(), re.MULTILINE)]
    modules = [path.name for path in files(".py") if re.search(rf"^{name}\b.* = ", path.read_text(), re.MULTILINE)]
    assert len(headers) <= 1, headers
    assert len(modules) == 1, modules


def test_numbers_of_the_shared_headers():
    from frontier.core.batch.slot_filter import FILTER_WORDS
    from frontier.core.sort import END, TILE

    assert macros(PROJECT_ROOT / "frontier/cuda/keys.cuh")["END"] == END
    assert macros(PROJECT_ROOT / "frontier/cuda/scan_tiles.cuh")["TILE"] == TILE
    assert macros(PROJECT_ROOT / "frontier/core/batch/slot_filter.cuh")["FILTER_WORDS"] == FILTER_WORDS


def test_numbers_and_fields_of_pushes():
    """Results of kernels have the same positions in both, and structs have the same fields in the same order."""
    text = (PROJECT_ROOT / "frontier/features/windows/pushes.cuh").read_text()
    names = re.search(r"enum Found \{(.*?)\}", text, re.DOTALL)[1].split(",")
    at, places = 0, {}
    for name, _, value in (entry.strip().partition(" = ") for entry in names):
        at = places[name] = eval(value, {"PIECES": pushes.PIECES}, places) if value else at
        at += 1
    assert places == {name: getattr(pushes, name) for name in places} and len(places) == 15
    structs = {"Push": (*pushes.PUSH, *pushes.RULES), "Writes": pushes.WRITES, "Expiry": pushes.EXPIRY}
    for struct, fields in structs.items():
        declared = re.sub(r"//.*", "", re.search(rf"struct {struct} \{{(.*?)(?:__device__|\}})", text, re.DOTALL)[1])
        found = []
        for line in filter(None, (part.strip() for part in declared.split(";"))):
            for word in re.sub(r"^(const )?\w+\*? ", "", line).split(", "):
                name, _, size = word.partition("[")
                count = getattr(pushes, size.rstrip("]")) if size else 1
                found += [f"{name}_{i}" for i in range(count)] if size else [name]
        assert tuple(found) == fields, struct
