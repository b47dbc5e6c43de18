"""The parts of a compiled kernel's loop over the K tiles: where it fills the tiles, uses them, and waits."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.models.tile_loop import BARRIER, FILL, USE, Part

if TYPE_CHECKING:
    from gemmlab.kernel.program import Program


def loop_parts(program: Program, kernel: str) -> tuple[Part, ...]:
    """Stores to shared memory, loads from it, and barriers, in the order of the compiled code; neighbours of one kind
    are one part. UserError for a kernel that does not use shared memory, or that the emulator cannot read."""
    from gemmlab.emulator.executor import decoded
    from gemmlab.emulator.machine import opcodes as o

    code = decoded(program.ptx, program.symbol(kernel))
    if isinstance(code, str):
        raise UserError(code)
    kinds = {o.STORE: FILL, o.LOAD: USE}
    found = []
    for pc, row in enumerate(code.rows):
        is_shared = row[o.ROW_SPACE] == o.SHARED and row[o.ROW_OP] in kinds
        if is_shared or row[o.ROW_OP] == o.BARRIER:
            found.append((kinds[row[o.ROW_OP]] if is_shared else BARRIER, code.locations[pc].line))
    if not any(kind == FILL for kind, _ in found):
        raise UserError("this kernel writes nothing to shared memory, so there is no loop over tiles to draw")
    return tuple(
        Part(kind, tuple(sorted({line for _, line in group if line})))
        for kind, group in groupby(found, key=lambda entry: entry[0])
    )
