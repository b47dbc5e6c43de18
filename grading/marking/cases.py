"""The hidden cases of a kernel: shapes at the edges of its own tiles, drawn from the instructor's secret.

The kinds are public, and feedback may name them. Sizes and seeds come from the secret by HMAC (secret.py), so that this
repository tells nobody which numbers a kernel is tried on, and the same secret always gives the same cases. Some sizes
lie far beyond those of the public cases, each of M, N and K by itself and all together: code that gives up there, or
an index that overflows, fails.

A lesson's rules on counters (gemmlab/counter_rules.py) are not bound to a case. They travel with the kernel, each with
a shape of its own, and are asked for once, of a kernel that got every hidden case right: `Kernel.rules` is in the job,
and `Execution.rules` has the numbers of those that are broken (worker.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gemmlab.course.lesson import INPUT_KINDS, Kernel
from gemmlab.errors import UserError
from gemmlab.kernel.plan import Launches, launches_of
from grading.marking import sentences as say
from grading.marking.secret import derive
from grading.model import HiddenCase

OWN_KIND = "sizes that this kernel treats in its own way"
_SEEDS = 1 << 32
_WIDEST_TILE = 512
_FEWEST_PRODUCTS = 8  # the K of an ordinary case, where the tile is smaller
_LONG = (2100, 2600)  # a size by itself, with more tiles than a byte counts; the others are a tile or so
_LARGE = (257, 320)  # all three at once, and no less than
_LARGE_TILES = 4  # so many tiles of C
_PRODUCTS = 1 << 26  # and no more multiply-adds
_PRIMES = (
    17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127,
)  # fmt: skip


@dataclass(frozen=True)
class _Tile:
    """How far one block reaches in C, BM×BN, and one step along K, all in elements."""

    BM: int
    BN: int
    BK: int


@dataclass(frozen=True)
class _Draw:
    """Numbers that only the secret's owner can tell beforehand. The same name gives the same number."""

    secret: bytes
    kernel: str
    kind: str

    def below(self, end: int, name: str) -> int:
        """A number from 0 to end - 1."""
        return int.from_bytes(derive(self.secret, "case", self.kernel, self.kind, name), "big") % end

    def between(self, first: int, last: int, name: str) -> int:
        """A number from first to last, both included."""
        return first + self.below(last - first + 1, name)

    def multiple(self, of: int, most: int, name: str) -> int:
        """A multiple, from 1·of to most·of."""
        return of * self.between(1, most, name)

    def multiple_between(self, of: int, first: int, last: int, name: str) -> int:
        """A multiple that is no smaller than `first`, and at most `last` where there is one."""
        fewest = -(-first // of)
        return of * self.between(fewest, max(fewest, last // of), name)

    def primes(self) -> tuple[int, int, int]:
        """Three primes, no two the same."""
        M, N, K = (_PRIMES[first::3] for first in range(3))
        return M[self.below(len(M), "M")], N[self.below(len(N), "N")], K[self.below(len(K), "K")]


_Shape = tuple[int, int, int]
_Shaper = Callable[[_Draw, _Tile], _Shape]


def draw(kernel: Kernel, secret: bytes) -> tuple[HiddenCase, ...]:
    """The hidden cases of this kernel, the ordinary ones first; the kinds of input take turns in either group.

    Raises UserError where the launch does not grow with C, so that there is no tile to cross.
    """
    tile = _tile(kernel)
    groups = {"ordinary": _ORDINARY, "boundary": {**_BOUNDARY, **(_STEPS if tile.BK > 1 else _NO_STEPS)}}
    if kernel.whole:
        groups["boundary"] |= _DISPATCH
    return tuple(
        _case(_Draw(secret, kernel.name, kind), group, INPUT_KINDS[number % len(INPUT_KINDS)], shaper, tile)
        for group, shapers in groups.items()
        for number, (kind, shaper) in enumerate(shapers.items())
    )


def own_case(shape: _Shape, number: int, hidden: Sequence[HiddenCase]) -> HiddenCase:
    """A case at a shape that the kernel itself has asked for, with numbers as secret as those of the hidden cases."""
    seed = (sum(case.seed for case in hidden) + number) % _SEEDS
    return HiddenCase(OWN_KIND, "boundary", shape, INPUT_KINDS[number % len(INPUT_KINDS)], seed)


def _case(numbers: _Draw, group: str, inputs: str, shaper: _Shaper, tile: _Tile) -> HiddenCase:
    return HiddenCase(numbers.kind, group, shaper(numbers, tile), inputs, numbers.below(_SEEDS, "seed"))


def _tile(kernel: Kernel) -> _Tile:
    """BM and BN are where the launch takes a second block; BK is the lesson's tile."""
    launches = kernel.pristine_launches
    BM = _reach(launches, lambda size: (size, 1, 1), kernel.name)
    BN = _reach(launches, lambda size: (1, size, 1), kernel.name)
    return _Tile(BM, BN, kernel.tile)


def _reach(launches: Launches, shape: Callable[[int], _Shape], name: str) -> int:
    """The largest size that takes no more blocks than 1 does, of several launches in the first."""

    def blocks(size: int) -> int:
        x, y, z = launches_of(launches.at(*shape(size)))[0].grid
        return x * y * z

    for size in range(1, _WIDEST_TILE + 1):
        if blocks(size + 1) > blocks(1):
            return size
    raise UserError(say.NO_TILE(kernel=name))


def _whole(numbers: _Draw, tile: _Tile) -> _Shape:
    """One or two tiles each way, and whole steps along K."""
    M, N = numbers.multiple(tile.BM, 2, "M"), numbers.multiple(tile.BN, 2, "N")
    return M, N, _steps(numbers, tile)


def _steps(numbers: _Draw, tile: _Tile) -> int:
    """A K of two to four whole steps, and a multiple of 4."""
    return _step(tile) * numbers.between(2, 4, "K")


def _step(tile: _Tile) -> int:
    return max(tile.BK, _FEWEST_PRODUCTS)


def _square(numbers: _Draw, tile: _Tile) -> _Shape:
    side = max(tile.BM, tile.BN)
    return side, side, _steps(numbers, tile)


def _wide(numbers: _Draw, tile: _Tile) -> _Shape:
    return tile.BM, tile.BN * numbers.between(2, 3, "N"), _steps(numbers, tile)


def _tall(numbers: _Draw, tile: _Tile) -> _Shape:
    return tile.BM * numbers.between(2, 3, "M"), tile.BN, _steps(numbers, tile)


def _whole_long_K(numbers: _Draw, tile: _Tile) -> _Shape:
    M, N, K = _bounded(tile.BM, tile.BN, numbers.multiple_between(_step(tile), *_LONG, "K"))
    return M, N, K // _step(tile) * _step(tile)


def _whole_large(numbers: _Draw, tile: _Tile) -> _Shape:
    (first, last), of_C = _LARGE, ((tile.BM, "M"), (tile.BN, "N"))
    M, N = (
        numbers.multiple_between(of, max(first, _LARGE_TILES * of), max(last, _LARGE_TILES * of), name)
        for of, name in of_C
    )
    most = _PRODUCTS // (M * N)
    K = numbers.multiple_between(_step(tile), min(first, most), min(last, most), "K")
    return M, N, K


def _long_K(numbers: _Draw, tile: _Tile) -> _Shape:
    return _bounded(tile.BM - 1, tile.BN - 1, numbers.between(*_LONG, "K"))


def _many_rows(numbers: _Draw, tile: _Tile) -> _Shape:
    return _bounded(numbers.between(*_LONG, "M"), tile.BN - 1, _steps(numbers, tile) - 1)


def _many_columns(numbers: _Draw, tile: _Tile) -> _Shape:
    return _bounded(tile.BM - 1, numbers.between(*_LONG, "N"), _steps(numbers, tile) - 1)


def _bounded(M: int, N: int, K: int) -> _Shape:
    """The shape, with a K that takes no more multiply-adds than a case may."""
    return M, N, min(K, _PRODUCTS // (M * N))


def _large_C(numbers: _Draw, tile: _Tile) -> _Shape:
    """More than a hundred tiles of 128×256."""
    return numbers.between(1345, 1400, "M"), numbers.between(2561, 2600, "N"), numbers.between(3, 5, "K")


def _ragged(axis: int, by: int) -> _Shaper:
    """Whole tiles, and then so many more of M (axis 0), N (1) or K (2)."""

    def shape(numbers: _Draw, tile: _Tile) -> _Shape:
        M, N, K = (size + by * (number == axis) for number, size in enumerate(_whole(numbers, tile)))
        return M, N, K

    return shape


def _one_row(numbers: _Draw, tile: _Tile) -> _Shape:
    return 1, numbers.between(tile.BN + 1, 3 * tile.BN, "N"), numbers.between(2, 3 * tile.BK + 2, "K")


def _one_column(numbers: _Draw, tile: _Tile) -> _Shape:
    return numbers.between(tile.BM + 1, 3 * tile.BM, "M"), 1, numbers.between(2, 3 * tile.BK + 2, "K")


def _primes(numbers: _Draw, tile: _Tile) -> _Shape:
    return numbers.primes()


def _small(numbers: _Draw, tile: _Tile) -> _Shape:
    """All of C in one tile, and not all of the tile."""
    M, N = numbers.between(2, tile.BM - 1, "M"), numbers.between(2, tile.BN - 1, "N")
    return M, N, numbers.between(1, max(tile.BK, _FEWEST_PRODUCTS) - 1, "K")


def _not_of_four_N(numbers: _Draw, tile: _Tile) -> _Shape:
    M, N, K = _whole(numbers, tile)
    return M, N - 4 * numbers.below(tile.BN // 8, "fours") - numbers.between(1, 3, "rest"), K


def _not_of_four_K(numbers: _Draw, tile: _Tile) -> _Shape:
    M, N, K = _whole(numbers, tile)
    return M, N, K - numbers.between(1, 3, "rest")


def _short_K(numbers: _Draw, tile: _Tile) -> _Shape:
    M, N, _ = _whole(numbers, tile)
    return M, N, numbers.between(1, tile.BK - 1, "K")


def _odd_steps(numbers: _Draw, tile: _Tile) -> _Shape:
    M, N, _ = _whole(numbers, tile)
    return M, N, tile.BK * (2 * numbers.between(1, 2, "steps") + 1)


def _one_step(numbers: _Draw, tile: _Tile) -> _Shape:
    M, N, _ = _whole(numbers, tile)
    return M, N, tile.BK


def _one_product(numbers: _Draw, tile: _Tile) -> _Shape:
    M, N, _ = _whole(numbers, tile)
    return M, N, 1


_ORDINARY: dict[str, _Shaper] = {
    "whole tiles, a square C": _square,
    "whole tiles, more columns than rows": _wide,
    "whole tiles, more rows than columns": _tall,
    "whole tiles": _whole,
    "whole tiles, a long K": _whole_long_K,
    "whole tiles, many each way": _whole_large,
}
_BOUNDARY: dict[str, _Shaper] = {
    "M one more than whole tiles": _ragged(0, 1),
    "M one less than whole tiles": _ragged(0, -1),
    "N one more than whole tiles": _ragged(1, 1),
    "N one less than whole tiles": _ragged(1, -1),
    "one row": _one_row,
    "one column": _one_column,
    "M, N and K are primes": _primes,
    "C smaller than one tile": _small,
    "N not a multiple of 4": _not_of_four_N,
    "K not a multiple of 4": _not_of_four_K,
    "a long K": _long_K,
    "many rows": _many_rows,
    "many columns": _many_columns,
}
_STEPS: dict[str, _Shaper] = {
    "K one more than whole tiles": _ragged(2, 1),
    "K one less than whole tiles": _ragged(2, -1),
    "K smaller than the tile": _short_K,
    "an odd number of K tiles": _odd_steps,
    "a single K tile": _one_step,
}
# For a file that chooses among kernels of its own: what it keeps for a large C, where that can still be emulated.
_DISPATCH: dict[str, _Shaper] = {"a large C, a short K": _large_C}
_NO_STEPS: dict[str, _Shaper] = {"K is 1": _one_product}
