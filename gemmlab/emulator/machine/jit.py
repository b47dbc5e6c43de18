"""How the interpreter's functions are compiled, and what this processor can do."""

from __future__ import annotations

import llvmlite.binding as llvm
from numba import njit

# These functions are called from compiled code only, so no wrappers for Python or C are made: half the time to compile.
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
compiled = njit(**_OPTIONS)
inlined = njit(forceinline=True, **_OPTIONS)


def compiled_as(signature: str):
    """Compiled once, for these types: without a signature each constant among the arguments makes another copy."""
    return njit(signature, **_OPTIONS)


HAS_FMA = bool(llvm.get_host_cpu_features().get("fma")) or llvm.get_process_triple().startswith(("aarch64", "arm64"))
