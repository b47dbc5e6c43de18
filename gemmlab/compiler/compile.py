"""NVRTC on any machine: the student's CUDA source becomes PTX, cubin, diagnostics and a report of resources.

What `#include` finds: the headers of NVIDIA's packages and those of nvrtc/headers.py, nothing else. The source is given
to NVRTC from memory under a folder that does not exist, so that files beside the student's are not found, and an
absolute path is refused here. This keeps accidents away; a source that means harm (a path made by a macro) is held off
by the sandbox of the grader.

A file may bring host code, such as a launcher or `main`. It is left out of the device code, as nvcc leaves it out; see
host/code.py.
"""

from __future__ import annotations

import base64
import math
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from gemmlab.compiler import cache as compile_cache
from gemmlab.compiler import device_part as host_code
from gemmlab.compiler.nvrtc import client as nvrtc_client
from gemmlab.compiler.nvrtc.headers import BEFORE_ALL, HEADERS
from gemmlab.compiler.nvrtc.log import (
    HOST_REMARKS,
    MOST_REMARKS,
    SOURCE_NAME,
    PtxasMessage,
    parse_diagnostics,
    parse_ptxas,
    parse_resources,
    plain_name,
)
from gemmlab.cuda.tree import is_text
from gemmlab.errors import UserError
from gemmlab.kernel.program import Diagnostic, Program

DEFAULT_ARCH = "sm_80"
LONGEST_SOURCE = 1_000_000  # characters

UNUSED_IS_NO_FAULT = "-diag-suppress=177"  # what only the host used is not used any more without it
NAME_MAP = "__nv_name_map"
_UNKNOWN_NAME = re.compile(r'identifier "(.+?)" is undefined|\w+ ".+?" has no member "(.+?)"')
_ARCH = re.compile(r"sm_\d{2,3}[af]?")
_ABSOLUTE_INCLUDE = re.compile(r"""^[ \t]*#[ \t]*include[ \t]*[<"](?:[/\\]|[A-Za-z]:|.*\.\.[/\\])""", re.MULTILINE)
_PACKAGES = (
    "cupy-cuda12x cupy-cuda13x nvidia-cuda-nvrtc-cu12 nvidia-cuda-nvrtc nvidia-cuda-runtime-cu12 nvidia-cuda-runtime "
    "nvidia-cuda-nvcc-cu12 nvidia-cuda-crt nvidia-cuda-cccl-cu12 nvidia-cuda-cccl"
).split()


class CompileError(Exception):
    """The source does not compile. `diagnostics` has errors and warnings; str() is one error a line, with its place."""

    def __init__(self, filename: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.filename = filename
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(self._line(remark) for remark in self.diagnostics if remark.severity == "error"))

    def _line(self, remark: Diagnostic) -> str:
        place = ":".join(str(part) for part in (self.filename, remark.line, remark.column) if part is not None)
        return f"{place}: {remark.severity}: {remark.message}"


class _Rejected(Exception):
    """NVRTC or ptxas does not take the source; for use inside this file."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)

    def is_about(self, host_lines: frozenset[int]) -> bool:
        """Whether something is said of code of the host, which stands in these lines."""
        return any(remark.message in HOST_REMARKS or remark.line in host_lines for remark in self.diagnostics)

    def explained(self, host_names: dict[str, int]) -> _Rejected:
        """The same, where an unknown name is one that the host has."""
        return _Rejected([_explain(remark, host_names) for remark in self.diagnostics])


def _with_look_alikes(source: str, remarks: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The remarks; characters that look like C's come first, in place of what is said of their lines because of them.

    A letter of another alphabet may be a part of a name; it counts where its line has an error.
    """
    if source.isascii():
        return list(remarks)
    from gemmlab.cuda.lookalikes import look_alikes

    wrong_lines = {remark.line for remark in remarks if remark.severity == "error"}
    found = [one for one in look_alikes(source) if not one.is_letter or one.line in wrong_lines]
    lines = {one.line for one in found}
    told = [Diagnostic("error", one.message, one.line, one.column) for one in found[:MOST_REMARKS]]
    return told + [remark for remark in remarks if remark.line not in lines]


def _explain(remark: Diagnostic, host_names: dict[str, int]) -> Diagnostic:
    unknown = _UNKNOWN_NAME.match(remark.message)
    name = (unknown[1] or unknown[2]) if unknown else ""
    if name not in host_names:
        return remark
    line = host_names[name]
    message = f"'{name}' (line {line}) belongs to the host; write __device__ before it to use it in a kernel"
    return replace(remark, message=message)


def compile_source(
    source: str,
    filename: str = "kernel.cu",
    *,
    arch: str | None = None,
    debug: bool = False,
    assembled: bool = True,
    options: Sequence[str] = (),
    instances: Sequence[str] = (),
    timeout: float = 60,
) -> Program:
    """Compile CUDA C++ for one architecture, 'sm_80' unless given; `debug` keeps every variable in memory (-G)
    and brings no cubin. What is not `assembled` is PTX alone, without resources and without ptxas's complaints.

    `options` are further options of NVRTC, such as '-DTILE=16'. `instances` are kernels to make of templates, such as
    'gemm<64, 64>'; the Program knows them by these names. `timeout` is in seconds for the whole. Results are cached.
    A kernel without extern "C" gets a mangled symbol; `Program.symbol` translates. Raises CompileError where the source
    is wrong (out of time and out of memory included), UserError where the request is or NVRTC is missing.
    """
    arch = arch or DEFAULT_ARCH
    _check_request(source, filename, arch)
    arguments = ["-G" if debug else "-lineinfo", "-std=c++17", "--ptxas-options=-v"]
    arguments += [f"--pre-include={BEFORE_ALL}", *options]
    more = {"instances": list(instances)} if instances else {}
    target = arch if assembled else _virtual(arch)
    name = compile_cache.key(
        source=source, arch=target, options=arguments, compiler=_compiler(), headers=HEADERS, **more
    )
    entry = compile_cache.load(name)
    if entry is None:
        try:
            entry = _Compilation(target, arguments, instances, timeout).run(source)
        except _Rejected as rejected:
            raise CompileError(filename, _with_look_alikes(source, rejected.diagnostics)) from None
        except nvrtc_client.CompilerLost as lost:
            raise CompileError(filename, [Diagnostic("error", str(lost))]) from None
        compile_cache.store(name, entry)
    return _program(source, filename, arch, entry)


def _virtual(arch: str) -> str:
    """The architecture whose code is PTX: nothing is assembled for it."""
    return arch.replace("sm_", "compute_")


def has_header(name: str) -> bool:
    """Whether a source may include that header. Raises UserError where there is no NVRTC."""
    folders = () if name in HEADERS else nvrtc_client.describe()["include"]
    return name in HEADERS or any(Path(folder, name).is_file() for folder in folders)


def warm() -> None:
    """Start the compiler's process without waiting, so that the first `compile_source` finds it ready."""
    nvrtc_client.warm()


def _check_request(source: str, filename: str, arch: str) -> None:
    if not _ARCH.fullmatch(arch):
        raise UserError(f"'{arch}' is not a GPU architecture; write it like sm_80")
    if not is_text(source):
        raise CompileError(filename, [Diagnostic("error", "the file is not text; save the kernel as UTF-8")])
    if len(source) > LONGEST_SOURCE:
        raise CompileError(filename, [Diagnostic("error", f"the file has more than {LONGEST_SOURCE:,} characters")])
    if include := _ABSOLUTE_INCLUDE.search(source):
        message = "include CUDA's headers by name, such as <cuda_runtime.h>; other files cannot be included"
        raise CompileError(filename, [Diagnostic("error", message, source.count("\n", 0, include.start()) + 1)])


@cache
def _compiler() -> list[str]:
    """What identifies the compiler and its headers, found without starting it where they are installed as packages."""
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    if not any("nvrtc" in package for package in found):
        found.append(str(nvrtc_client.describe()))
    return found


class _Compilation:
    """The calls of NVRTC that one source needs, mostly one, under one time limit."""

    def __init__(self, arch: str, options: list[str], instances: Sequence[str], timeout: float) -> None:
        self.arch = arch
        self.options = options
        self.instances = list(instances)
        self.timeout = timeout
        self.end = time.monotonic() + timeout

    def run(self, source: str) -> dict:
        """{"ptx", "cubin" (base64), "log", "names" (the instances' symbols)} of the device code. Raises _Rejected."""
        try:
            return self._compile(source)
        except _Rejected as rejected:
            device = host_code.without_host_code(source, self.instances)
            if not (device.removed_lines or device.has_constexpr) or not rejected.is_about(device.removed_lines):
                raise
        try:
            more = ["-default-device"] if device.has_constexpr else []
            return self._compile(device.text, UNUSED_IS_NO_FAULT, *more)
        except _Rejected as rejected:
            raise rejected.explained(device.removed) from None

    def _compile(self, source: str, *more: str) -> dict:
        answer = self._ask(source, self.arch, *more)
        if answer["ok"]:
            return {name: answer[name] for name in ("ptx", "cubin", "log", "names")}
        complaints = [message for message in parse_ptxas(answer["log"]) if message.severity == "error"]
        if not complaints:
            raise _Rejected(self._diagnostics(answer, source))
        again = self._ask(source, _virtual(self.arch), *more)
        ptx = again.get("ptx", "")
        if not ptx or not all(complaint.is_about_resources for complaint in complaints):
            raise _Rejected([_located(complaint, ptx) for complaint in complaints])
        return {"ptx": ptx, "cubin": "", "log": answer["log"], "names": again["names"]}

    def _diagnostics(self, answer: dict, source: str) -> tuple[Diagnostic, ...]:
        """What NVRTC said of a source that it rejected. Raises UserError where it rejected the options."""
        if refused := re.search(r"^nvrtc: error: (.*)", answer["log"], re.MULTILINE):
            known = "(-arch)" not in refused[1]
            what = "the compiler does not take its options" if known else f"this compiler does not know {self.arch}"
            raise UserError(f"{what} ({refused[1]})")
        found = self._without_name_map(parse_diagnostics(answer["log"], source))
        if not any(remark.severity == "error" for remark in found):
            return (*found, Diagnostic("error", f"the compiler gave up without saying where ({answer['reason']})"))
        return found

    def _without_name_map(self, found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """NVRTC reads the names of instances as a file of its own; what it says of that becomes one plain error."""
        others = tuple(remark for remark in found if NAME_MAP not in remark.message)
        if len(others) == len(found):
            return others
        names = " or ".join(self.instances)
        return (Diagnostic("error", f"no kernel template of this file can be made into {names}"), *others)

    def _ask(self, source: str, arch: str, *more: str) -> dict:
        remaining = self.end - time.monotonic()
        if remaining <= 0:
            raise nvrtc_client.out_of_time(self.timeout)
        options = [f"-arch={arch}", *self.options, *more]
        request = {"source": source, "name": SOURCE_NAME, "options": options, "headers": HEADERS}
        request["instances"] = self.instances
        return nvrtc_client.ask(request, remaining)


def _located(complaint: PtxasMessage, ptx: str) -> Diagnostic:
    """ptxas's complaint at the student's line: that of the last .loc before the line of the PTX."""
    before = "\n".join(ptx.splitlines()[: complaint.ptx_line or 0])
    file = re.search(rf'\.file\s+(\d+)\s+"{SOURCE_NAME}"', ptx)
    places = re.findall(rf"\.loc\s+{file[1]}\s+(\d+)\s+(\d+)", before) if file else []
    line, column = (int(number) for number in places[-1]) if places else (None, None)
    return Diagnostic("error", f"the assembler does not take this code: {complaint.text}", line, column or None)


def _program(source: str, filename: str, arch: str, entry: dict) -> Program:
    instances = {symbol: name for name, symbol in entry.get("names", {}).items()}

    def name_of(symbol: str) -> str:
        return instances.get(symbol) or plain_name(symbol)

    symbols = {name_of(symbol): symbol for symbol in re.findall(r"\.entry\s+([\w$]+)", entry["ptx"])}
    messages = parse_ptxas(entry["log"])
    return Program(
        source=source,
        filename=filename,
        arch=arch,
        ptx=entry["ptx"],
        cubin=base64.b64decode(entry["cubin"]) or None,
        resources={
            name_of(symbol): replace(found, max_threads=_launch_bound(symbol, entry["ptx"]))
            for symbol, found in parse_resources(entry["log"]).items()
        },
        warnings=(
            *parse_diagnostics(entry["log"], source),
            *(Diagnostic("warning", message.text) for message in messages if message.severity == "warning"),
        ),
        ptxas_errors=tuple(message.text for message in messages if message.severity == "error"),
        kernels=tuple(symbols),
        symbols=symbols,
    )


def _launch_bound(symbol: str, ptx: str) -> int | None:
    """The threads of a block that __launch_bounds__ allows; None where the kernel has none."""
    entry = re.search(rf"\.entry\s+{re.escape(symbol)}\(.*?\)([^{{]*){{", ptx, re.DOTALL)
    bound = re.search(r"\.maxntid\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?", entry[1]) if entry else None
    return math.prod(int(size or 1) for size in bound.groups()) if bound else None
