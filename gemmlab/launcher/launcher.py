"""A file's own host launcher, such as LeetGPU's solve(A, B, C, M, N, K): what it launches at a shape.

The launcher is read, never run: reader.py follows its statements, device.py keeps what it does to the GPU. Its kernels
then go to the executors like any other.
"""

from __future__ import annotations

import re

from gemmlab.cuda.numbers import INTEGERS, Number, number_type
from gemmlab.cuda.tree import is_text
from gemmlab.errors import UserError
from gemmlab.files import MAX_SOURCE_BYTES
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.layout import COURSE, Layout, Shape
from gemmlab.kernel.plan import Plan
from gemmlab.kernel.verdict import Finding
from gemmlab.launcher.calls import Return
from gemmlab.launcher.device import Device
from gemmlab.launcher.file import Function, HostFile, Parameter, check_syntax
from gemmlab.launcher.reader import Reader
from gemmlab.launcher.values import Cell, HostFault, NotRead, Pointer, Stream, Value

CONTRACT = "(const float* A, const float* B, float* C, int M, int N, int K), with a cudaStream_t last or not"
_DEVICE_PREFIX = re.compile(r"^(?:d|dev|device|gpu)_|_(?:d|dev|device|gpu)$")


class Launcher:
    """One launcher of a source; `at` reads it at a shape, once."""

    def __init__(self, source: str, name: str, layout: Layout = COURSE) -> None:
        """Raises UserError where the source has no such function, or one with other parameters."""
        if not is_text(source):
            raise UserError("the file is not text; save it as UTF-8")
        if len(source) > MAX_SOURCE_BYTES:
            raise UserError(f"the file is larger than {MAX_SOURCE_BYTES >> 10} KiB, which is no kernel file")
        self.layout = layout
        self._file = HostFile.read(source)
        self._function = self._find(name, source)
        self._matrices, self._sizes, self._stream = self._signature()
        self._plans: dict[Shape, Plan] = {}

    def at(self, M: int, N: int, K: int) -> Plan:
        """What is launched at the shape that the launcher gets as M, N and K. UserError where it cannot be read."""
        shape = M, N, K
        if shape not in self._plans:
            self._plans[shape] = self._plan(shape)
        return self._plans[shape]

    def _plan(self, shape: Shape) -> Plan:
        sizes = dict(zip("MNK", shape))
        device = Device(
            {name: 4 * sizes[rows] * sizes[cols] for name, (rows, cols) in self.layout.extents.items()}, self.layout
        )
        reader = Reader(self._file, device)
        reader.scopes.append(self._arguments(sizes))
        try:
            check_syntax(self._function.body)
            reader.run(self._function.body)
        except Return:
            pass
        except NotRead as problem:
            raise self._cannot_read(self._function.name, problem) from None
        except HostFault as fault:
            return Plan((), fault=Finding(fault.kind, fault.message, line=fault.line))
        except RecursionError:
            message = f"The launcher calls itself, or is nested, too deeply (it was at line {reader.line})."
            return Plan((), fault=Finding("timeout", message, line=reader.line))
        return Plan(tuple(device.steps), device.buffers, self._nothing(device))

    def _nothing(self, device: Device) -> Finding | None:
        if any(isinstance(step, Launch) for step in device.steps):
            return None
        message = f"The launcher '{self._function.name}' launches no kernel at this shape, so C stays unwritten."
        return Finding("launch_error", message, line=self._function.line)

    def _arguments(self, sizes: dict[str, int]) -> dict[str, Cell]:
        """The launcher's parameters with their values."""
        values: dict[str, Value] = {parameter.name: Pointer(name) for name, parameter in self._matrices.items()}
        for letter, parameter in self._sizes.items():
            values[parameter.name] = Number("int", sizes[letter]).to(number_type(parameter.type))
        if self._stream:
            values[self._stream.name] = Stream("the launcher's own")
        types = {parameter.name: parameter.type for parameter in self._function.parameters}
        return {name: Cell(value, types[name], name) for name, value in values.items()}

    # ---- the function and its parameters

    def _find(self, name: str, source: str) -> Function:
        found = self._file.functions.get(name, [])
        for function in found:
            if not function.is_kernel:
                return function
        if found:
            raise UserError(f"'{name}' is a kernel, not its launcher; {self._flags(name)}")
        if self._file.error and re.search(rf"\b{re.escape(name)}\s*\(", source):
            raise self._cannot_read(name, self._file.error)
        launchers = self._file.launchers
        if launchers:
            others = " or ".join(f"--launcher {function.name} (line {function.line})" for function in launchers[:3])
            raise UserError(f"there is no function '{name}' in the file; give {others}")
        raise UserError(
            f"there is no function '{name}' in the file, and none that launches a kernel (<<<...>>>); {self._flags()}"
        )

    def _signature(self) -> tuple[dict[str, Parameter], dict[str, Parameter], Parameter | None]:
        """The parameters that are A, B, C and M, N, K, and the stream."""
        parameters = self._function.parameters
        pointers = [p for p in parameters if p.type in ("float*", "const float*")]
        integers = [p for p in parameters if number_type(p.type) in INTEGERS]
        streams = [p for p in parameters if p.type == "cudaStream_t"]
        as_wanted = parameters[:6] == (*pointers, *integers) and parameters[6:] == tuple(streams)
        where = f"'{self._function.name}' (line {self._function.line})"
        if not (as_wanted and len(pointers) == len(integers) == 3 and len(streams) <= 1):
            given = ", ".join(f"{p.type} {p.name}".strip() for p in parameters)
            raise UserError(f"the launcher {where} takes ({given}); it must take {CONTRACT}")
        if self._function.template:
            raise UserError(f"the launcher {where} is a template; give the name of a plain function that calls it")
        matrices = _by_letter("ABC", pointers)
        if matrices["C"].type != "float*":
            raise UserError(f"the launcher '{self._function.name}' takes C as {matrices['C'].type}; it must be float*")
        return matrices, _by_letter("MNK", integers), streams[0] if streams else None

    def _cannot_read(self, name: str, why: NotRead) -> UserError:
        return UserError(f"the launcher '{name}' cannot be read: {why}; {self._flags(instead=True)}")

    def _flags(self, kernel: str | None = None, instead: bool = False) -> str:
        """The flags that say the same as a launcher."""
        kernels = self._file.kernels
        name = kernel or (kernels[0].name if kernels else "NAME")
        layout = "" if self.layout == COURSE else f" --layout {self.layout.name}"
        return f"give --kernel {name} --block X,Y --grid X,Y [--smem BYTES]{layout}" + " instead" * instead


def _by_letter(letters: str, parameters: list[Parameter]) -> dict[str, Parameter]:
    """The parameters by their own names where these are just those letters, else by their order."""
    names = {_DEVICE_PREFIX.sub("", parameter.name).upper(): parameter for parameter in parameters}
    return names if names.keys() == set(letters) else dict(zip(letters, parameters))
