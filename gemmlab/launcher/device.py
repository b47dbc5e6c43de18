"""The GPU as a host launcher uses it: keeps what is launched, filled and copied, in order, and does none of it."""

from __future__ import annotations

from collections.abc import Sequence

from gemmlab.kernel.launch import Address, Argument, Launch
from gemmlab.kernel.layout import Layout
from gemmlab.kernel.plan import Copy, Fill
from gemmlab.launcher.faults import HostFault, NotRead
from gemmlab.launcher.values import Pointer, Stream

MOST_STEPS = 1000
MOST_BYTES = 1 << 30  # of arrays that the launcher allocates
MOST_BUFFERS = 16
FARTHEST = 1 << 40  # bytes
INPUTS = ("A", "B", "bias")


class Device:
    """`sizes` are the bytes of each array. Raises HostFault for what CUDA would refuse or leave undefined."""

    def __init__(self, sizes: dict[str, int], layout: Layout) -> None:
        self.sizes = dict(sizes)
        self.layout = layout
        self.buffers: dict[str, int] = {}
        self.steps: list[Launch | Fill | Copy] = []
        self._opt_in: dict[str, int] = {}
        self._last: Stream | None = None  # the one with work that nobody has waited for

    def opt_in(self, kernel: str, size: int) -> None:
        """cudaFuncAttributeMaxDynamicSharedMemorySize."""
        self._opt_in[kernel] = size

    def launch(
        self,
        line: int,
        kernel: str,
        config: tuple[tuple[int, int, int], tuple[int, int, int], int, Stream],
        arguments: Sequence[Argument],
    ) -> None:
        """`config` is grid, block, bytes of dynamic shared memory, and the stream."""
        grid, block, smem, stream = config
        self._on(line, stream)
        for argument in arguments:
            if isinstance(argument, Address) and abs(argument.offset) > FARTHEST:
                message = (
                    f"Line {line} gives the kernel an address {argument.offset:,} bytes away from {argument.array}."
                )
                raise HostFault("out_of_bounds", line, message)
        opted_in = self._opt_in.get(kernel, -1) >= smem
        self._add(line, Launch(block, grid, smem, opted_in, kernel, tuple(arguments), self.layout, line))

    def fill(self, line: int, to: Pointer, byte: int, size: int, stream: Stream) -> None:
        self._on(line, stream)
        self._add(line, Fill(self._written(line, "cudaMemset", to, size), size, byte & 255))

    def copy(self, line: int, to: Pointer, source: Pointer, size: int, stream: Stream) -> None:
        self._on(line, stream)
        read = self._inside(line, "cudaMemcpy reads", source, size)
        self._add(line, Copy(self._written(line, "cudaMemcpy", to, size), read, size))

    def allocate(self, line: int, name: str, size: int) -> Pointer:
        """cudaMalloc: a new array, called `name` where that is free."""
        if size < 1 or sum(self.buffers.values()) + size > MOST_BYTES or len(self.buffers) >= MOST_BUFFERS:
            raise HostFault(
                "launch_error",
                line,
                f"Line {line} asks for {size:,} bytes of memory on the GPU; a launcher may have {MOST_BUFFERS} arrays "
                f"of its own, of at least one byte each and together at most {MOST_BYTES:,}.",
            )
        numbers = ("", *(f"_{number}" for number in range(2, MOST_BUFFERS + 4)))
        free = next(name + number for number in numbers if name + number not in self.sizes)
        self.sizes[free] = self.buffers[free] = size
        return Pointer(free)

    def synchronize(self, stream: Stream | None = None) -> None:
        """Wait for this stream, or for all: if it was the last, another one may be used."""
        if stream is None or stream == self._last:
            self._last = None

    def _on(self, line: int, stream: Stream) -> None:
        """Work on two streams is not ordered, but that the default one and those that block wait for each other."""
        last = self._last or stream
        has_default = stream.name is None or last.name is None
        if stream != last and not (has_default and stream.blocking and last.blocking):
            raise NotRead(line, "work is put on a second stream; what runs at the same time cannot be checked")
        self._last = stream

    def _add(self, line: int, step: Launch | Fill | Copy) -> None:
        if len(self.steps) >= MOST_STEPS:
            raise HostFault(
                "unsupported",
                line,
                f"The launcher does more than {MOST_STEPS:,} launches, fills and copies (line {line}); so many are not "
                "checked.",
            )
        self.steps.append(step)

    def _written(self, line: int, what: str, to: Pointer, size: int) -> Address:
        if to.array in INPUTS:
            message = f"Line {line} writes to {to.array} with {what}, but an input must stay as it is."
            raise HostFault("wrong_result", line, message)
        return self._inside(line, f"{what} writes", to, size)

    def _inside(self, line: int, what: str, pointer: Pointer, size: int) -> Address:
        if pointer.array is None:
            raise HostFault("out_of_bounds", line, f"In line {line}, {what} at a null pointer.")
        if pointer.array not in self.sizes:
            raise NotRead(line, f"{what} {pointer.array}, which only kernels may touch here")
        whole = self.sizes[pointer.array]
        if not (0 <= pointer.offset and size >= 0 and pointer.offset + size <= whole):
            start = f" from byte {pointer.offset:,} on" if pointer.offset else ""
            message = f"In line {line}, {what} {size:,} bytes of {pointer.array}{start}, which has {whole:,}."
            raise HostFault("out_of_bounds", line, message)
        return Address(pointer.array, pointer.offset)
