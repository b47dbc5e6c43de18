"""The tile sizes of a kernel, as its `#define` lines give them: BM, BN, BK of a block, TM, TN of a thread."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from gemmlab.errors import UserError

_DEFINE = re.compile(r"^([ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+)(\d+)(?=[ \t]*(?://.*)?$)", re.MULTILINE)


@dataclass(frozen=True)
class Sizes:
    """A block computes BM×BN elements of C, BK steps of k at a time, and a thread TM×TN of them."""

    BM: int
    BN: int
    BK: int
    TM: int = 1
    TN: int = 1

    @property
    def block(self) -> tuple[int, int]:
        """Threads along x and y."""
        return self.BN // self.TN, self.BM // self.TM

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1]

    @property
    def results(self) -> int:
        """Elements of C that a thread computes."""
        return self.TM * self.TN

    def __str__(self) -> str:
        each = f", {self.TM}×{self.TN} a thread" if self.results > 1 else ""
        return f"{self.BM}×{self.BN}×{self.BK}{each}"


def sizes_of(source: str) -> Sizes:
    """The sizes that a kernel defines; TILE stands for BM, BN and BK. UserError where it defines none."""
    known = {name: int(value) for _, name, value in _DEFINE.findall(source)}
    tile = known.get("TILE")
    try:
        BM, BN, BK = (known[name] if tile is None else tile for name in ("BM", "BN", "BK"))
    except KeyError as missing:
        raise UserError(f"the kernel has no line '#define {missing.args[0]} NUMBER'") from None
    return Sizes(BM, BN, BK, known.get("TM", 1), known.get("TN", 1))


def numbers_of(source: str, *names: str) -> tuple[int, ...]:
    """The numbers that these names are defined as. UserError where one is not."""
    known = {name: int(value) for _, name, value in _DEFINE.findall(source)}
    missing = next((name for name in names if name not in known), None)
    if missing:
        raise UserError(f"the kernel has no line '#define {missing} NUMBER'")
    return tuple(known[name] for name in names)


def register_sizes(source: str) -> Sizes | None:
    """The sizes of a kernel whose threads compute several elements each; None for any other kernel."""
    return sizes_of(source) if any(name == "TM" for _, name, _ in _DEFINE.findall(source)) else None


def with_sizes(source: str, sizes: Sizes) -> str:
    """The kernel with other sizes in its `#define` lines. UserError where a line is missing or the sizes misfit."""
    require_fit(sizes)
    for field in fields(sizes):
        name, value = field.name, getattr(sizes, field.name)
        source, count = _replace_define(source, name, value)
        if count != 1 and value != 1:
            raise UserError(f"the kernel has no line '#define {name} NUMBER', so {name} cannot be {value}")
    return source


def _replace_define(source: str, name: str, value: int) -> tuple[str, int]:
    count = 0

    def put(match: re.Match) -> str:
        nonlocal count
        if match[2] != name:
            return match[0]
        count += 1
        return f"{match[1]}{value}"

    return _DEFINE.sub(put, source), count


def require_fit(sizes: Sizes) -> None:
    """Raise UserError unless all sizes are positive, TM divides BM and TN divides BN."""
    for field in fields(sizes):
        value = getattr(sizes, field.name)
        if type(value) is not int or value < 1:
            raise UserError(f"{field.name} is {value!r}; it must be a whole number of at least 1")
    if sizes.BM % sizes.TM or sizes.BN % sizes.TN:
        raise UserError(
            f"a patch of TM×TN = {sizes.TM}×{sizes.TN} does not divide a tile of BM×BN = {sizes.BM}×{sizes.BN}"
        )
