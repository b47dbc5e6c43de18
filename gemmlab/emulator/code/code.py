"""What the interpreter needs of one kernel, and what the findings need to speak of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gemmlab.emulator.ptx.parser import Location
from gemmlab.emulator.ptx.tensor_layouts import LaneValues


@dataclass(frozen=True)
class Region:
    """A variable that has a range of addresses. `address` is what PTX code sees as its name (space-relative for shared,
    local)."""

    name: str
    kind: int
    size: int
    address: int
    contents: bytes = b""
    dynamic: bool = False
    function: str = ""
    offset: int = 0
    relocations: tuple[tuple[int, str], ...] = ()


@dataclass
class Code:
    """One kernel, with every function that it calls.

    `rows` and `vectors` are as opcodes.py says; `locations` and `texts` say where in the source each row comes from.
    Places are byte offsets in a warp's registers, `(place, slot, size)` those of a register, of its definedness mask,
    and the bytes of a lane. A site is one request to memory; `site_pc` is the row that makes it.
    """

    rows: np.ndarray
    vectors: np.ndarray
    locations: list[Location]
    texts: list[str]
    site_count: int
    site_pc: list[int]
    warp_bytes: int
    slot_offset: int
    slot_bytes: int
    constants: list[tuple[int, int, int, int | LaneValues]]
    special_rows: dict[str, tuple[int, int]]
    parameter_rows: list[tuple[int, int, int]]
    globals: list[Region]
    shared: list[Region]
    locals: list[Region]
    local_bytes: int
    granule: int
    messages: list[str]
    entry_pc: int
    pattern_start: list[int]
    pattern_words: int
    uses_async: bool
    uses_objects: bool
    orders_blocks: bool
    has_fences: bool
    has_partial_barriers: bool
    tensor_table: np.ndarray
