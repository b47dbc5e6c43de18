"""The kinds of matrix product that a kernel uses, as the table that the interpreter reads (see opcodes.py)."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx.tensor_layouts import Multiplication


def tables(products: list[Multiplication]) -> tuple[np.ndarray, list[int]]:
    """All of them in one array, and where each starts."""
    parts = [_table(product) for product in products]
    starts = [sum(len(part) for part in parts[:number]) for number in range(len(parts))]
    return np.array([value for part in parts for value in part] or [0], np.int32), starts


def _table(product: Multiplication) -> list[int]:
    parts = (product.a, product.b, product.c, product.d)
    header = dict.fromkeys(range(o.PRODUCT_HEADER), 0)
    header |= {o.TILE_M: product.a.rows, o.TILE_N: product.b.columns, o.TILE_K: product.a.columns}
    header |= {o.KIND_A + n: o.ELEMENT_KINDS.index(part.kind) for n, part in enumerate(parts)}
    header |= {o.REGISTERS_A + n: len(part.registers) for n, part in enumerate(parts)}
    header |= {o.NAMED_A + n: part.register_count for n, part in enumerate(parts)}
    header[o.PRODUCT_FORM] = o.PRODUCT_FORMS.index(product.form)
    return [*header.values(), *(row << o.PLACE_SHIFT | column for part in parts for row, column in part.places())]
