"""What a host launcher may use of CUDA's runtime and of C++'s library, and what that does here."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gemmlab.cuda.constants import SIZES
from gemmlab.cuda.numbers import Number, binary, common_type
from gemmlab.cuda.tree import walk
from gemmlab.launcher.faults import HostFault, NotRead
from gemmlab.launcher.kernels import instance, launch_by_address, template_scope
from gemmlab.launcher.nodes import line_of, quoted, shortened
from gemmlab.launcher.reading import Reading
from gemmlab.launcher.values import (
    Cell,
    FunctionName,
    HostArray,
    Member,
    Output,
    Pointer,
    Reference,
    Stream,
    Unknown,
    Value,
    as_size,
    as_stream,
)

if TYPE_CHECKING:
    from tree_sitter import Node

LibraryFunction = Callable[[Reading, int, list[Value]], Value]

SUCCESS = Number("int", 0)
TEXT = Unknown("a text")
DEVICE_TYPES = frozenset(SIZES) | {"void"}
_NO_EFFECT = frozenset(
    "cudaGetLastError cudaPeekAtLastError cudaFree cudaFreeAsync cudaFuncSetCacheConfig cudaDeviceSetCacheConfig "
    "cudaFuncSetSharedMemConfig cudaDeviceSetSharedMemConfig cudaDeviceSetLimit cudaSetDevice cudaEventRecord "
    "cudaMemPrefetchAsync cudaMemAdvise cudaEventSynchronize cudaEventDestroy cudaStreamDestroy cudaStreamWaitEvent "
    "cudaProfilerStart cudaProfilerStop nvtxRangePush nvtxRangePushA nvtxRangePop printf fprintf puts fputs putchar "
    "fflush".split()
)
_CHECKS = re.compile(r"check|err|assert|safe|guard|log|time|^wb[A-Z]|^nvtx", re.IGNORECASE)
_NAMES: dict[str, Value] = {
    "cudaSuccess": SUCCESS,
    "NULL": Pointer(None),
    "EXIT_SUCCESS": SUCCESS,
    "EXIT_FAILURE": Number("int", 1),
    "INT_MAX": Number("int", 2**31 - 1),
    "cudaStreamDefault": SUCCESS,
    "cudaStreamNonBlocking": Number("unsigned int", 1),
    "cudaStreamLegacy": Stream(),
    "cudaStreamPerThread": Stream("cudaStreamPerThread"),
    "warpSize": Number("int", 32),
    **{name: Unknown("a place in the file") for name in ("__FILE__", "__LINE__", "__func__", "__FUNCTION__")},
    **{name: Unknown("a stream of C") for name in ("stdout", "stderr")},
    **{name: Output() for name in ("cout", "cerr", "clog")},
}


def constant(name: str) -> Value | None:
    """A name that CUDA or C++ declares; None where it is none known here."""
    plain = name.removeprefix("std::").removeprefix("cudaError_t::")
    if plain in _NAMES:
        return _NAMES[plain]
    if name.startswith("cudaError") and not name.endswith("_t"):
        return Number("int", 1)
    if re.match(r"cuda[A-Z]", name) or plain in ("endl", "flush", "fixed"):
        return Unknown(name)
    return None


def call(reader: Reading, name: str, node: Node, arguments: list[Node]) -> Value:
    """Call a function that the file does not define. `name` has its namespace."""
    plain = name.removeprefix("::").removeprefix("std::").removeprefix("cuda::")
    line, last = line_of(node), plain.split("::")[-1]
    if plain in _NO_EFFECT:
        return SUCCESS
    if plain.startswith(("chrono::", "cudaGetErrorString", "cudaGetErrorName")):
        return Unknown("a time") if plain.startswith("chrono") else TEXT
    function = _FUNCTIONS.get(plain) or next((one for words, one in _BY_WORDS if words.fullmatch(last)), None)
    if function is None and _CHECKS.search(last):
        return _check(reader, line, arguments)
    if function is None:
        raise NotRead(reader.line, f"the function '{shortened(name)}' is not known")
    values = [reader.value(argument) for argument in arguments]
    try:
        return function(reader, line, values)
    except (IndexError, ValueError, AttributeError, TypeError):  # too few arguments, or others than it takes
        raise NotRead(line, f"'{quoted(node)}' is not understood") from None


def _check(reader: Reading, line: int, arguments: list[Node]) -> Value:
    """A macro or function of a header that is not here, which by its name checks, logs or times its arguments."""
    for argument in arguments:
        try:
            value = reader.value(argument)
        except NotRead:
            if any(node.type == "call_expression" for node in walk(argument)):
                raise
            continue  # a name that only the header knows, such as the kind of a timer
        if isinstance(value, FunctionName):
            raise NotRead(line, "a kernel is given to a function that is not known")
    return SUCCESS


# ---- CUDA's runtime


def _synchronize(reader: Reading, line: int, values: list[Value]) -> Value:
    reader.device.synchronize()
    return SUCCESS


def _stream_synchronize(reader: Reading, line: int, values: list[Value]) -> Value:
    if values and not isinstance(values[0], Unknown):
        reader.device.synchronize(as_stream(values[0], line))
    return SUCCESS


def _memset(reader: Reading, line: int, values: list[Value]) -> Value:
    to, byte = values[0], values[1]
    stream = as_stream(values[3], line) if len(values) > 3 else Stream()
    reader.device.fill(line, _pointer(to, line), as_size(byte, line), as_size(values[2], line), stream)
    return SUCCESS


def _memcpy(reader: Reading, line: int, values: list[Value]) -> Value:
    stream = as_stream(values[4], line) if len(values) > 4 else Stream()
    to, source = (_pointer(value, line) for value in values[:2])
    reader.device.copy(line, to, source, as_size(values[2], line), stream)
    return SUCCESS


def _pointer(value: Value, line: int) -> Pointer:
    if isinstance(value, Pointer):
        return value
    raise NotRead(line, "an address is not known")


def _malloc(reader: Reading, line: int, values: list[Value]) -> Value:
    place = _place(values[0], line)
    place.put(reader.device.allocate(line, place.name or "buffer", as_size(values[1], line)))
    return SUCCESS


def _func_set_attribute(reader: Reading, line: int, values: list[Value]) -> Value:
    kernel, attribute, size = values
    if attribute == Unknown("cudaFuncAttributeMaxDynamicSharedMemorySize"):
        if not isinstance(kernel, FunctionName):
            raise NotRead(line, "the kernel that cudaFuncSetAttribute is given is not known")
        function = kernel.functions[0]
        template = template_scope(reader, function, kernel.template_arguments, ())
        reader.device.opt_in(instance(function, template), as_size(size, line))
    return SUCCESS


def _launch_kernel(reader: Reading, line: int, values: list[Value]) -> Value:
    launch_by_address(reader, line, values)
    return SUCCESS


def _stream_create(reader: Reading, line: int, values: list[Value]) -> Value:
    place = _place(values[0], line)
    blocking = len(values) < 2 or values[1] == SUCCESS
    place.put(Stream(f"{place.name or 'stream'} of line {line}", blocking))
    return SUCCESS


def _gives(what: Value, count: int = 1) -> LibraryFunction:
    """A function that puts a value into the variables whose addresses are its first arguments."""

    def function(reader: Reading, line: int, values: list[Value]) -> Value:
        for reference in values[:count]:
            _place(reference, line).put(what)
        return SUCCESS

    return function


def _place(value: Value, line: int) -> Cell | Member:
    """The variable whose address is given."""
    if isinstance(value, Reference):
        return value.place
    raise NotRead(line, "the address of a variable is not known")


# ---- C and C++


def _assert(reader: Reading, line: int, values: list[Value]) -> Value:
    if isinstance(values[0], Number) and not values[0].value:
        raise HostFault("launch_error", line, f"The launcher's assert in line {line} does not hold at this shape.")
    return SUCCESS


def _exit(reader: Reading, line: int, values: list[Value]) -> Value:
    raise HostFault("launch_error", line, f"The launcher ends the program in line {line} at this shape.")


def _extreme(sign: str) -> LibraryFunction:
    """min or max of two numbers, or of a list of them."""

    def function(reader: Reading, line: int, values: list[Value]) -> Value:
        given = [cell.value for cell in values[0].cells] if isinstance(values[0], HostArray) else values
        unknown = next((value for value in given if isinstance(value, Unknown)), None)
        return unknown or _best(sign, _numbers(given, line))

    return function


def _best(sign: str, numbers: list[Number]) -> Number:
    best = numbers[0]
    for number in numbers[1:]:
        is_better = binary(sign, number, best)
        chosen = number if is_better and is_better.value else best
        best = chosen.to(common_type(best.type, number.type))
    return best


def _numbers(values: Sequence[Value | None], line: int) -> list[Number]:
    numbers = [value for value in values if isinstance(value, Number)]
    if len(numbers) < len(values):
        raise NotRead(line, "a function of numbers is given something else")
    return numbers


def _real(function: Callable[..., float], single: bool = False) -> LibraryFunction:
    """A function of real numbers; of a float it gives a float."""

    def called(reader: Reading, line: int, values: list[Value]) -> Value:
        if any(isinstance(value, Unknown) for value in values):
            return Unknown("a number")
        numbers = _numbers(values, line)
        try:
            result = float(function(*(float(number.value) for number in numbers)))
        except (ValueError, OverflowError, ZeroDivisionError):
            result = math.nan
        return Number("double", result).to("float" if single or numbers[0].type == "float" else "double")

    return called


def _list(reader: Reading, line: int, values: list[Value]) -> Value:
    """std::make_pair and its like."""
    return HostArray([Cell(value) for value in values])


def _current_stream(reader: Reading, line: int, values: list[Value]) -> Value:
    """The stream that a framework works on, which is the default one where nothing else is said."""
    return Stream()


def _absolute(reader: Reading, line: int, values: list[Value]) -> Value:
    (number,) = _numbers(values, line)
    return Number(number.type, abs(number.value))


def _ceil_div(reader: Reading, line: int, values: list[Value]) -> Value:
    """a / b rounded up."""
    a, b = _numbers(values, line)
    whole, rest = binary("/", a, b), binary("%", a, b)
    if whole is None or rest is None:
        raise NotRead(line, "a quotient is rounded up, but is not of whole numbers")
    return binary("+", whole, Number(whole.type, int(rest.value != 0))) or whole


def _to(type_: str) -> LibraryFunction:
    """A conversion by the name of its function."""

    def function(reader: Reading, line: int, values: list[Value]) -> Value:
        return _numbers(values, line)[0].to(type_)

    return function


_REAL: dict[str, Callable[..., float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "round": lambda x: math.copysign(math.floor(abs(x) + 0.5), x),
    "sqrt": math.sqrt,
    "log2": math.log2,
    "log": math.log,
    "exp": math.exp,
    "pow": math.pow,
    "fabs": abs,
}
_FUNCTIONS: dict[str, LibraryFunction] = {
    **{name: _synchronize for name in ("cudaDeviceSynchronize", "cudaThreadSynchronize")},
    "cudaStreamSynchronize": _stream_synchronize,
    **{name: _memset for name in ("cudaMemset", "cudaMemsetAsync")},
    **{name: _memcpy for name in ("cudaMemcpy", "cudaMemcpyAsync")},
    **{name: _malloc for name in ("cudaMalloc", "cudaMallocAsync", "cudaMallocManaged")},
    "cudaFuncSetAttribute": _func_set_attribute,
    "cudaLaunchKernel": _launch_kernel,
    **{
        name: _stream_create
        for name in ("cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority")
    },
    "cudaEventCreate": _gives(Unknown("an event")),
    "cudaEventElapsedTime": _gives(Unknown("a time")),
    "cudaGetDevice": _gives(Number("int", 0)),
    "cudaGetDeviceCount": _gives(Number("int", 1)),
    "cudaGetDeviceProperties": _gives(Unknown("a property of the GPU")),
    "cudaDeviceGetAttribute": _gives(Unknown("a property of the GPU")),
    "cudaOccupancyMaxPotentialBlockSize": _gives(Unknown("the occupancy on a GPU"), 2),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": _gives(Unknown("the occupancy on a GPU")),
    "assert": _assert,
    **{name: _exit for name in ("exit", "abort", "quick_exit", "_Exit", "terminate")},
    **{name: _extreme("<") for name in ("min", "fminf", "fmin")},
    **{name: _extreme(">") for name in ("max", "fmaxf", "fmax")},
    **{name: _real(function) for name, function in _REAL.items()},
    **{f"{name}f": _real(function, single=True) for name, function in _REAL.items()},
    "abs": _absolute,
    **{name: _list for name in ("make_pair", "make_tuple", "pair", "tuple")},
    **{name: _to("half") for name in ("__float2half", "__float2half_rn", "__double2half", "__int2half_rn")},
    **{name: _to("bfloat16") for name in ("__float2bfloat16", "__float2bfloat16_rn", "__double2bfloat16")},
    **{name: _to("float") for name in ("__half2float", "__bfloat162float")},
    "ceil_div": _ceil_div,
}
# Functions of headers that are not here, by what they are mostly called.
_BY_WORDS: tuple[tuple[re.Pattern[str], LibraryFunction], ...] = (
    (
        re.compile(r"i?c(?:eil)?_?div(?:_?up)?|i?div_?(?:round_?)?up|div_?ceil|round_?up_?div", re.IGNORECASE),
        _ceil_div,
    ),
    (re.compile(r"(?:get)?_?current_?(?:cuda|hip)?_?stream", re.IGNORECASE), _current_stream),
)
