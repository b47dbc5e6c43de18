"""A cubin, read: the machine code of each kernel, and which line of the PTX each instruction was made from.

A cubin is an ELF file. Its section `.nv_debug_line_sass` holds DWARF line programs, one a kernel, from addresses of
machine code to lines of PTX. Sources: the ELF-64 object file format; the DWARF standard, chapter "Line number
information".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_LINES = ".nv_debug_line_sass"
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")


@dataclass(frozen=True)
class MachineCode:
    """The code of one kernel, and the starts of runs of instructions: (address, line of the PTX), by address."""

    code: bytes
    lines: tuple[tuple[int, int], ...]


def machine_code(cubin: bytes, symbol: str) -> MachineCode | None:
    """The code of the kernel with that symbol; None where the cubin has no such kernel."""
    sections = _sections(cubin)
    text = sections.get(f".text.{symbol}")
    if text is None:
        return None
    lines = dict(_line_table(cubin, sections, text.number))
    return MachineCode(text.content, tuple(sorted(lines.items())))


@dataclass(frozen=True)
class _Section:
    number: int
    content: bytes


def _sections(cubin: bytes) -> dict[str, _Section]:
    offset, (count, names) = struct.unpack_from("<Q", cubin, 40)[0], struct.unpack_from("<HH", cubin, 60)
    headers = [_SECTION.unpack_from(cubin, offset + number * _SECTION.size) for number in range(count)]
    texts = headers[names][4]
    return {
        _text(cubin, texts + header[0]): _Section(number, cubin[header[4] : header[4] + header[5]])
        for number, header in enumerate(headers)
    }


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode("utf-8", "replace")


def _line_table(cubin: bytes, sections: dict[str, _Section], wanted: int) -> Iterator[tuple[int, int]]:
    """(address, line) rows of the programs that are about section `wanted`."""
    if _LINES not in sections:
        return
    data = sections[_LINES].content
    about = dict(_targets(sections))
    start = 0
    while start + 4 < len(data):
        length = struct.unpack_from("<I", data, start)[0]
        yield from _Program(data, start, start + 4 + length, about).rows(wanted)
        start += 4 + length


def _targets(sections: dict[str, _Section]) -> Iterator[tuple[int, int]]:
    """Where in the line programs an address stands, and the number of the section that it lies in."""
    relocations, symbols = (sections.get(name) for name in (f".rela{_LINES}", ".symtab"))
    if relocations is None or symbols is None:
        return
    for place, info, _ in _RELOCATION.iter_unpack(relocations.content):
        yield place, _SYMBOL.unpack_from(symbols.content, (info >> 32) * _SYMBOL.size)[3]


_SET_ADDRESS = 2
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _SET_COLUMN, _NEGATE, _BASIC_BLOCK, _CONST_ADD_PC, _FIXED_ADVANCE = range(
    1, 10
)


class _Program:
    """One line program: data[start:end], its header first. `about` maps places of addresses to section numbers."""

    def __init__(self, data: bytes, start: int, end: int, about: dict[int, int]) -> None:
        self.data, self.end, self.about = data, end, about
        version, header = struct.unpack_from("<HI", data, start + 4)
        wide = version >= 4  # a byte more: the operations of a bundle
        self.line_base, self.line_range, self.opcode_base = struct.unpack_from("<bBB", data, start + 12 + wide)
        self.lengths = data[start + 15 + wide : start + 14 + wide + self.opcode_base]
        self.at = start + 10 + header
        self.step = data[start + 10]
        self.section = self.address = 0
        self.line = 1

    def rows(self, wanted: int) -> Iterator[tuple[int, int]]:
        while self.at < self.end:
            opcode = self._byte()
            if opcode >= self.opcode_base:
                advance, more = divmod(opcode - self.opcode_base, self.line_range)
                self.address += advance * self.step
                self.line += self.line_base + more
                is_row = True
            else:
                is_row = self._extended() if opcode == 0 else self._standard(opcode)
            if is_row and self.section == wanted:
                yield self.address, self.line

    def _extended(self) -> bool:
        size = self._unsigned()
        operation, place = self.data[self.at], self.at + 1
        if operation == _SET_ADDRESS:
            self.address = struct.unpack_from("<Q", self.data, place)[0]
            self.section = self.about.get(place, self.section)
            self.line = 1
        self.at += size
        return False

    def _standard(self, opcode: int) -> bool:
        if opcode == _COPY:
            return True
        if opcode == _ADVANCE_PC:
            self.address += self._unsigned() * self.step
        elif opcode == _ADVANCE_LINE:
            self.line += self._signed()
        elif opcode == _CONST_ADD_PC:
            self.address += (255 - self.opcode_base) // self.line_range * self.step
        elif opcode == _FIXED_ADVANCE:
            self.address += struct.unpack_from("<H", self.data, self.at)[0]
            self.at += 2
        else:
            for _ in range(self.lengths[opcode - 1]):
                self._unsigned()
        return False

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def _signed(self) -> int:
        start = self.at
        value, bits = self._unsigned(), 0
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) else value
