"""What an epilogue costs in memory, fused into the product or as kernels: bytes, each array once a kernel."""

from __future__ import annotations

from dataclasses import dataclass

Shape = tuple[int, int, int]
_FLOAT = 4  # bytes


@dataclass(frozen=True)
class Traffic:
    """Bytes of a kernel: what it must read and write at least, where every array goes over the bus once."""

    name: str
    reads: int
    writes: int

    @property
    def bytes(self) -> int:
        return self.reads + self.writes


def fused(shape: Shape) -> tuple[Traffic, ...]:
    """One kernel that makes C = silu(A·B + bias)."""
    M, N, K = shape
    return (Traffic("A·B, bias and SiLU", _FLOAT * (M * K + K * N + N), _FLOAT * M * N),)


def separate(shape: Shape) -> tuple[Traffic, ...]:
    """The same by a product, a kernel that adds the bias in place, and one that applies SiLU in place."""
    M, N, K = shape
    C = _FLOAT * M * N
    return (
        Traffic("A·B", _FLOAT * (M * K + K * N), C),
        Traffic("bias", C + _FLOAT * N, C),
        Traffic("SiLU", C, C),
    )


def total(kernels: tuple[Traffic, ...]) -> int:
    return sum(kernel.bytes for kernel in kernels)


def saved_share(K: int, flops: float, bytes_per_second: float) -> float:
    """The time of the four passes over C that fusion saves, in parts of the time of the product.

    M and N cancel: 16·M·N bytes at the speed of a copy, beside 2·M·N·K operations.
    """
    return 4 * _FLOAT / bytes_per_second / (2 * K / flops)


def table(shape: Shape) -> str:
    """The kernels of both ways with their bytes, in Markdown."""
    rows = [
        f"| {way} | {kernel.name} | {kernel.reads / 1e6:.1f} | {kernel.writes / 1e6:.1f} | {kernel.bytes / 1e6:.1f} |"
        for way, kernels in (("separate", separate(shape)), ("fused", fused(shape)))
        for kernel in kernels
    ]
    head = "| way | kernel | reads, MB | writes, MB | together, MB |\n|:--|:--|--:|--:|--:|"
    apart, together = total(separate(shape)) / 1e6, total(fused(shape)) / 1e6
    sums = f"**Separate: {apart:.1f} MB. Fused: {together:.1f} MB.** Every array goes over the bus once a kernel."
    return "\n".join([head, *rows, "", sums])
