"""CUDA kernels as C++: compiled by g++, with functors' LLVM code, and run on the CPU."""

from __future__ import annotations

import ctypes
import hashlib
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
KERNEL = re.compile(r'extern\s+"C"\s+\[\[gnu::used\]\]\s+void\s+(\w+)\s*\(')
PREFETCH = re.compile(r'asm volatile\("prefetch.*?\)\);', re.DOTALL)
DYNAMIC = re.compile(r"extern static thread_local (\w+) (\w+)\[\];")  # shared memory whose size a launch gives
ARCH = "sm_90"
BETWEEN = "\0"  # modules of a functor


def compile_cubin(header: str, defines: Any, functors: tuple[bytes, ...] = (), arch: str = ARCH) -> bytes:
    """`frontier.runtime.compile.cuda.compile_cubin`, except that the result is a shared library."""
    source = _source(header, defines)
    source = DYNAMIC.sub(r"\1* \2 = reinterpret_cast<\1*>(emulator::block->dynamic);", source)
    names = sorted(set(KERNEL.findall(source)))
    for name in names:
        source += f'extern "C" {SEEN} void {PREFIX}{name}(void** p) {{ emulator::call(&{name}, p); }}\n'
    source += f'extern "C" {SEEN} auto emulated_launch = &emulator::launch;\n'
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for k, code in enumerate(functors):
            path = Path(folder) / f"functor{k}.o"
            path.write_bytes(code if code.startswith(OBJECT) else _object_of(code))
            objects.append(str(path))
        if objects:
            objects.append(str(HERE / "libdevice_on_cpu.cpp"))
        kernels, out = Path(folder) / "kernels.cpp", Path(folder) / "kernels.so"
        kernels.write_text(source)
        options = ["-shared", "-pthread", "-Wl,--allow-multiple-definition", "-o", str(out)]  # of what headers define
        _run([*COMPILER, *options, str(kernels), "-x", "none", *objects], "")
        return out.read_bytes()


def compile_ltoir(header: str, defines: Any, arch: str = ARCH) -> bytes:
    """`frontier.runtime.compile.cuda.compile_ltoir`, except that the result is an object file."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "functions.o"
        _run([*COMPILER, "-c", "-o", str(out), "-"], _source(header, defines))
        return out.read_bytes()


def _source(header: str, defines: Any) -> str:
    """A header as C++."""
    macros = "".join(f"#define {name} {text}\n" for name, text in defines)
    given = f'#include "cuda_on_cpu.h"\n{macros}#include "{header}"\n'
    return PREFETCH.sub(";", _run([*COMPILER, "-E", "-P", "-"], given))


COMPILER = [
    "g++", "-std=c++17", "-w", "-fpermissive", f"-I{ROOT}", f"-I{HERE}", "-O1", "-fPIC", "-fvisibility=hidden", "-x",
    "c++",
]  # fmt: skip
OBJECT = b"\x7fELF"  # the first bytes of an object file


PREFIX = "emulated_"
SEEN = '__attribute__((visibility("default")))'  # kernels are hidden: one is called like a function of the C library


def _run(command: list[str], given: str) -> str:
    done = subprocess.run(command, input=given, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"g++ failed:\n{done.stderr[:4000]}")
    return done.stdout


def _object_of(code: bytes) -> bytes:
    """Machine code of the LLVM text that stands for a functor's LTO-IR."""
    from host_code import _for_host

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module, *others = [llvm.parse_assembly(_for_host(text)) for text in code.decode().split(BETWEEN)]
    for other in others:
        module.link_in(other)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1, reloc="pic")
    return machine.emit_object(module)


_launches: dict[int, tuple[Any, Any]] = {}  # of kernels, by what stands for their addresses
_libraries: list[Any] = []


class Function:
    """A kernel."""

    def __init__(self, library: Any, name: str):
        wrapper = getattr(library, PREFIX + name)
        launch = ctypes.cast(ctypes.c_void_p.in_dll(library, "emulated_launch").value, LAUNCH)
        self.ptr = ctypes.cast(wrapper, ctypes.c_void_p).value
        _launches[self.ptr] = wrapper, launch


LAUNCH = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint
)  # fmt: skip


class Module:
    """``cupy.cuda.function.Module``."""

    def load(self, code: bytes) -> None:
        path = Path(tempfile.mkdtemp(prefix="emulated")) / f"{hashlib.sha256(code).hexdigest()[:16]}.so"
        path.write_bytes(code)
        self._library = ctypes.CDLL(str(path))
        path.unlink()
        path.parent.rmdir()
        _libraries.append(self._library)

    def get_function(self, name: str) -> Function:
        return Function(self._library, name)


def launch(
    function: int, bx: int, by: int, bz: int, tx: int, ty: int, tz: int, shared: int, stream: int, parameters: int,
    extra: int = 0,
) -> None:  # fmt: skip
    """``cupy.cuda.driver.launchKernel``."""
    _launch(function, bx, tx, parameters, 1)


def launch_cooperatively(
    function: int, bx: int, by: int, bz: int, tx: int, ty: int, tz: int, shared: int, stream: int, parameters: int
) -> None:
    """``cupy.cuda.driver.launchCooperativeKernel``: all blocks at once."""
    _launch(function, bx, tx, parameters, bx)


def _launch(function: int, blocks: int, threads: int, parameters: int, together: int) -> None:
    assert blocks > 0 and 0 < threads <= 1024, (blocks, threads)
    _, run = _launches[function]
    run(function, parameters, blocks, threads, together)


def install() -> None:
    """Compile kernels here, leave functors as LLVM code, and run captured steps directly."""
    from numba.cuda.cudadrv import nvvm

    from frontier.distributed.operators import persistent
    from frontier.distributed.transport.in_process import InProcessCommunicator
    from frontier.operators.capture import CapturedStep
    from frontier.runtime.compile import cuda, workers
    from frontier.runtime.memory import growable

    version = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(HERE.glob("*")) if path.is_file()))
    cuda.compile_cubin = compile_cubin
    cuda.compile_ltoir = compile_ltoir
    cuda.shipped_cubin = lambda *_: None
    cuda.toolchain_version = lambda: f"emulated {version.hexdigest()}"
    cuda.import_toolchain = lambda: None
    cuda.cluster_blocks = lambda: 1  # as kernels for devices without clusters
    workers._Process.compile = lambda *_: None

    def keep(code: Any, **options: Any) -> bytes:
        codes = [code] if isinstance(code, str | bytes) else list(code)
        return BETWEEN.join(text if isinstance(text, str) else text.decode() for text in codes).encode()

    nvvm.compile_ir = keep

    InProcessCommunicator.kernels_meet = True
    persistent.PATIENCE = 2**62  # a read of another part's writes costs no time

    CapturedStep.__call__ = lambda self: self._step()

    class NoRange:
        """No ranges of addresses: arrays grow by copies."""

        def __init__(self, nbytes: int):
            raise OSError("the emulated GPU has none")

    growable._DeviceRange = NoRange
