"""What a compiler makes of a source: code for both executors, its remarks, and what each kernel takes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gemmlab.errors import UserError


@dataclass(frozen=True)
class Diagnostic:
    """One remark of the compiler. `line` and `column` count from 1 in the student's file; None where not known."""

    severity: str
    message: str
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True)
class Resources:
    """What the compiler reports of one kernel: registers, local and spill bytes of a thread; of a block the bytes of
    static shared memory, the barriers, and the threads that __launch_bounds__ allows (None where it says nothing).
    """

    registers: int
    shared_bytes: int
    local_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    barriers: int
    max_threads: int | None = None


@dataclass(frozen=True)
class Program:
    """Compiled code. PTX and cubin come from one call of the compiler, so that both executors see the same code.

    `kernels` are the names of the `__global__` functions as the source writes them, `symbols` their names in PTX and
    cubin, which differ where `extern "C"` is missing. `resources` has the kernels' names as keys. `cubin` is None where
    ptxas found no room for the code on `arch`; `ptxas_errors` then says why. In the PTX, the student's file is
    SOURCE_NAME, with the lines of `source`.
    """

    source: str
    filename: str
    arch: str
    ptx: str
    cubin: bytes | None
    resources: dict[str, Resources] = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()
    ptxas_errors: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    symbols: dict[str, str] = field(default_factory=dict)

    @property
    def machine_code(self) -> bytes:
        """The cubin. Raises UserError where there is none."""
        if self.cubin is None:
            raise UserError(f"{self.filename} has no machine code for {self.arch}: {'; '.join(self.ptxas_errors)}")
        return self.cubin

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables in global memory that a launch may leave something in, by their symbols."""
        return tuple(re.findall(r"^(?:\.\w+ )*\.global (?:\.\w+ (?:\d+ )?)*([A-Za-z_][\w$]*)", self.ptx, re.MULTILINE))

    @property
    def may_keep_something(self) -> bool:
        """Whether a launch may leave something for the next in the same module. Without PTX nobody knows."""
        return bool(self.variables) or not self.ptx

    @property
    def dynamic_shared(self) -> tuple[str, ...]:
        """The names of dynamic shared memory, by their symbols. All stand for one memory."""
        return tuple(dict.fromkeys(re.findall(r"\.extern \.shared (?:\.\w+ (?:\d+ )?)*([\w$]+)\[\]", self.ptx)))

    def symbol(self, kernel: str) -> str:
        """The name of that kernel in PTX and cubin; an unknown name is returned as it is."""
        return self.symbols.get(kernel, kernel)
