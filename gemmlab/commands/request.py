"""What `run` and `profile` are asked: a file as it is compiled, and how its kernel is launched."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gemmlab.commands.options import LayoutName, launch_spec, numbers_of
from gemmlab.errors import UserError

if TYPE_CHECKING:
    from gemmlab.cuda.signature import KernelSignature
    from gemmlab.cuda.unit import Unit
    from gemmlab.kernel.arguments import ArgumentList, GivenLaunch
    from gemmlab.kernel.launch import LaunchSpec
    from gemmlab.kernel.layout import Layout

_USUAL = "A,B,C,M,N,K"
_LONGEST_HEADER = 1 << 18  # bytes


@dataclass(frozen=True)
class Request:
    """The options, as they were given."""

    file: Path
    block: str | None = None
    grid: str | None = None
    kernel: str | None = None
    smem: str = "0"
    smem_opt_in: bool = False
    launcher: str | None = None
    layout: LayoutName = LayoutName.course
    args: str | None = None
    defines: list[str] = field(default_factory=list)

    def unit(self) -> Unit:
        """The file with what it includes from beside it. Raises UserError where it cannot be read."""
        from gemmlab.check.check import read_kernel
        from gemmlab.compiler.compile import has_header
        from gemmlab.cuda.unit import unit_of

        return unit_of(read_kernel(self.file), self._find, has_header, self.defines)

    def _find(self, name: str, includer: str) -> tuple[str, str] | None:
        """A header beside the file that includes it: its path from the kernel's folder, and its text."""
        folder = self.file.parent
        path = (folder / includer).parent / name if includer else folder / name
        try:
            if not path.is_file() or path.stat().st_size > _LONGEST_HEADER:
                return None
            shown = path.relative_to(folder) if path.is_relative_to(folder) else path
            return str(shown), path.read_text("utf-8")
        except (OSError, ValueError):
            return None

    @property
    def chosen_layout(self) -> Layout:
        from gemmlab.kernel.layout import LAYOUTS

        return LAYOUTS[self.layout.value]

    @property
    def given(self) -> ArgumentList | None:
        """What --args says; None where it is left out."""
        from gemmlab.kernel.arguments import ArgumentList

        return None if self.args is None else ArgumentList.parse(self.args)

    def check_options(self) -> None:
        """Raise UserError where a launcher and a launch are given."""
        if self.launcher is not None and (
            self.block or self.grid or self.kernel or self.smem != "0" or self.smem_opt_in
        ):
            raise UserError("a launcher says all that --kernel, --block, --grid and --smem say; leave these out")

    def spec(self, source: str) -> LaunchSpec | GivenLaunch:
        """The launch of one kernel."""
        from dataclasses import replace

        from gemmlab.cuda.signature import find_kernels

        defined = numbers_of(self.defines)
        spec = launch_spec(self.block, self.grid, self.smem, self.smem_opt_in, self.kernel, defined)
        spec = replace(spec, layout=self.chosen_layout)
        plain = spec.kernel.split("<")[0].split("::")[-1]
        signature = next((found for found in find_kernels(source) if found.name == plain), None)
        if signature is None:
            return spec
        instance = _instance(source, signature, spec.kernel)
        if self.args is None and instance == spec.kernel:
            return spec
        return self._with_arguments(replace(spec, kernel=instance), signature)

    def _with_arguments(self, spec: LaunchSpec, signature: KernelSignature) -> GivenLaunch:
        from gemmlab.cuda.numbers import number_type
        from gemmlab.kernel.arguments import ArgumentList, GivenLaunch

        given, parameters = self.given or ArgumentList.parse(_USUAL), signature.parameters
        if len(given.texts) != len(parameters):
            takes = ", ".join(f"{type_} {name}".strip() for type_, name in parameters)
            raise UserError(
                f"the kernel '{signature.name}' (line {signature.line}) takes ({takes}); give {len(parameters)} "
                f"arguments with --args, not {len(given.texts)}"
            )
        return GivenLaunch(spec, given, tuple(number_type(type_) for type_, _ in parameters))


def _instance(source: str, signature: KernelSignature, kernel: str) -> str:
    """The kernel as it is to be compiled: a template with the arguments that the file's own launch gives it."""
    from gemmlab.cuda.preprocess import preprocess

    if not signature.template or "<" in kernel:
        return kernel
    launch = re.search(rf"\b{re.escape(signature.name)}\s*<([^<>;(){{}}]*)>\s*<<<", preprocess(source, host=True))
    return f"{kernel}<{', '.join(part.strip() for part in launch[1].split(','))}>" if launch else kernel
