"""The interpreter's LLVM code, made into machine code for this processor and loaded."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CFUNCTYPE, c_int64
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from gemmlab.emulator import processor

ENTRY = "run_blocks"  # as in machine/jit.py
_USUAL = "x86-64-v3"  # what costs are weighed for: any x86 processor with fused multiply-adds
_loaded: list[Any] = []  # what keeps the code of each entry alive


class Unreadable(Exception):
    """This version of LLVM cannot read the code."""


def optimised(bitcode: bytes) -> bytes:
    """What machine/jit.py makes, optimised, without names, as LLVM code again, which fits any processor."""
    module = llvm.parse_bitcode(bitcode)
    machine = _target_machine(processor.TRIPLE, **({"cpu": _USUAL} if processor.IS_X86 else {}))
    no_names = ("global_dead_code_eliminate", "strip_symbols")
    _run(machine, module, None, no_names)  # first, for what is inlined is named after where it came from
    # Small functions into those that call them, then all that LLVM knows: as Numba does it.
    _run(machine, module, 0, ("loop_rotate", "instruction_combine", "jump_threading"))
    _run(machine, module, 3, no_names)
    module.triple = module.data_layout = ""
    return module.as_bitcode()


def machine_code(bitcode: bytes) -> bytes:
    """An object file for this processor from `optimised` code. Raises Unreadable."""
    machine = _own_machine()
    try:
        module = llvm.parse_bitcode(bitcode)
        module.verify()
    except RuntimeError as reason:
        raise Unreadable(str(reason)) from None
    module.triple, module.data_layout = processor.TRIPLE, str(machine.target_data)
    return machine.emit_object(module)


def load(code: bytes) -> Callable[[int, np.ndarray], int]:
    """The entry of an object file: run_blocks(address of the state, numbers of blocks), without Python's lock."""
    from numba.core.externals import c_math_functions

    c_math_functions.install(None)  # the same sin and exp2 as in Numba's own code, on every system
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(f'target triple = "{processor.TRIPLE}"'), _own_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _loaded.append(engine)
    entry = CFUNCTYPE(c_int64, c_int64, c_int64, c_int64)(engine.get_function_address(ENTRY))

    def run_blocks(state: int, blocks: np.ndarray) -> int:
        """Run the listed blocks (int64) one after another. Returns how many were finished."""
        return entry(state, blocks.ctypes.data, len(blocks))

    return run_blocks


def _own_machine() -> Any:
    return _target_machine(
        processor.TRIPLE,
        cpu=processor.NAME,
        features=processor.FEATURES,
        reloc="static" if processor.IS_X86 else "default",
        codemodel="jitdefault",
        jit=True,
    )


def _target_machine(triple: str, **options: Any) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(triple).create_target_machine(opt=3, **options)


def _run(machine: Any, module: Any, level: int | None, extra: tuple[str, ...]) -> None:
    """LLVM's own passes of that level, if any, and then others."""
    options = llvm.create_pipeline_tuning_options(level or 0)
    options.loop_vectorization = options.slp_vectorization = level == 3
    builder = llvm.create_pass_builder(machine, options)
    passes = llvm.create_new_module_pass_manager() if level is None else builder.getModulePassManager()
    for name in extra:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, builder)
