"""What the worker is asked for, as the JSON that goes to it."""

from __future__ import annotations

from gemmlab.kernel.launch import Address, Argument, Launch
from gemmlab.kernel.plan import Copy, Fill, Plan, launches_of, steps_of
from gemmlab.kernel.program import Program


def request_of(
    program: Program, work: Launch | Plan, shape: tuple[int, int, int], product: tuple[int, int, int]
) -> dict:
    """What the worker needs to know. `shape` is in the letters of the launch's layout, `product` in the course's."""
    first = next(iter(launches_of(work)), Launch((0, 0, 0), (0, 0, 0), kernel=""))  # a plan may hold copies only
    return {
        "kernel": program.symbol(first.kernel),
        "arch": program.arch,
        "block": first.block,
        "grid": first.grid,
        "shape": product,
        "dtype": first.layout.element.name,
        "steps": [_step(program, step, shape) for step in steps_of(work)],
        "buffers": getattr(work, "buffers", {}),
    }


def _step(program: Program, step: Launch | Fill | Copy, shape: tuple[int, int, int]) -> dict:
    if isinstance(step, Fill):
        return {"do": "fill", "to": _argument(step.to), "size": step.size, "byte": step.byte}
    if isinstance(step, Copy):
        return {"do": "copy", "to": _argument(step.to), "source": _argument(step.source), "size": step.size}
    return {
        "do": "launch",
        "kernel": program.symbol(step.kernel),
        "block": step.block,
        "grid": step.grid,
        "smem": step.smem,
        "smem_opt_in": step.smem_opt_in,
        "arguments": [_argument(argument) for argument in step.arguments_at(shape)],
    }


def _argument(argument: Argument) -> list:
    """[array, byte offset], or [value, NumPy's type]."""
    if isinstance(argument, Address):
        return [argument.array, argument.offset]
    return [argument.value, argument.dtype]
