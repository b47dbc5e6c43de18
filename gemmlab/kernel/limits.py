"""What a GPU of each compute capability has room for: the checks of a launch, and occupancy.

Sources: NVIDIA, CUDA Programming Guide, appendix "Compute Capabilities" (tables of technical specifications); the same
numbers as code in CCCL's cuda/__device/arch_traits.h; for granularities and occupancy, cuda_occupancy.h of the toolkit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gemmlab.errors import UserError
from gemmlab.kernel import sentences as say
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.program import Resources
from gemmlab.kernel.verdict import Finding
from gemmlab.kernel.warp import WARP

KIB = 1024
MAX_THREADS = 1024  # a block
MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = (2**31 - 1, 65535, 65535)
STATIC_SHARED = 48 * KIB  # a block; also all that a block gets without the opt-in
REGISTERS = 64 * KIB  # 32-bit, of an SM and at most of a block
REGISTERS_PER_THREAD = 255
REGISTER_UNIT = 256  # registers are given to warps in this many
SM_PARTITIONS = 4  # each with its share of the registers and warps


@dataclass(frozen=True)
class GpuLimits:
    """The limits that differ between GPUs. Sizes are in bytes; `sm` means one streaming multiprocessor."""

    arch: str
    threads_per_sm: int
    blocks_per_sm: int
    shared_per_sm: int
    reserved_shared: int  # what the driver takes of it, a block
    shared_unit: int  # shared memory is given to blocks in this many bytes

    @property
    def warps_per_sm(self) -> int:
        return self.threads_per_sm // WARP

    @property
    def shared_opt_in(self) -> int:
        """The most shared memory of a block, static and dynamic together, with the opt-in."""
        return self.shared_per_sm - self.reserved_shared


# compute capability -> threads and blocks of an SM, KiB of shared memory of an SM
_TABLE = {
    70: (2048, 32, 96),
    75: (1024, 16, 64),
    80: (2048, 32, 164),
    86: (1536, 16, 100),
    87: (1536, 16, 164),
    89: (1536, 24, 100),
    90: (2048, 32, 228),
    100: (2048, 32, 228),
    103: (2048, 32, 228),
    110: (1536, 24, 228),
    120: (1536, 24, 100),
    121: (1536, 24, 100),
}


def limits_for(arch: str) -> GpuLimits:
    """The limits of an architecture such as 'sm_80'; of an unknown minor version, those of the one before it."""
    match = re.fullmatch(r"(?:sm|compute)_(\d{2,3})[af]?", arch)
    capability = int(match[1]) if match else 0
    known = [number for number in _TABLE if number // 10 == capability // 10 and number <= capability]
    if not known:
        names = ", ".join(f"sm_{number}" for number in _TABLE)
        raise UserError(f"the limits of '{arch}' are not known; choose one of {names}")
    threads, blocks, shared_kib = _TABLE[known[-1]]
    before_ampere = capability < 80
    reserved, unit = (0, 256) if before_ampere else (KIB, 128)
    return GpuLimits(arch, threads, blocks, shared_kib * KIB, reserved, unit)


def check_launch(
    launch: Launch, resources: Resources | None, arch: str, ptxas_errors: Sequence[str] = ()
) -> list[Finding]:
    """What keeps the launch from starting on a GPU of that architecture, as findings of kind 'launch_error'.

    `resources` is the compiler's report of the kernel, None where there is none. `ptxas_errors` are the Program's.
    """
    limits = limits_for(arch)
    if messages := list(_impossible_sizes(launch)):
        return _findings(messages)
    messages = [*_too_many_threads(launch, resources), *_too_large_grid(launch), *ptxas_errors]
    if resources is not None:
        messages += _too_many_registers(launch, resources)
        messages += [] if ptxas_errors else _too_much_shared(launch, resources.shared_bytes, limits)
    return _findings(messages)


def _findings(messages: Sequence[str]) -> list[Finding]:
    return [Finding("launch_error", message[0].upper() + message[1:].rstrip(".") + ".") for message in messages]


def _impossible_sizes(launch: Launch) -> Iterator[str]:
    if min(launch.block) < 1:
        yield say.EMPTY_BLOCK(size=_text(launch.block))
    if min(launch.grid) < 1:
        yield say.EMPTY_GRID(size=_text(launch.grid))
    if launch.smem < 0:
        yield say.NEGATIVE_SHARED(smem=launch.smem)


def _too_many_threads(launch: Launch, resources: Resources | None) -> Iterator[str]:
    threads, block = math.prod(launch.block), _text(launch.block)
    if threads > MAX_THREADS:
        yield say.TOO_MANY_THREADS(block=block, threads=threads, most=MAX_THREADS)
    elif resources is not None and resources.max_threads is not None and threads > resources.max_threads:
        yield say.MORE_THAN_PROMISED(block=block, threads=threads, most=resources.max_threads)
    for axis, size, most in zip("xyz", launch.block, MAX_BLOCK):
        if size > most and (axis == "z" or threads <= MAX_THREADS):
            yield say.BLOCK_TOO_LONG(axis=axis, size=size, most=most)


def _too_large_grid(launch: Launch) -> Iterator[str]:
    for axis, size, most in zip("xyz", launch.grid, MAX_GRID):
        if size > most:
            yield say.GRID_TOO_LONG(axis=axis, size=size, most=most)


def _too_many_registers(launch: Launch, resources: Resources) -> Iterator[str]:
    threads, registers = math.prod(launch.block), resources.registers
    needed = registers_of_block(threads, registers)
    if threads <= MAX_THREADS and needed > REGISTERS:
        yield say.TOO_MANY_REGISTERS(threads=threads, registers=registers, needed=needed, most=REGISTERS)


def _too_much_shared(launch: Launch, static: int, limits: GpuLimits) -> Iterator[str]:
    dynamic, total, has_parts = launch.smem, static + launch.smem, static and launch.smem
    if static > STATIC_SHARED:
        yield say.TOO_MUCH_STATIC_SHARED(kernel=launch.kernel, size=f"{static:,}", most=f"{STATIC_SHARED:,}")
    elif total > (most := limits.shared_opt_in):
        if has_parts:
            yield say.TOO_MUCH_SHARED_IN_PARTS(static=static, dynamic=dynamic, arch=limits.arch, most=most)
        else:
            yield say.TOO_MUCH_SHARED(total=total, arch=limits.arch, most=most)
    elif total > STATIC_SHARED and not launch.smem_opt_in:
        if has_parts:
            yield say.NEEDS_OPT_IN_IN_PARTS(static=static, dynamic=dynamic, most=STATIC_SHARED)
        else:
            yield say.NEEDS_OPT_IN(total=total, most=STATIC_SHARED)


def _text(size: Sequence[int]) -> str:
    return "×".join(str(n) for n in size)


def registers_of_block(threads: int, registers: int) -> int:
    """What the hardware sets aside: whole units for each warp, and warps in a multiple of the SM's partitions."""
    warps = _round_up(-(-threads // WARP), SM_PARTITIONS)
    return warps * _round_up(registers * WARP, REGISTER_UNIT)


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


@dataclass(frozen=True)
class Occupancy:
    """How full a kernel makes an SM. `fraction` is of the SM's warps; `limited_by` names what allows no more blocks."""

    blocks_per_sm: int
    warps_per_sm: int
    fraction: float
    limited_by: tuple[str, ...]


def occupancy(threads: int, registers: int, shared_bytes: int, arch: str) -> Occupancy:
    """The occupancy of blocks of that many threads, with so many registers a thread and shared bytes a block.

    `limited_by` has one or more of 'warps', 'blocks', 'registers', 'shared memory'. A block that does not fit gives 0.
    """
    if threads < 1 or registers < 0 or shared_bytes < 0:
        raise UserError("occupancy needs at least one thread, and registers and shared memory of 0 or more")
    limits = limits_for(arch)
    warps = -(-threads // WARP)
    allowed = {
        "warps": limits.warps_per_sm // warps if threads <= MAX_THREADS else 0,
        "blocks": limits.blocks_per_sm,
        "registers": _blocks_by_registers(threads, registers),
        "shared memory": _blocks_by_shared(shared_bytes, limits),
    }
    blocks = min(allowed.values())
    limited_by = tuple(name for name, most in allowed.items() if most == blocks)
    return Occupancy(blocks, blocks * warps, blocks * warps / limits.warps_per_sm, limited_by)


def _blocks_by_registers(threads: int, registers: int) -> int:
    """The registers of an SM lie in its partitions, and a warp's in one of them."""
    if registers > REGISTERS_PER_THREAD or registers_of_block(threads, registers) > REGISTERS:
        return 0
    warp_registers = _round_up(max(registers, 1) * WARP, REGISTER_UNIT)
    return REGISTERS // SM_PARTITIONS // warp_registers * SM_PARTITIONS // -(-threads // WARP)


def _blocks_by_shared(shared_bytes: int, limits: GpuLimits) -> int:
    if shared_bytes > limits.shared_opt_in:
        return 0
    allocated = _round_up(shared_bytes + limits.reserved_shared, limits.shared_unit)
    return limits.shared_per_sm // allocated if allocated else limits.blocks_per_sm
