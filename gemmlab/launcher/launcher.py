"""A file's own host launcher, such as LeetGPU's solve(A, B, C, M, N, K): what it launches at a shape.

The launcher is read, never run: reader.py follows its statements, device.py keeps what it does to the GPU. Its kernels
then go to the executors like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from gemmlab.cuda.numbers import INTEGERS, Number, number_type
from gemmlab.cuda.signature import canonical_type
from gemmlab.cuda.tree import MissingPart, is_text
from gemmlab.errors import UserError
from gemmlab.kernel.arguments import (
    ARRAYS,
    FLAGS,
    MATRICES,
    OF_DEVICES,
    ArgumentList,
    element_asked,
    zeroed_C,
)
from gemmlab.kernel.elements import Element, element_of
from gemmlab.kernel.epilogue import Epilogue
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.layout import COURSE, Layout, Shape
from gemmlab.kernel.plan import Plan
from gemmlab.kernel.verdict import Finding
from gemmlab.launcher.calls import Return
from gemmlab.launcher.device import Device
from gemmlab.launcher.faults import HostFault, LauncherError, NotRead
from gemmlab.launcher.file import HostFile, check_syntax
from gemmlab.launcher.functions import Function, Parameter
from gemmlab.launcher.nodes import line_of, quoted
from gemmlab.launcher.reader import Reader
from gemmlab.launcher.values import Cell, Member, Pointer, Stream, Unknown, Value

CONTRACT = (
    "(const float* A, const float* B, float* C, int M, int N, int K), A and B perhaps of half or __nv_bfloat16, with a "
    "cudaStream_t last or not"
)
LONGEST_FILE = 1 << 18  # characters
_DEVICE_PREFIX = re.compile(r"^(?:d|dev|device|gpu)_|_(?:d|dev|device|gpu)$")


Given = tuple[Parameter, Callable[[Shape], Value]]  # a parameter, and what it gets at a shape


class Launcher:
    """One launcher of a source; `at` reads it at a shape, once."""

    def __init__(
        self,
        source: str,
        name: str,
        layout: Layout = COURSE,
        given: ArgumentList | None = None,
        element: Element | None = None,
    ) -> None:
        """`given` says what the function gets where it is not A, B, C, M, N, K, and on which of several devices;
        `element` what A and B hold where its parameters are not to say it.

        Raises LauncherError where the source has no such function, or one with other parameters.
        """
        if given and given.drawn:
            raise LauncherError(
                f"a launcher is read with its numbers: say which {given.drawn[0]}, as in {given.drawn[0]}=0.5"
            )
        if not is_text(source):
            raise LauncherError("the file is not text; save it as UTF-8")
        if len(source) > LONGEST_FILE:
            raise LauncherError(f"the file is larger than {LONGEST_FILE >> 10} KiB, which is no kernel file")
        self.layout = replace(layout, transposed=given.transposed) if given else layout
        self._asked = source, name, layout, given, element
        self._given, self._element = given, element
        self.epilogue = given.epilogue(layout.batch) if given else Epilogue(batch=layout.batch)
        self._file = HostFile.read(source)
        self._function = self._find(name, source)
        self._values = self._given_values(given) if given else self._usual_values()
        self._plans: dict[Shape, Plan] = {}

    def __reduce__(self) -> tuple:
        """Read anew in another process: the tree of the source cannot travel."""
        return Launcher, self._asked

    def at(self, M: int, N: int, K: int) -> Plan:
        """What is launched at the shape that the launcher gets as M, N and K. LauncherError where it cannot be read."""
        shape = M, N, K
        if shape not in self._plans:
            self._plans[shape] = self._plan(shape)
        return self._plans[shape]

    def _plan(self, shape: Shape) -> Plan:
        device = Device(self._sizes(shape), self.layout)
        reader = Reader(self._file, device)
        if self._given and self._given.zeroes_C:
            device.steps.append(zeroed_C(self.layout, shape))
        reader.scopes.append(self._arguments(shape))
        try:
            check_syntax(self._function.body)
            reader.run(self._function.body)
        except Return:
            pass
        except NotRead as problem:
            raise self._cannot_read(self._function.name, problem) from None
        except MissingPart as missing:
            broken = NotRead(line_of(missing.node), f"'{quoted(missing.node)}' is not understood")
            raise self._cannot_read(self._function.name, broken) from None
        except HostFault as fault:
            return Plan((), fault=Finding(fault.kind, fault.message, line=fault.line))
        except RecursionError:
            message = f"The launcher calls itself, or is nested, too deeply (it was at line {reader.line})."
            return Plan((), fault=Finding("timeout", message, line=reader.line))
        return Plan(tuple(device.steps), device.buffers, self._nothing(device))

    def _sizes(self, shape: Shape) -> dict[str, int]:
        """The bytes of each array that the launcher is given."""
        sizes, batch = dict(zip("MNK", shape)), self.layout.batch
        found = {
            name: self.layout.element_bytes(name) * batch * sizes[rows] * sizes[cols]
            for name, (rows, cols) in self.layout.extents.items()
        }
        if self.epilogue.bias:
            found["bias"] = 4 * sizes[self.layout.cols]
        if self._given and self._given.devices:
            found |= self._given.devices.sizes(shape, self._given.rank, self.layout.element.size)
        return found

    def _nothing(self, device: Device) -> Finding | None:
        if any(isinstance(step, Launch) for step in device.steps):
            return None
        message = f"The launcher '{self._function.name}' launches no kernel at this shape, so C stays unwritten."
        return Finding("launch_error", message, line=self._function.line)

    def _arguments(self, shape: Shape) -> dict[str, Cell | Member]:
        """The launcher's parameters with their values."""
        values = ((parameter, value(shape)) for parameter, value in self._values)
        return {parameter.name: Cell(value, parameter.type, parameter.name) for parameter, value in values}

    # ---- the function and its parameters

    def _find(self, name: str, source: str) -> Function:
        found = self._file.functions.get(name, [])
        for function in found:
            if not function.is_kernel:
                return function
        if found:
            raise LauncherError(f"'{name}' is a kernel, not its launcher", self._flags(name), found[0].line)
        if self._file.error and re.search(rf"\b{re.escape(name)}\s*\(", source):
            raise self._cannot_read(name, self._file.error)
        launchers = self._file.launchers
        if launchers:
            others = " or ".join(f"--launcher {function.name} (line {function.line})" for function in launchers[:3])
            raise LauncherError(f"there is no function '{name}' in the file", f"give {others}")
        raise LauncherError(
            f"there is no function '{name}' in the file, and none that launches a kernel (<<<...>>>)", self._flags()
        )

    def _usual_values(self) -> list[Given]:
        """What the parameters get that are A, B, C, M, N, K and perhaps a stream."""
        parameters = self._function.parameters
        pointers = [p for p in parameters if element_of(p.type)]
        integers = [p for p in parameters if number_type(p.type) in INTEGERS]
        streams = [p for p in parameters if p.type == "cudaStream_t"]
        as_wanted = parameters[:6] == (*pointers, *integers) and parameters[6:] == tuple(streams)
        if not (as_wanted and len(pointers) == len(integers) == 3 and len(streams) <= 1):
            line = self._function.line
            raise LauncherError(f"{self._takes()}; it must take {CONTRACT}", "or --args must say what it gets", line)
        self._refuse_template()
        matrices = _by_letter("ABC", pointers)
        self._set_element({letter: parameter.type for letter, parameter in matrices.items()})
        if matrices["C"].type != "float*":
            fault = f"the launcher '{self._function.name}' takes C as {matrices['C'].type}; it must be float*"
            raise LauncherError(fault, line=self._function.line)
        return [
            *((parameter, self._pointer(letter)) for letter, parameter in matrices.items()),
            *((parameter, _size(parameter, letter)) for letter, parameter in _by_letter("MNK", integers).items()),
            *((parameter, _stream) for parameter in streams),
        ]

    def _given_values(self, given: ArgumentList) -> list[Given]:
        """What the parameters get that --args gives them, in order; a stream may be left out."""
        self._refuse_template()
        parameters = list(self._function.parameters)
        streams = [parameters.pop()] if parameters and parameters[-1].type == "cudaStream_t" else []
        misfit = next((text for text, one in zip(given.texts, parameters) if not _fits(given, text, one)), None)
        if len(given.texts) != len(parameters) or misfit:
            fault = f"{misfit} does not fit" if misfit else f"--args gives it {len(given.texts)} values"
            raise LauncherError(f"{self._takes()}, but {fault}", line=self._function.line)
        self._set_element({MATRICES[text]: one.type for text, one in zip(given.texts, parameters) if text in MATRICES})
        values = [
            (one, self._pointer(ARRAYS.get(text, text)) if given.is_array(text) else _number(given, text, one.type))
            for text, one in zip(given.texts, parameters)
        ]
        return [*values, *((parameter, _stream) for parameter in streams)]

    def _set_element(self, matrices: dict[str, str]) -> None:
        try:
            element = element_asked(f"the launcher '{self._function.name}'", matrices, self._element)
        except UserError as error:
            raise LauncherError(str(error), line=self._function.line) from None
        self.layout = replace(self.layout, element=element)

    def _pointer(self, array: str) -> Callable[[Shape], Value]:
        if array in OF_DEVICES:
            return lambda shape: Pointer(array, element="unsigned int" if array == FLAGS else "a table")
        return lambda shape: Pointer(array, element="float" if array == "C" else self.layout.element.cuda)

    def _takes(self) -> str:
        given = ", ".join(f"{p.type} {p.name}".strip() for p in self._function.parameters)
        return f"the launcher '{self._function.name}' (line {self._function.line}) takes ({given})"

    def _refuse_template(self) -> None:
        if self._function.template:
            where = f"'{self._function.name}' (line {self._function.line})"
            advice = "give the name of a plain function that calls it"
            raise LauncherError(f"the launcher {where} is a template", advice, self._function.line)

    def _cannot_read(self, name: str, why: NotRead) -> LauncherError:
        return LauncherError(f"the launcher '{name}' cannot be read: {why}", self._flags(instead=True), why.line)

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


def _size(parameter: Parameter, letter: str) -> Callable[[Shape], Value]:
    return lambda shape: Number("int", shape["MNK".index(letter)]).to(number_type(parameter.type) or "int")


def _number(given: ArgumentList, text: str, type_: str) -> Callable[[Shape], Value]:
    known = number_type(type_)
    if known is None:  # such as a handle of cuBLAS, for which 0 is given
        return lambda shape: Unknown(f"a value of type {type_}")

    def value(shape: Shape) -> Value:
        found = given.number(text, shape)
        return Number("double" if isinstance(found, float) else "long long", found).to(known)

    return value


def _stream(shape: Shape) -> Value:
    return Stream("the launcher's own")


def _fits(given: ArgumentList, text: str, parameter: Parameter) -> bool:
    """Whether an array is given for a pointer to numbers, and a number for a number."""
    if given.is_array(text) and text in OF_DEVICES:
        return not given.misfits(text, canonical_type(parameter.type, {}))
    if text in ARRAYS:
        return element_of(parameter.type) is not None
    return number_type(parameter.type) is not None or text == "0"
