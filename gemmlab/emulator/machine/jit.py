"""How the interpreter's functions are compiled, and what this processor can do."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import llvmlite.binding as llvm
from numba import njit

# These functions are called from compiled code only, so no wrappers for Python or C are made: half the time to compile.
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
compiled: Callable[..., Any] = njit(**_OPTIONS)
inlined: Callable[..., Any] = njit(forceinline=True, **_OPTIONS)


def compiled_as(signature: str) -> Callable[..., Any]:
    """Compiled once, for these types: without a signature each constant among the arguments makes another copy.

    Numba would compile at once, before the functions that stand further down; here it waits for the first call.
    """

    def decorate(function: FunctionType) -> Any:
        dispatcher = compiled(function)
        template_of = dispatcher.get_call_template

        def get_call_template(args: tuple, kws: dict) -> Any:
            if not dispatcher.overloads:
                dispatcher.compile(signature)
                dispatcher.disable_compile()
            return template_of(args, kws)

        dispatcher.get_call_template = get_call_template
        return dispatcher

    return decorate


def compiled_module(module: ModuleType) -> dict[str, Any]:
    """The functions of a module of plain Python, compiled, by name. They call each other in their compiled form."""
    names = dict(vars(module))
    for name, function in vars(module).items():
        if isinstance(function, FunctionType) and function.__module__ == module.__name__:
            names[name] = compiled(FunctionType(function.__code__, names, name))
    return names


HAS_FMA = bool(llvm.get_host_cpu_features().get("fma")) or llvm.get_process_triple().startswith(("aarch64", "arm64"))
