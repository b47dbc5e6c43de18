"""What a choice of tile sizes means, before there is a kernel: threads, shared memory, reads, and FLOP a byte."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from gemmlab.cuda.sizes import sizes_of
from gemmlab.errors import UserError
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.limits import MAX_THREADS, STATIC_SHARED
from gemmlab.markdown import plain
from gemmlab.models.ceilings import Point
from gemmlab.models.simulator import Traffic, traffic_naive, traffic_register_tiled

_DEPTH = 16  # k in a tile of a kernel with patches, at most
TILES, PATCHES = (8, 16, 32, 64, 128), (1, 2, 4, 8)


@dataclass(frozen=True)
class Design:
    """Square tiles of TILE×TILE elements of C a block, TM×TN of them a thread. UserError where they do not divide."""

    TILE: int
    TM: int = 1
    TN: int = 1

    def __post_init__(self) -> None:
        sides = {"TILE": (self.TILE, TILES), "TM": (self.TM, PATCHES), "TN": (self.TN, PATCHES)}
        for name, (value, known) in sides.items():
            if value not in known:
                raise UserError(f"{name} is one of {', '.join(map(str, known))} here; {value!r} is none of them")

    @property
    def BK(self) -> int:
        """How many k a tile holds: its tiles are square as long as a thread has one element, as in lessons 02 to 04."""
        return self.TILE if self.TM * self.TN == 1 else min(self.TILE, _DEPTH)

    @property
    def threads(self) -> int:
        return cdiv(self.TILE, self.TM) * cdiv(self.TILE, self.TN)

    @property
    def shared_bytes(self) -> int:
        return 2 * 4 * self.TILE * self.BK

    def traffic(self, shape: tuple[int, int, int]) -> Traffic:
        """What the kernel moves at a shape."""
        return traffic_register_tiled(*shape, self.TILE, self.TILE, self.BK, self.TM, self.TN)

    @property
    def misfit(self) -> str:
        """Why a GPU would not launch it, or nothing."""
        if self.threads > MAX_THREADS:
            return (
                f"{self.threads:,} threads are more than the {MAX_THREADS:,} of a block: let each thread compute more"
            )
        if self.shared_bytes > STATIC_SHARED:
            return f"{self.shared_bytes:,} bytes of shared memory are more than the {STATIC_SHARED:,} of a block"
        return ""

    def words(self, shape: tuple[int, int, int]) -> str:
        """The choice in one line of Markdown."""
        traffic = self.traffic(shape)
        text = (
            f"A block of {self.threads:,} threads computes {self.TILE}×{self.TILE} elements of C, {self.TM}×{self.TN} "
            f"a thread: {plain(traffic.intensity)} FLOP/B from global memory, {plain(traffic.shared_loads_per_fma)} "
            f"reads from shared memory for a multiply-add. Its tiles are {self.BK} k deep: "
            f"{self.shared_bytes:,} bytes of shared memory."
        )
        return f"{text} **No GPU takes it: {self.misfit}.**" if self.misfit else text


def points(design: Design, shape: tuple[int, int, int]) -> list[Point]:
    """The naive kernel and the design, as points without a measurement."""
    name = f"TILE = {design.TILE}" + (f", {design.TM}×{design.TN} a thread" if design.TM * design.TN > 1 else "")
    return [Point("naive", traffic_naive(*shape).intensity), Point(name, design.traffic(shape).intensity)]


def intensity_of(source: str, shape: tuple[int, int, int]) -> float:
    """FLOP/B of a lesson's kernel: by the sizes that it defines, or that of the naive one where it shares nothing."""
    if "__shared__" not in source:
        return traffic_naive(*shape).intensity
    return traffic_register_tiled(*shape, *astuple(sizes_of(source))).intensity
