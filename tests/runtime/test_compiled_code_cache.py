"""Compiled code is cached on disk, found again by another process, and never found for other sources than its own."""

import contextlib
import gc
import os
import pickle
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numba.extending
import numpy as np
import pytest
from numba.core.caching import NullCache

import frontier as fr
from frontier.functor import functor_identity, uses_parameter
from frontier.operators.dispatch.kernels import WEIGHT_POSITION
from frontier.runtime import cpu_kernel, jit
from frontier.runtime.compile import disk_cache, progress

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys

import numpy as np

import frontier as fr
from frontier.runtime import cpu_kernel, jit
from frontier.runtime.compile import progress
from structures import CSR

LIMIT = {limit}


def below(v, x):
    return v < LIMIT


compiled = []
with progress.on_compile(compiled.append):
    graph = CSR.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    kept = fr.filter(fr.Frontier.all(graph), below, np.zeros(4))
print(len(compiled), len(kept))
"""


def run(tmp_path, limit, source=SCRIPT, name="script.py"):
    """The numbers that a script prints in a separate process: compilations and cached vertices."""
    script = tmp_path / name
    script.write_text(source.replace("{limit}", str(limit)))
    environment = os.environ | {"DYNFRONTIER_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.split()]


def test_a_second_process_compiles_nothing_and_a_changed_constant_is_noticed(tmp_path):
    compiled, kept = run(tmp_path, 2)
    assert compiled > 0 and kept == 2
    assert run(tmp_path, 2) == [0, 2]
    compiled, kept = run(tmp_path, 3)
    assert compiled == 1 and kept == 3  # only the functor's kernel


TRIANGLES = """
import sys

from algorithms import DynamicTriangleCount
from frontier.runtime.compile import progress
from structures import SlabGraph

compiled = []
with progress.on_compile(compiled.append):
    graph = SlabGraph(num_vertices=6, device="cpu")
    triangles = DynamicTriangleCount(graph)
    graph.insert_edges([0, 1, 2, 2, 4], [1, 2, 0, 3, 5])
print(len(compiled), triangles.total, int("numba.np.linalg" in sys.modules or "scipy.linalg" in sys.modules))
"""


@pytest.mark.slow
def test_a_process_that_compiles_nothing_does_not_load_the_compiler(tmp_path):
    """Nor SciPy, which Numba imports for it. Kernels that allocate memory run nevertheless."""
    compiled, total, _ = run(tmp_path, 0, TRIANGLES)
    assert compiled > 0 and total == 1
    assert run(tmp_path, 0, TRIANGLES) == [0, 1, 0]


RECURSIVE = SCRIPT.replace(
    "    return v < LIMIT\n",
    """    return factorial(v) <= LIMIT


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)
""",
)


@pytest.mark.slow
def test_a_second_process_may_run_a_recursive_functor(tmp_path):
    for _ in range(2):  # what Numba loads from a cache crashes when it calls itself
        _, kept = run(tmp_path, 2, RECURSIVE)
        assert kept == 3


@pytest.mark.slow
def test_a_functor_whose_module_was_renamed_is_found(tmp_path):
    own = "def below(v, x):\n    return v < LIMIT\n"
    assert own in SCRIPT
    for module, compiles in (("before", True), ("before", False), ("after", False)):
        (tmp_path / f"{module}.py").write_text("def below(v, x):\n    return v < 2\n")
        compiled, kept = run(tmp_path, 2, SCRIPT.replace(own, f"from {module} import below\n"))
        assert (compiled > 0) == compiles and kept == 2
        (tmp_path / f"{module}.py").unlink()


NAMESAKES = """
import sys

import numba
import numba.extending

from frontier.runtime import cpu_kernel


def make(factor):
    @numba.njit
    def helper(x, count):  # long enough to stay a function of its own
        total = 0.0
        for i in range(count):
            total += x * factor
            if total > 1e9:
                print(total)
        return total

    @cpu_kernel
    def kernel(x):
        return helper(x, 1) + helper(x, 2) + helper(x, 3)

    return kernel


print(*[int(make(factor)(1.0)) for factor in {factors}])
"""


@pytest.mark.slow
def test_processes_do_not_mix_up_functions_of_one_name(tmp_path):
    for factors in ([2], [3], [5], [2, 3, 5], [5, 2, 3]):
        assert run(tmp_path, 0, NAMESAKES.replace("{factors}", str(factors))) == [6 * factor for factor in factors]


@pytest.mark.slow
def test_processes_that_compile_at_once_keep_all(tmp_path):
    kinds = ["int8", "int16", "int32", "int64", "float32", "float64"]
    source = "import numpy as np\nfrom frontier.runtime import cpu_kernel\n"
    source += "from frontier.runtime.compile import progress\n\n\n"
    source += "@cpu_kernel\ndef kernel(x):\n    return x.size + x.itemsize\n\n\n"
    source += "compiled = []\nwith progress.on_compile(compiled.append):\n"
    source += "    sizes = [kernel(np.zeros(3, kind)) for kind in KINDS]\nprint(*sizes, len(compiled))\n"
    with ThreadPoolExecutor() as pool:
        ends = [pool.submit(run, tmp_path, 0, source.replace("KINDS", str([kind])), f"{kind}.py") for kind in kinds]
        assert [end.result() for end in ends] == [[3 + np.dtype(kind).itemsize, 1] for kind in kinds]
    expected = [3 + np.dtype(kind).itemsize for kind in kinds]
    assert run(tmp_path, 0, source.replace("KINDS", str(kinds)), "all.py") == [*expected, 0]


def damages(whole, other, places):
    """Contents that replace `whole`: cut, of another file, no file of ours, and with a bit flipped at each position."""
    yield from (b"", whole[:1], whole[: len(whole) // 2], whole[:-1], whole + b"\0", other, b"text", b"\x80\x05K\x01.")
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        yield bytes(changed)


def forms(path, whole, other):
    """Replace a file by each of `damages`, and then by a path that is no file, or not readable."""
    for contents in damages(whole, other, range(len(whole))):
        path.write_bytes(contents)
        yield
    path.unlink()
    path.mkdir()
    yield
    path.write_bytes(b"unreadable")
    path.chmod(0)
    yield
    path.unlink()
    path.symlink_to(path)
    yield
    path.unlink()
    os.mkfifo(path)
    yield


def test_damaged_files_are_made_again_and_replaced(tmp_path, monkeypatch, caplog):
    """With any contents of the file, and any replacement of it, the answer is right, and the next one is read."""
    monkeypatch.setattr(disk_cache, "cache_directory", lambda: tmp_path)
    file = disk_cache.CachedFile("folder", "{}.o", ("key",))
    another = disk_cache.CachedFile("folder", "{}.o", ("another",))
    code = pickle.dumps({"code": np.random.default_rng(1).bytes(300)})
    made = []

    def build():
        made.append(1)
        return code

    another.store(code)
    assert disk_cache.cached("folder", "o", ("key",), build) == code
    whole = file.path.read_bytes()
    for count, _ in enumerate(forms(file.path, whole, another.path.read_bytes()), 2):
        assert file.load(lambda data: pytest.fail("damaged contents were decoded")) is None
        assert "is compiled again" in caplog.records[-1].message and str(file.path) in caplog.text
        for _ in range(2):
            assert disk_cache.cached("folder", "o", ("key",), build) == code
        assert len(made) == count and file.path.read_bytes() == whole


@pytest.mark.parametrize("error", [AttributeError, UnicodeDecodeError("utf-8", b"", 0, 1, "no"), RecursionError])
def test_whatever_a_load_raises_the_code_is_made_again(error, tmp_path, monkeypatch, caplog):
    """Intact files may still name objects that no longer exist."""
    monkeypatch.setattr(disk_cache, "cache_directory", lambda: tmp_path)
    file = disk_cache.CachedFile("folder", "{}.o", ("key",))
    file.store(b"code")

    def decode(data):
        raise error

    assert file.load(decode) is None
    (record,) = caplog.records
    assert "is compiled again" in record.message
    file.store(b"code")
    assert file.load(bytes) == b"code"


RELOADED = """
import sys
from pathlib import Path

import numpy as np

from frontier.runtime import cpu_kernel
from frontier.runtime.compile import disk_cache, progress

sys.path.insert(0, {tests!r})
from test_compiled_code_cache import damages

CONSTANT = 1234567


def kernel(x):
    return x + CONSTANT


def other(x):
    return x - CONSTANT


def call(function):
    compiled = []
    with progress.on_compile(compiled.append):
        answer = cpu_kernel(function)(2)  # which knows of no code in memory
    return answer, len(compiled)


assert call(kernel) == (CONSTANT + 2, 1) and call(other) == (2 - CONSTANT, 1)
folder = disk_cache.cache_directory() / "cpu"
(path,), (another,) = folder.glob("kernel-*"), folder.glob("other-*")
whole, rng = path.read_bytes(), np.random.default_rng(3)
places = [whole.index(CONSTANT.to_bytes(4, "little")), *rng.integers(60, len(whole), 12)]
for contents in damages(whole, another.read_bytes(), places):
    path.write_bytes(contents)
    assert call(kernel) == (CONSTANT + 2, 1), contents[:80]
    assert call(kernel) == (CONSTANT + 2, 0)
another.write_bytes(path.read_bytes())
assert call(other) == (2 - CONSTANT, 1)
print(len(places))
"""


@pytest.mark.slow
def test_no_damaged_machine_code_runs(tmp_path):
    """In a separate process, which it would crash."""
    source = RELOADED.replace("{tests!r}", repr(str(Path(__file__).parent)))
    assert run(tmp_path, 0, source) == [13]


@pytest.mark.parametrize("kind", ["cubin", "ltoir", "functor"])
def test_damaged_code_for_gpus_is_made_again(kind, tmp_path, monkeypatch):
    pytest.importorskip("cuda.core")
    from frontier.functor import compile as compilation
    from frontier.runtime.compile import cuda

    def above(v, x):
        return x[v] > 2

    makers = {
        "cubin": lambda: cuda.cached_cubin("a.cuh", (), (), "sm_90"),
        "ltoir": lambda: cuda.cached_ltoir("a.cuh", (), "sm_90"),
        "functor": lambda: compilation.cuda_functor(above, "op", np.dtype(bool), ((np.dtype(int), 0),), (9, 0)),
    }
    made = []
    monkeypatch.setattr(disk_cache, "cache_directory", lambda: tmp_path)
    for module, name in ((cuda, "compile_cubin"), (cuda, "compile_ltoir"), (compilation, "_compile_for_cuda")):
        monkeypatch.setattr(module, name, lambda *parts: made.append(parts) or b"code" * 50)
    code = makers[kind]()
    (path,) = (tmp_path / "cuda").iterdir()
    whole = path.read_bytes()
    for count, contents in enumerate(damages(whole, b"other", range(len(whole))), 2):
        path.write_bytes(contents)
        for _ in range(2):
            monkeypatch.setattr(compilation, "_in_memory", {})
            assert makers[kind]() == code
        assert len(made) == count and path.read_bytes() == whole


@pytest.mark.parametrize(
    ("function", "uses"),
    [
        (lambda src, dst, edge, weight, x: x[dst] > 0, False),
        (lambda src, dst, edge, weight, x: x[dst] > weight, True),
        (lambda src, dst, edge, w: w > 1, True),
        (lambda src, dst, edge, weight: (lambda: weight)() > 1, True),
        (lambda *arc: arc[3] > 1, True),
    ],
    ids=["not at all", "at once", "by another name", "in a function within", "among all"],
)
def test_functors_that_look_at_weights(function, uses):
    assert uses_parameter(function, WEIGHT_POSITION) == uses


@pytest.mark.parametrize(("one", "other"), [("csr", "csr"), ("gpma", "lpma")], ids=["weights", "iterator"])
def test_kernels_are_shared(one, other):
    """By graphs with weights and without, if no functor reads them, and by structures with the same iterator."""

    def op(src, dst, edge, weight, x):
        return x[dst] > 0

    found = []
    for name, weights in ((one, None), (other, np.float32([1, 2]))):
        graph = fr.structures()[name].from_edges([0, 1], [1, 2], weights, num_vertices=3, device="cpu")
        with progress.on_compile(found.append):
            kept = fr.advance(graph, fr.Frontier(graph, [0]), op, np.ones(3), direction="push")
        assert len(kept) == 1 and len(found) <= 1  # none if an earlier process has left it on the disk


def digest(function):
    return functor_identity(function).digest


def named(source, name="op", **names):
    exec(source, names)
    return names[name]


BASE = "def op(v, x):\n    return x[v] > limit"


@pytest.mark.parametrize(
    "other",
    [
        named("def op(v, x):\n    return x[v] >= limit", limit=3),
        named("def op(v, x):\n    return x[v] > limit + 1", limit=3),
        named(BASE, limit=4),
        named(BASE, limit=3.0),
        named("def op(v, y):\n    return y[v] > limit", limit=3),
    ],
    ids=["operator", "constant", "global", "type of a global", "name"],
)
def test_digests_differ(other):
    assert digest(other) != digest(named(BASE, limit=3))


def test_digests_follow_callees():
    def caller(body):
        helper = named(f"def helper(x):\n    return {body}", "helper")
        return named("def op(v, x):\n    return helper(x[v])", helper=helper)

    assert digest(caller("x > 1")) == digest(caller("x > 1"))
    assert digest(caller("x > 1")) != digest(caller("x > 2"))


def test_machine_code_is_kept_by_everything_that_went_into_it(tmp_path, monkeypatch):
    pytest.importorskip("cuda.core")
    from frontier.runtime.compile import cuda

    monkeypatch.setattr(disk_cache, "cache_directory", lambda: tmp_path)
    made = []
    monkeypatch.setattr(cuda, "compile_cubin", lambda *parts: made.append(parts) or b"code")
    asked = [
        ("a.cuh", (("VID", "int"),), (), "sm_90"),
        ("a.cuh", (("VID", "i64"),), (), "sm_90"),
        ("b.cuh", (("VID", "int"),), (), "sm_90"),
        ("a.cuh", (("VID", "int"),), (b"functor",), "sm_90"),
        ("a.cuh", (("VID", "int"),), (), "sm_80"),
    ]
    for _ in range(2):
        for parts in asked:
            assert cuda.cached_cubin(*parts) == b"code"
    assert made == asked
    monkeypatch.setattr(cuda, "cuda_fingerprint", lambda: "a header has changed")
    cuda.cached_cubin(*asked[0])
    assert len(made) == len(asked) + 1


def test_all_that_makes_functors_for_gpus_is_part_of_their_key():
    from frontier.functor.cuda import COMPILERS
    from frontier.functor.cuda.compilers import source_files

    folder = Path(__file__).parents[2] / "frontier/functor"
    others = {"__init__.py", "arguments.py", "errors.py"}  # they decide nothing about compiled code
    made_by = {f"frontier/functor/{path.name}" for path in folder.glob("*.py") if path.name not in others}
    made_by |= {"frontier/functor/intrinsics/atomics.py"}
    for name, package in COMPILERS.items():
        own = [f"frontier/functor/cuda/{package}/{path.name}" for path in (folder / "cuda" / package).glob("*.py")]
        assert len(own) >= 4
        assert made_by | set(own) <= set(source_files(name))


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_the_garbage_collector_rests_during_a_compilation_only(enabled, fails):
    seen = []

    def probe():
        """Stands for the function below."""

    @numba.extending.overload(probe)
    def typed():
        seen.append(gc.isenabled())
        return None if fails else lambda: 0

    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with pytest.raises(numba.TypingError) if fails else contextlib.nullcontext():
            numba.njit(lambda: probe())()
        assert set(seen) == {False}
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()


@jit
def half(x):
    if x % 2:
        raise ValueError("an odd number")
    return x // 2


@jit
def announced(x):
    print("half of", x)
    return half(x)


@cpu_kernel
def halve(count, numbers):
    for i in range(count):
        numbers[i] = announced(numbers[i])


def test_functions_that_kernels_call_may_print_and_raise(capfd):
    """Though they have no separate machine code."""
    numbers = np.array([4, 6])
    halve(2, numbers)
    assert numbers.tolist() == [2, 3]
    with pytest.raises(ValueError, match="an odd number"):
        halve(2, numbers)
    assert numbers.tolist() == [1, 3] and capfd.readouterr().out.splitlines()[1] == "half of 6"


@jit
def quarter(x):
    return half(half(x))


@pytest.mark.parametrize("helper", [half, quarter])
def test_functions_that_kernels_call_are_no_machine_code(helper):
    """It would be slow, and replace the optimized code in kernels that the same process compiles."""
    helper.compile((numba.int64,))
    library = helper.overloads[(numba.int64,)].library
    assert library.get_pointer_to_function(library.name) == 0


def test_code_that_takes_arguments_from_python_is_not_optimized():
    """It is as long as many a kernel, and executed once a call."""

    @cpu_kernel
    def double(count, values):
        for i in range(count):
            values[i] *= 2

    double._cache = NullCache()  # the cache contains text of the code compiled here
    values = np.ones(3)
    double(3, values)
    assert values.tolist() == [2, 2, 2]
    (text,) = double.inspect_llvm().values()
    unoptimized = {f"#{number}" for number in re.findall(r"^attributes #(\d+) = .*optnone", text, re.MULTILINE)}
    found = dict(re.findall(r"^define .*@(_ZN(?:7cpython)?).*(#\d+)", text, re.MULTILINE))
    assert found.pop("_ZN7cpython") in unoptimized
    assert found and not unoptimized & set(found.values())


def test_numba_keeps_no_files_of_its_own():
    """They have no checksum, and miss changes of functions that a kernel calls."""
    found = [path for package in disk_cache.PACKAGES for path in (ROOT / package).rglob("*.py")
             if "cache=True" in path.read_text()]  # fmt: skip
    assert not found
