"""A kernel under trial: its text and how it is launched, to be compiled and run once in the emulator.

It stands here and not among the nouns of gemmlab/kernel, because it starts the compiler and the emulator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.kernel.epilogue import draw
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.plan import Launches, launches_of

if TYPE_CHECKING:
    from gemmlab.kernel.counters import Counters
    from gemmlab.kernel.executor import Outcome
    from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]


@dataclass(frozen=True)
class Candidate:
    """`text` is the whole source, which messages call `filename`. `launch` is written as expressions, or is the file's
    own launcher. Shapes are M, N and K in the letters of the launch's layout."""

    text: str
    filename: str
    launch: Launches

    def launches(self, shape: Shape) -> tuple[Launch, ...]:
        """What is launched at a shape, in order."""
        return launches_of(self.launch.at(*shape))

    def kernels(self, shapes: Iterable[Shape]) -> list[str]:
        """The names of the kernels that are launched at any of these shapes."""
        return sorted({launch.kernel for shape in shapes for launch in self.launches(shape)})

    def compiled(
        self,
        arch: str | None = None,
        *,
        shapes: Iterable[Shape] = (),
        debug: bool = False,
        assembled: bool = True,
        options: Sequence[str] = (),
    ) -> Program:
        """The program, for `arch` or the compiler's default; compiled again only where its cache does not have it.

        Kernels of templates are made as these `shapes` launch them. Raises CompileError.
        """
        from gemmlab.compiler.compile import compile_source

        instances = [name for name in self.kernels(shapes) if "<" in name]
        return compile_source(
            self.text,
            self.filename,
            arch=arch,
            debug=debug,
            assembled=assembled,
            options=options,
            instances=instances,
        )

    def run(self, shape: Shape, inputs: str = "random", seed: int = 1, arch: str | None = None) -> Outcome:
        """One launch in the emulator. Raises UserError where it does not compile."""
        from gemmlab.compiler.compile import CompileError
        from gemmlab.emulator import EmulatorExecutor

        try:
            program = self.compiled(arch, shapes=[shape])
        except CompileError:
            raise UserError("the kernel does not compile: run its check, which says why") from None
        A, B, terms = draw(self.launch, inputs, self.launch.layout.product(shape), seed)
        return EmulatorExecutor(again=False).run(program, self.launch.at(*shape), A, B, shape, terms=terms)

    def counts(self, shape: Shape, arch: str | None = None) -> Counters:
        """What one launch does to memory, by source line. Raises UserError where it does not compile or has a fault."""
        outcome = self.run(shape, arch=arch)
        if outcome.counters is None or any(finding.is_error for finding in outcome.findings):
            name = self.filename.removesuffix(".cu")
            raise UserError(f"there is a fault in {name}: run its check, which says which, then come back")
        return outcome.counters
