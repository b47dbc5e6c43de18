"""Where the variables of a kernel lie: a range of addresses for each, far from the others."""

from __future__ import annotations

import re
from dataclasses import replace

from gemmlab.emulator.code.code import Region
from gemmlab.emulator.code.registers import Unsupported
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx.parser import TYPE_BYTES, Function, Module, Variable

_LARGEST = {"shared": o.WINDOW_CENTRE, "local": o.WINDOW_CENTRE, "global": 1 << 30, "const": 1 << 30}
_FULL = "more variables in memory than the emulator has room for"
_POINTER_BYTES = 8
_ALIGNMENT = 16
FIRST_GLOBAL = 3  # A, B and C come first


def _round_up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


class Variables:
    """The variables that the functions in `order` use, each with its region. Unsupported where there is no room."""

    def __init__(self, module: Module, order: list[str]) -> None:
        self.module, self.order = module, order
        self.globals: list[Region] = []
        self.shared: list[Region] = []
        self.locals: list[Region] = []
        self.local_bytes = 0
        self._shared_bytes = 0
        self._symbols: dict[tuple[str, str], int] = {}
        self._frame_parts: dict[str, list[tuple[int, int]]] = {}
        self._parameter_offset: dict[tuple[str, str], int] = {}
        named = self._named_symbols()
        for variable in module.variables:
            if variable.name in named:
                self._place("", variable)
        for name in order:
            for variable in module.functions[name].variables:
                if variable.space != "param":
                    self._place(name, variable)
        self._place_parameters()

    def _named_symbols(self) -> set[str]:
        """Names that the reachable code, or a variable it names, speaks of."""
        named = {
            word
            for name in self.order
            for instruction in self.module.functions[name].instructions
            for word in re.findall(r"[\w$.]+", " ".join(instruction.operands))
        }
        for variable in reversed(self.module.variables):
            if variable.name in named:
                named.update(name for _, name in variable.relocations)
        return named

    def _place(self, function: str, variable: Variable) -> None:
        if variable.size > _LARGEST[variable.space]:
            raise Unsupported(f"a variable of {variable.size} bytes")
        if any(offset + _POINTER_BYTES > variable.size for offset, _ in variable.relocations):
            raise Unsupported("an address in fewer than 8 bytes")
        place = {"shared": self._place_shared, "local": self._place_frame}.get(variable.space, self._place_global)
        self._symbols[function, variable.name] = place(function, variable)

    def _place_global(self, function: str, variable: Variable) -> int:
        index = len(self.globals) + FIRST_GLOBAL
        if index >= o.MAX_GLOBALS:
            raise Unsupported(_FULL)
        address = (index + 1 << o.GLOBAL_SHIFT) + o.GLOBAL_CENTRE
        kind = o.CONSTANT if variable.space == "const" else o.TRACKED
        region = Region(variable.name, kind, variable.size, address, variable.contents, function=function)
        self.globals.append(replace(region, relocations=variable.relocations))
        return address

    def _place_shared(self, function: str, variable: Variable) -> int:
        """The address of a shared variable. All of dynamic shared memory is one region, however many names it has."""
        dynamic = variable.size == 0
        known = next((region for region in self.shared if dynamic and region.dynamic), None)
        if known:
            return known.address
        if len(self.shared) >= o.MAX_SHARED:
            raise Unsupported(_FULL)
        start = self._shared_offset(variable) % _ALIGNMENT
        address = (len(self.shared) + 1 << o.WINDOW_SHIFT) + o.WINDOW_CENTRE + start
        self.shared.append(
            Region(variable.name, o.SHARED_KIND, variable.size, address, dynamic=dynamic, function=function)
        )
        return address

    def _shared_offset(self, variable: Variable) -> int:
        """Where ptxas puts it: one variable after the other, each at a multiple of its own alignment and no more, as an
        H200 showed; dynamic shared memory at a multiple of 16."""
        if variable.size == 0:
            return 0
        start = _round_up(self._shared_bytes, variable.align)
        self._shared_bytes = start + variable.size
        return start

    def _place_frame(self, function: str, frame: Variable) -> int:
        """A function's local memory. Debug information tells its variables apart, and each gets its own range."""
        start = _round_up(self.local_bytes, _ALIGNMENT)
        self.local_bytes = start + frame.size
        known = [part for part in self.module.locals.get(frame.name, []) if 0 < part[0] < frame.size]
        first = next((name for offset, name in self.module.locals.get(frame.name, []) if offset == 0), "")
        parts = [(0, first), *known]
        ends = [offset for offset, _ in known] + [frame.size]
        for (offset, name), end in zip(parts, ends):
            # Alignment is that of the place in the frame.
            address = (len(self.locals) + 1 << o.WINDOW_SHIFT) + o.WINDOW_CENTRE + offset % _ALIGNMENT
            self._frame_parts.setdefault(function, []).append((offset, address))
            self.locals.append(
                Region(name, o.LOCAL_KIND, end - offset, address, function=function, offset=start + offset)
            )
        if len(self.locals) > o.MAX_LOCALS:
            raise Unsupported(_FULL)
        return self._frame_parts[function][0][1]

    def _place_parameters(self) -> None:
        """Parameters and results of device functions have fixed places: recursion is not supported."""
        for name in self.order:
            function = self.module.functions[name]
            if function.is_entry:
                continue
            for variable in [*function.parameters, *function.returns]:
                offset = _round_up(self.local_bytes, _ALIGNMENT)
                self._parameter_offset[name, variable.name] = offset
                self.local_bytes = offset + max(variable.size, TYPE_BYTES["b64"])

    # ---- asked while instructions are translated

    def symbol(self, function: Function, text: str) -> int | None:
        """The address a name stands for, with an optional +offset."""
        match = re.fullmatch(r"([\w$.]+?)(?:\+(-?\d{1,10}))?", text)
        if not match:
            return None
        for scope in (function.name, ""):
            if (scope, match[1]) in self._symbols:
                return self._symbols[scope, match[1]] + int(match[2] or 0)
        return None

    def has_frame(self, function: Function) -> bool:
        return function.name in self._frame_parts

    def frame_address(self, function: Function, offset: int) -> int:
        """The address of a byte of the function's frame: in the range of the variable that lies there."""
        start, address = max(part for part in self._frame_parts[function.name] if part[0] <= max(offset, 0))
        return address + offset - start

    def has_parameter(self, function: Function, name: str) -> bool:
        return (function.name, name) in self._parameter_offset

    def parameter_place(self, function: Function, name: str) -> tuple[int, int]:
        """Where a parameter or result of a device function lies in a thread's memory, and its size."""
        if not self.has_parameter(function, name):
            raise Unsupported(f"the parameter {name}")
        declared = next(v for v in (*function.parameters, *function.returns) if v.name == name)
        return self._parameter_offset[function.name, name], max(declared.size, TYPE_BYTES["b64"])
