"""Bank conflicts of one warp request to shared memory, worked out from the words that its lanes touch.

Shared memory has 32 banks. Word w, four bytes, lies in bank w % 32. In one pass, a wavefront, a bank serves one word,
to as many lanes as want it. Accesses of 16 bytes go 8 lanes at a time, those of 8 bytes 16 lanes at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gemmlab.cuda.constants import evaluate
from gemmlab.cuda.sizes import Sizes
from gemmlab.errors import UserError
from gemmlab.kernel.limits import WARP

BANKS = 32
_LANES_A_PASS = {1: 32, 2: 16, 4: 8}


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
        lanes = _LANES_A_PASS[self.width]
        if lanes < WARP and self.is_load and self._neighbours_agree():
            lanes *= 2
        return [range(first, first + lanes) for first in range(0, len(self.words), lanes)]

    def _neighbours_agree(self) -> bool:
        """Whether lane i reads the same as lane i ^ 1, or as lane i ^ 2, for each i of a whole warp."""
        if len(self.words) < WARP:
            return False
        return any(all(self.words[lane] == self.words[lane ^ bit] for lane in range(WARP)) for bit in (1, 2))

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
        return sum(max(len(words) for words in self.in_banks(lanes).values()) for lanes in self.groups)

    @property
    def degree(self) -> float:
        """How many times longer it takes than without conflicts."""
        return self.wavefronts / len(self.groups)


def request(expression: str, sizes: Sizes, width: int = 1) -> BankRequest:
    """The request in which each lane of warp 0 touches the float with this number in its array.

    The expression is C, over `tx`, `ty`, and `r`, `c`: the row and the first of four columns of the tile of A that the
    thread loads. UserError where it cannot be read, or where `width` is not 1, 2 or 4 floats.
    """
    if width not in _LANES_A_PASS:
        raise UserError(f"a lane touches 1, 2 or 4 floats at once; {width!r} is none of them")
    words = [evaluate(expression, names) for names in _lanes(sizes)]
    if None in words:
        raise UserError(f"cannot read {expression!r}: write C arithmetic over tx, ty, r and c, such as c * 64 + r")
    if min(words) < 0:
        raise UserError(f"{expression!r} is negative for some thread, which is outside the array")
    return BankRequest(tuple(words), width)


def _lanes(sizes: Sizes) -> list[Mapping[str, str]]:
    """The values of the names in each lane."""
    across = sizes.block[0]
    found = []
    for lane in range(WARP):
        first = 4 * lane  # of the elements of the tile that the thread loads
        values = {"tx": lane % across, "ty": lane // across, "r": first // sizes.BK, "c": first % sizes.BK}
        found.append({name: str(value) for name, value in values.items()})
    return found
