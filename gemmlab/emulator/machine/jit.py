"""How the interpreter's functions are compiled, and what this processor can do.

They are called from compiled code only. Numba would optimise each with all that it calls, and make machine code of
that, again and again on the way up to `run_blocks`: two minutes. Here a function is only put together with those that
it calls, and LLVM sees the whole once, in the end.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

import llvmlite.binding as llvm
from numba import njit, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


def _link(library: Any) -> None:
    """Instead of CodeLibrary.finalize: no optimisation, no machine code."""
    for other in dict.fromkeys(library._linking_libraries):
        library._final_module.link_in(other._get_module_for_linking(), preserve=True)
    library._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LinkedLowering(NativeLowering):
    """A function's LLVM code, for others to link in."""

    _name = "linked_lowering"

    def run_pass(self, state: Any) -> bool:
        if state.library is None:
            state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        state.library.finalize = partial(_link, state.library)
        state.flags.no_compile = True
        super().run_pass(state)
        # Callers look a function up by its entry point, which is a builtin. This one has none: one that nobody calls
        # stands for it.
        stand_in = state.cr.fndesc.__sizeof__
        state.targetctx.insert_user_function(stand_in, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=stand_in)
        return True


class _Linked(CompilerBase):
    def define_pipelines(self) -> list:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_LinkedLowering if one is NativeLowering else one, why) for one, why in passes.passes]
        passes.finalize()
        return [passes]


_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": _Linked,
}
_MASKS = {"lanes", "mask", "good"}  # arguments of 32 bits, one a lane, whatever Numba makes of & and ~


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compiled for the types that it is called with. Constants are no types of their own, and masks have 32 bits: else
    each way to call a function would make another copy of it."""
    dispatcher = njit(**_OPTIONS, **options)(function)
    template_of = dispatcher.get_call_template
    names = list(inspect.signature(function).parameters)

    def get_call_template(args: tuple, kws: dict) -> Any:
        plain = (types.uint32 if name in _MASKS else types.unliteral(arg) for name, arg in zip(names, args))
        return template_of(tuple(plain), kws)

    dispatcher.get_call_template = get_call_template
    return dispatcher


inlined: Callable[..., Any] = partial(compiled, forceinline=True)


def compiled_as(signature: str) -> Callable[..., Any]:
    """Compiled once, for these types. Numba would compile at once, before the functions that stand further down; here
    it waits for the first call."""

    def decorate(function: Callable[..., Any]) -> Any:
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
