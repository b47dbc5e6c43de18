"""Bank conflicts of one warp request to shared memory, worked out from the words that its lanes touch.

Shared memory has 32 banks. Word w, four bytes, lies in bank w % 32. In one pass, a wavefront, a bank serves one word,
to as many lanes as want it. Accesses of 16 bytes go 8 lanes at a time, those of 8 bytes 16 lanes at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gemmlab.cuda.constants import evaluate
from gemmlab.cuda.sizes import Sizes
from gemmlab.errors import UserError
from gemmlab.kernel.warp import BANKS, WARP, WORD_BYTES, count_wavefronts, lanes_a_pass

_WIDTHS = (1, 2, 4)  # floats that a lane touches at once


@dataclass(frozen=True)
class BankRequest:
    """The words that the lanes of a warp touch, `width` neighbours each from `words[lane]` on.

    Two groups of lanes of a load go together where each lane reads the same as its neighbour.
    """

    words: tuple[int, ...]
    width: int = 1
    is_load: bool = False

    @property
    def groups(self) -> list[range]:
        """The lanes that go together."""
        lanes = lanes_a_pass(*self._request)
        return [range(first, min(first + lanes, len(self.words))) for first in range(0, len(self.words), lanes)]

    @property
    def _request(self) -> tuple[np.ndarray, np.ndarray, int, bool]:
        """The request as warp.py has it: a warp's lanes, in bytes."""
        starts, takes = np.zeros(WARP, np.int64), np.arange(WARP) < len(self.words)
        starts[: len(self.words)] = np.multiply(self.words, WORD_BYTES)
        return starts, takes, self.width * WORD_BYTES, self.is_load

    def in_banks(self, lanes: Sequence[int]) -> dict[int, dict[int, list[int]]]:
        """For each bank its distinct words, and for each of these the lanes that want it."""
        banks: dict[int, dict[int, list[int]]] = {}
        for lane in lanes:
            for word in range(self.words[lane], self.words[lane] + self.width):
                banks.setdefault(word % BANKS, {}).setdefault(word, []).append(lane)
        return banks

    @property
    def wavefronts(self) -> int:
        """Passes that the request takes: in each group of lanes, as many as the busiest bank has words."""
        return int(count_wavefronts(*self._request)[0])

    @property
    def degree(self) -> float:
        """How many times longer it takes than without conflicts."""
        return self.wavefronts / len(self.groups)


def request(expression: str, sizes: Sizes, width: int = 1) -> BankRequest:
    """The request in which each lane of warp 0 touches the float with this number in its array.

    The expression is C, over `tx`, `ty`, and `r`, `c`: the row and the first of four columns of the tile of A that the
    thread loads. UserError where it cannot be read, or where `width` is not 1, 2 or 4 floats.
    """
    if width not in _WIDTHS:
        raise UserError(f"a lane touches 1, 2 or 4 floats at once; {width!r} is none of them")
    values = [evaluate(expression, names) for names in _lanes(sizes)]
    words = [value for value in values if value is not None]
    if len(words) < len(values):
        raise UserError(f"cannot read {expression!r}: write C arithmetic over tx, ty, r and c, such as c * 64 + r")
    if min(words) < 0:
        raise UserError(f"{expression!r} is negative for some thread, which is outside the array")
    return BankRequest(tuple(words), width)


def _lanes(sizes: Sizes) -> list[Mapping[str, str]]:
    """The values of the names in each lane."""
    across = sizes.block[0]
    found: list[Mapping[str, str]] = []
    for lane in range(WARP):
        first = 4 * lane  # of the elements of the tile that the thread loads
        values = {"tx": lane % across, "ty": lane // across, "r": first // sizes.BK, "c": first % sizes.BK}
        found.append({name: str(value) for name, value in values.items()})
    return found
