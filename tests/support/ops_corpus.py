"""The kernels of tests/kernels_ops: one topic a file, each with the contract's signature, and inputs that reach the
edges.

A file begins with `// key: value` lines: shape, block, grid and smem of its launch; `inputs`, see `make_inputs`;
`compare`, what two runs of it must agree in: `bits`, or a tolerance relative to max(1, |C|), or `fails`; `rows`, where
each row of C is another operation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gemmlab.kernel.launch import LaunchSpec

FOLDER = Path(__file__).parents[1].joinpath("kernels_ops")
_INTEGERS = [0, 1, 2, 3, 7, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001]
_INTEGERS += [0xFFFFFFFF, 0xFFFFFFFE, 0x12345678, 0xDEADBEEF, 1000003]
_FLOATS = "0 -0 1 -1 0.5 -0.5 1.5 2.5 -2.5 3.4028235e38 -3.4028235e38 1.1754944e-38 1e-40 -1e-45 inf -inf nan".split()
_FLOATS += ["16777217"]
_FLOATS += "8388607.5 -8388608.5 2147483520 2147483648 -2147483648 4294967040 9.2233715e18 65504 65520 6.1e-5".split()
_FLOATS += ["5e-8", "0.33333334"]


@dataclass(frozen=True)
class OpsKernel:
    name: str
    source: str
    shape: tuple[int, int, int]
    spec: LaunchSpec
    inputs: str
    compare: str
    options: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()

    def row_name(self, row: int) -> str:
        """What that row of C is made by, where each has an operation of its own."""
        return self.rows[row] if row < len(self.rows) else ""

    @property
    def tolerance(self) -> float:
        return 0.0 if self.compare in ("bits", "fails") else float(self.compare)


def read(path: Path) -> OpsKernel:
    source = path.read_text("utf-8")
    keys = dict(re.findall(r"^// (\w+): (.*)$", source, re.M))
    M, N, K = map(int, keys["shape"].split(","))
    spec = LaunchSpec.parse(keys["block"], keys["grid"], keys.get("smem", "0"))
    return OpsKernel(
        path.stem, source, (M, N, K), spec, keys["inputs"], keys["compare"], tuple(keys.get("options", "").split())
    )


def kernels() -> list[OpsKernel]:
    return [read(path) for path in sorted(FOLDER.glob("*.cu"))]


def make_inputs(kind: str, shape: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """A and B; the same for the same arguments. In `bits` and `floats` the first elements pair up all the edge values.

    bits: any 32 bits. floats: edges and all magnitudes. halves: numbers that float16 holds. small: in [-8, 8]. unit: in
    [-1, 1). integer: whole numbers in [-8, 8].
    """
    M, N, K = shape
    rng = np.random.default_rng(7)
    if kind == "bits":
        return _with_edges(rng, np.array(_INTEGERS, np.uint32).view(np.float32), _any_bits, shape)
    if kind == "floats":
        return _with_edges(rng, np.array(_FLOATS, np.float32), _any_float, shape)
    if kind == "integer":
        return tuple(rng.integers(-8, 9, size).astype(np.float32) for size in ((M, K), (K, N)))
    scale = {"halves": 8, "small": 8, "unit": 1}[kind]
    A, B = ((rng.random(size) * 2 - 1) * scale for size in ((M, K), (K, N)))
    return A.astype(np.float32), B.astype(np.float32)


def _any_bits(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.integers(0, 2**32, count, np.uint32).view(np.float32)


def _any_float(rng: np.random.Generator, count: int) -> np.ndarray:
    return (rng.standard_normal(count) * 2.0 ** rng.integers(-30, 30, count)).astype(np.float32)


def _with_edges(rng, edges, draw, shape):
    M, N, K = shape
    A, B = draw(rng, M * K), draw(rng, K * N)
    half = N // 2
    A[:half] = rng.permutation(np.tile(edges, half // len(edges) + 1))[:half]
    B[:half] = rng.permutation(np.tile(edges, half // len(edges) + 1))[:half]
    return A.reshape(M, K), B.reshape(K, N)


def differing(kernel: OpsKernel, C: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Which elements are not what they should be. Any NaN is as good as another."""
    if expected.dtype == np.uint32 or kernel.compare == "bits":
        wanted = expected if expected.dtype == np.uint32 else expected.astype(np.float32).view(np.uint32)
        both_nan = np.isnan(C) & np.isnan(wanted.view(np.float32))
        return (C.view(np.uint32) != wanted) & ~both_nan
    error = np.abs(C - expected)
    near = error <= kernel.tolerance * np.maximum(1, np.abs(expected))
    return ~(near | (C == expected) | (np.isnan(C) & np.isnan(expected)))
