"""The products of one block of a language model: attention and feed-forward layers, as shapes M, N, K."""

from __future__ import annotations

from dataclasses import dataclass

_FLOAT = 4  # bytes
_OPERATIONS = 2  # of a multiply-add


@dataclass(frozen=True)
class Product:
    """`batch` products of M×K by K×N."""

    name: str
    M: int
    N: int
    K: int
    batch: int = 1

    @property
    def gflop(self) -> float:
        return _OPERATIONS * self.batch * self.M * self.N * self.K / 1e9

    @property
    def megabytes(self) -> float:
        """Of A, B and C, each once."""
        return _FLOAT * self.batch * (self.M * self.K + self.K * self.N + self.M * self.N) / 1e6

    @property
    def intensity(self) -> float:
        """FLOP for each byte."""
        return 1e3 * self.gflop / self.megabytes


def products(tokens: int, width: int, hidden: int, heads: int) -> tuple[Product, ...]:
    """Those for a text of so many tokens; the heads share the width."""
    depth = width // heads
    return (
        Product("Q, K, V: each", tokens, width, width),
        Product("scores Q·Kᵀ", tokens, tokens, depth, heads),
        Product("weights · V", tokens, depth, tokens, heads),
        Product("output", tokens, width, width),
        Product("feed-forward up", tokens, hidden, width),
        Product("feed-forward down", tokens, width, hidden),
    )


def table(found: tuple[Product, ...]) -> str:
    """The products as a table in Markdown."""
    rows = [
        f"| {one.name} | {one.batch} | {one.M} | {one.N} | {one.K} | {one.gflop:.2f} | {one.megabytes:.1f} | "
        f"{one.intensity:.0f} |"
        for one in found
    ]
    head = "| product | batch | M | N | K | GFLOP | MB | FLOP/B |\n|:--|--:|--:|--:|--:|--:|--:|--:|"
    return "\n".join([head, *rows])
