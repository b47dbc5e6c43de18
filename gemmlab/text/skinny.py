"""The record's products with few rows or long sums, as a table: what memory would allow, and what was reached."""

from __future__ import annotations

from gemmlab.markdown import escape
from gemmlab.models.simulator import FLOAT_BYTES
from gemmlab.records.results import AtShape, Kernel, Results

_FEW_ROWS = 64  # fewer than a tile of the ladder has


def skinny_table(results: Results) -> str:
    """The table with what it was recorded on; a sentence where nothing was."""
    if not results.splits:
        return "No product with few rows or a long sum was recorded."
    label = escape(f"{results.label[:1].upper()}{results.label[1:]}")
    return "\n".join([f"{label}; not your machine.\n", *skinny_rows(results)])


def skinny_rows(results: Results) -> list[str]:
    """Head and rows in Markdown, one a kernel and shape. Of a shape with few rows the bandwidth is compared with that
    of a copy."""
    copy = results.ceilings["copy_gbs"]
    head = "| M×N×K | kernel | µs | % of cuBLAS | GB/s, if each matrix moves once | % of a copy |"
    rows = [_row(one, kernel, copy) for one in results.splits for kernel in one.kernels]
    return [head, "|:--|:--|--:|--:|--:|--:|", *rows]


def _row(one: AtShape, kernel: Kernel, copy_gbs: float) -> str:
    M, N, K = one.shape
    seconds = 2e-9 * M * N * K / kernel.gflops
    gbs = 1e-9 * FLOAT_BYTES * (M * K + K * N + M * N) / seconds
    share = f"{100 * gbs / copy_gbs:.0f} %" if M < _FEW_ROWS else ""
    name = escape(kernel.name)
    return f"| {M}×{N}×{K} | {name} | {1e6 * seconds:.1f} | {100 * kernel.ratio:.1f} % | {gbs:,.0f} | {share} |"
