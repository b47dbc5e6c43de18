"""The records of a kernel's printf calls -> the text they print, as C formats it. Long outputs are cut."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemmlab.emulator.chunk import Memory

LONGEST = 4096  # characters
Record = tuple[int, int, int, bytes]  # block, thread, address of the format, arguments
_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d{1,4})?(?:\.(?P<precision>\*|\d{0,4}))?(?P<length>hh|h|ll|l|j|z|t)?"
    r"(?P<kind>[diouxXeEfFgGaAcsp%])"
)
_LONG = 4 if sys.platform == "win32" else 8  # as the compiler of this platform has it
_SIZES = {"ll": 8, "l": _LONG, "j": 8, "z": 8, "t": 8}
_NARROW = {"hh": 1, "h": 2}


def printed_text(records: Sequence[Record], lost: int, memory: Memory) -> str:
    """What the launch printed, block after block, at most LONGEST characters and a note on what is left out; `lost`
    calls of printf left no record."""
    string_at = _strings(memory)
    text = "".join(format_c(string_at(place), arguments, string_at) for _, _, place, arguments in records)
    notes = [f"{len(text) - LONGEST} more characters"] if len(text) > LONGEST else []
    notes += [f"the output of {lost} more calls of printf"] if lost else []
    cut = f"\n[not shown: {' and '.join(notes)}]\n" if notes else ""
    return text[:LONGEST] + cut


def _strings(memory: Memory) -> Callable[[int], str]:
    """Reads the text at an address of global memory; what is no text there becomes question marks."""

    def string_at(address: int) -> str:
        for region, array in zip(memory.regions, memory.arrays):
            if region.address <= address < region.address + region.size:
                data = array.reshape(-1).view("u1")[address - region.address :][:LONGEST].tobytes()
                return data.partition(b"\0")[0].decode("utf-8", "replace")
        return "???"

    return string_at


class _Arguments:
    """The argument block of vprintf: each value at the next multiple of its size."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, code: str) -> int | float | None:
        """The next value, by its code in `struct`; None where there is none."""
        size = struct.calcsize(code)
        start = -(-self.at // size) * size
        self.at = start + size
        return struct.unpack_from(f"<{code}", self.data, start)[0] if self.at <= len(self.data) else None


def format_c(text: str, data: bytes, string_at: Callable[[int], str]) -> str:
    """The text with its conversions filled in; one that lacks its value stays as it is written."""
    arguments = _Arguments(data)
    return _CONVERSION.sub(lambda match: _convert(match, arguments, string_at), text)


def _convert(match: re.Match[str], arguments: _Arguments, string_at: Callable[[int], str]) -> str:
    kind, flags = match["kind"], match["flags"]
    if kind == "%":
        return "%"
    width, precision = (arguments.take("i") if part == "*" else part for part in match.group("width", "precision"))
    value = _value(kind, match["length"], arguments)
    if value is None or (match["width"] == "*" and width is None):
        return match[0]
    if isinstance(width, int) and width < 0:
        flags, width = flags + "-", -width
    fill = f"%{flags}{min(int(width or 0), 9999) or ''}"
    limit = "" if match["precision"] is None or (isinstance(precision, int) and precision < 0) else f".{precision or 0}"
    if kind == "s":
        value = string_at(value)
    elif kind == "p":
        fill, kind, limit = fill.replace("#", ""), "s", ""
        value = f"0x{value:x}"
    elif kind == "c":
        value, limit = chr(value & 0xFF), ""
    elif kind in "aA":
        value, kind, limit = value.hex() if kind == "a" else value.hex().upper(), "s", ""
    elif kind == "o" and "#" in flags:
        value, kind, fill = f"0{value:o}", "s", fill.replace("#", "")
    return (fill + limit + kind) % value


def _value(kind: str, length: str | None, arguments: _Arguments) -> int | float | None:
    if kind in "eEfFgGaA":
        return arguments.take("d")
    if kind in "sp":
        return arguments.take("Q")
    size = _SIZES.get(length or "", 4)
    value = arguments.take({4: "I", 8: "Q"}[size])
    if value is None:
        return None
    size = _NARROW.get(length or "", size)
    value &= 2 ** (8 * size) - 1
    return value - 2 ** (8 * size) if kind in "di" and value >> (8 * size - 1) else value
