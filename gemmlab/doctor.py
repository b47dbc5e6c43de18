"""What this machine offers to the course, one line a part, and what to do where something is missing."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

from gemmlab.errors import UserError

OLDEST_PYTHON = (3, 10)
_INSTALL = "install the course again (make lab, or pip install gemmlab)"
_MACOS = (
    "NVIDIA has no NVRTC for macOS: use a Linux container on this Mac or a remote Linux machine with JupyterLab; "
    "everything that compiles no kernel works here"
)


@dataclass(frozen=True)
class Item:
    """One part of the machine. `ok` says whether it is there, `needed` whether a check works without it."""

    name: str
    ok: bool
    text: str
    needed: bool = True

    def to_json(self) -> dict:
        return asdict(self)


def examine() -> list[Item]:
    """Look at every part; takes a second or two, since the compiler and the GPU are asked themselves."""
    return [look() for look in _LOOKS]


def print_items(items: list[Item]) -> None:
    """One line a part on the standard output."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    for item in items:
        word, colour = ("ok", "green") if item.ok else ("missing", "red") if item.needed else ("none", "yellow")
        table.add_row(Text(word, style=colour), item.name, Text(item.text))
    Console(highlight=False).print(table)


def _python() -> Item:
    wanted = ".".join(map(str, OLDEST_PYTHON))
    return Item("Python", sys.version_info >= OLDEST_PYTHON, f"{platform.python_version()} (from {wanted} on)")


def _platform() -> Item:
    return Item("platform", True, f"{platform.system()} {platform.release()}, {platform.machine()}")


def _cupy() -> Item:
    found = _installed("cupy-cuda12x", "cupy-cuda13x", "cupy")
    return Item("CuPy", bool(found), found or _missing())


def _compiler() -> Item:
    try:
        major, minor = _describe_compiler()["version"]
    except UserError as error:
        return Item("compiler", False, _MACOS if sys.platform == "darwin" else f"{error}; {_INSTALL}")
    return Item("compiler", True, f"NVRTC {major}.{minor}")


def _headers() -> Item:
    try:
        folders = _describe_compiler()["include"]
    except UserError:
        folders = []
    return Item("CUDA headers", bool(folders), "found" if folders else _missing())


def _describe_compiler() -> dict:
    from gemmlab.compiler.nvrtc import client as nvrtc_client

    return nvrtc_client.describe()


def _emulator() -> Item:
    from gemmlab.emulator import shipped, store

    if store.is_ready():
        return Item("emulator", True, f"compiled (llvmlite {_version('llvmlite')})")
    how = "in some seconds" if shipped.is_fresh() else "from its changed sources, in a minute or more"
    return Item("emulator", True, f"not compiled yet: the first check does it once, {how}; or run make warm")


def _gpu() -> Item:
    from gemmlab import gpu

    if gpu.available() is None:
        return Item("GPU", False, "no GPU: kernels run on the CPU, in the emulator", needed=False)
    try:
        found = gpu.device()
    except UserError as error:
        return Item("GPU", False, f"{gpu.available()} cannot be used: {error}", needed=False)
    return Item("GPU", True, f"{found.name} ({found.arch}), driver {found.driver}", needed=False)


def _cublas() -> Item:
    from gemmlab import gpu

    if gpu.available() is None:
        return Item("cuBLAS", False, "no GPU to compare with it on", needed=False)
    found = _installed("nvidia-cublas-cu12")
    how = "not found: to compare with it, pip install 'gemmlab[gpu]', or -e '.[gpu]' in a clone"
    return Item("cuBLAS", bool(found), found or how, needed=False)


def _notebook() -> Item:
    found = _installed("jupyterlab")
    return Item("JupyterLab", bool(found), found or _missing(), needed=False)


def _installed(*packages: str) -> str | None:
    """'name version' of the first of these packages that is installed."""
    return next((f"{package} {version}" for package in packages if (version := _version(package))), None)


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _missing() -> str:
    return "not on macOS, see the compiler" if sys.platform == "darwin" else f"not found: {_INSTALL}"


_LOOKS: tuple[Callable[[], Item], ...] = (
    _python,
    _platform,
    _cupy,
    _compiler,
    _headers,
    _emulator,
    _gpu,
    _cublas,
    _notebook,
)
