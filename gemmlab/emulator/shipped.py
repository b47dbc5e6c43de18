"""The interpreter's LLVM code as the course brings it: Numba made it once from the sources in machine/, which takes
most of the time that compiling takes. `python -m gemmlab.emulator.shipped` makes it anew; `make lessons` does where it
is stale.

It is optimised, and fits any processor. Its first line names the sources that it was made from; where
these are not the sources at hand, it counts as missing.
"""

from __future__ import annotations

import importlib.metadata
import json
import lzma
import platform
from pathlib import Path

from gemmlab.emulator import store
from gemmlab.files import write_whole

PATH = Path(__file__).resolve().with_name("interpreter.bitcode")


def read() -> bytes | None:
    """The LLVM code of these very sources, if the course brings it."""
    try:
        first, _, rest = PATH.read_bytes().partition(b"\n")
        return lzma.decompress(rest) if json.loads(first)["sources"] == store.sources_digest() else None
    except (OSError, ValueError, KeyError, lzma.LZMAError):
        return None


def made_with() -> dict[str, str]:
    """What the code is made with: other versions may give other code for the same sources."""
    return {
        "machine": f"{platform.system()} {platform.machine()}",
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: importlib.metadata.version(name) for name in ("numba", "llvmlite")},
    }


def header() -> dict:
    """What the file says of itself. {} where there is none, or none that can be read."""
    try:
        return json.loads(PATH.read_bytes().partition(b"\n")[0])
    except (OSError, ValueError):
        return {}


def is_fresh() -> bool:
    return header().get("sources") == store.sources_digest()


def write(bitcode: bytes) -> None:
    """Put it in the place of the old."""
    first = json.dumps({"sources": store.sources_digest(), **made_with()})
    write_whole(PATH, first.encode() + b"\n" + lzma.compress(bitcode, preset=9))


def from_sources() -> bytes:
    """The LLVM code made from the sources, by Numba, and optimised. The same each time, for the same versions."""
    from gemmlab.emulator import native
    from gemmlab.emulator.machine.blocks import run_blocks
    from gemmlab.emulator.machine.jit import bitcode

    return native.optimised(bitcode(run_blocks))


if __name__ == "__main__":
    write(from_sources())
