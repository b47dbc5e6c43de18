"""How the interpreter's functions are compiled: by Numba to LLVM code, all of them into one module (`bitcode`).

They are called from compiled code only. Numba would optimise each with all that it calls, and make machine code of
that, again and again on the way up to `run_blocks`: two minutes. Here Numba only writes each down, and LLVM sees the
whole once, in the end (native.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

import llvmlite.binding as llvm
from numba import njit, types
from numba.core import cgutils
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class _Text(CPUCodeLibrary):
    """A function's LLVM code as text, and the libraries of those that it calls. Numba would optimise it and link it
    with all that it calls, for each function anew."""

    def add_ir_module(self, ir_module: Any) -> None:
        self.text = cgutils.normalize_ir_text(str(ir_module))

    def finalize(self) -> None:
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _TextLowering(NativeLowering):
    """A function's LLVM code, for `bitcode` to link."""

    _name = "text_lowering"

    def run_pass(self, state: Any) -> bool:
        if state.library is None:
            state.library = _Text(state.targetctx.codegen(), state.func_id.func_qualname)
        if on_function:
            on_function(sum(bool(one.overloads) for one in _dispatchers), len(_dispatchers))
        state.flags.no_compile = True
        super().run_pass(state)
        # Callers look a function up by its entry point, which is a builtin. This one has none: one that nobody calls
        # stands for it.
        stand_in = state.cr.fndesc.__sizeof__
        state.targetctx.insert_user_function(stand_in, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=stand_in)
        return True


# Passes of Numba for what the interpreter's functions do not have: closures, defaults, unrolled tuples, parallel loops.
_LEFT_OUT = {
    "WithLift",
    "InlineClosureLikes",
    "InlineInlinables",
    "DeadBranchPrune",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "FindLiterally",
    "InlineOverloads",
    "NopythonRewrites",
    "DumpParforDiagnostics",
}


class _ToText(CompilerBase):
    def define_pipelines(self) -> list:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        kept = [(one, why) for one, why in passes.passes if one.__name__ not in _LEFT_OUT]
        passes.passes = [(_TextLowering if one is NativeLowering else one, why) for one, why in kept]
        passes.finalize()
        return [passes]


_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": _ToText,
    "_nrt": False,  # no allocator: arrays are on the stack (stack.py)
}
_dispatchers: list[Any] = []
on_function: Callable[[int, int], None] | None = None  # called as functions are compiled: how many, of about how many
_MASKS = {"lanes", "mask", "good"}  # arguments of 32 bits, one a lane, whatever Numba makes of & and ~


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compiled for the types that it is called with. Constants are no types of their own, and masks have 32 bits: else
    each way to call a function would make another copy of it."""
    dispatcher = njit(**_OPTIONS, **options)(function)
    _dispatchers.append(dispatcher)
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


def compiled_module(module: ModuleType, **others: Any) -> dict[str, Any]:
    """The functions of a module of plain Python, compiled, by name. They call each other in their compiled form, and
    those of `others` in place of the module's own."""
    names = {**vars(module), **others}
    for name, function in vars(module).items():
        if name not in others and isinstance(function, FunctionType) and function.__module__ == module.__name__:
            names[name] = compiled(FunctionType(function.__code__, names, name))
    return names


ENTRY = "run_blocks"


def bitcode(function: Any) -> bytes:
    """The LLVM code of a function compiled by `compiled_as` for integers of 64 bits, and of all that it calls, as one
    module with one entry, ENTRY, that C can call. It is not optimised yet."""
    function.get_call_template((types.int64,) * function.py_func.__code__.co_argcount, {})
    (result,) = function.overloads.values()
    module = llvm.parse_assembly(_entry(result.fndesc))
    linked: set[Any] = set()
    _link(module, result.library, linked)
    for one in (*module.functions, *module.global_variables):
        if not one.is_declaration and one.name != ENTRY:
            one.linkage = "internal"
    return module.as_bitcode()


def _entry(description: Any) -> str:
    """Numba's functions return a status and put the result where their first argument points."""
    count = len(description.argtypes)
    values = ", ".join(f"i64 %x{n}" for n in range(count))
    return f"""
        declare i32 @"{description.mangled_name}"(ptr, ptr, {", ".join(["i64"] * count)})

        define i64 @{ENTRY}({values}) {{
            %result = alloca i64
            %exception = alloca ptr
            call i32 @"{description.mangled_name}"(ptr %result, ptr %exception, {values})
            %value = load i64, ptr %result
            ret i64 %value
        }}"""


def _link(module: Any, library: Any, linked: set[Any]) -> None:
    """Link a library, and those of the functions that it calls, into the module, each once."""
    if library in linked:
        return
    linked.add(library)
    if isinstance(library, _Text):
        module.link_in(llvm.parse_assembly(library.text))
        for other in library._linking_libraries:
            _link(module, other, linked)
    else:
        module.link_in(library._get_module_for_linking(), preserve=True)
