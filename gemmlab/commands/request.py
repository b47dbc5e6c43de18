"""What `run` and `profile` are asked: a file as it is compiled, and how its kernel is launched."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any

from gemmlab.commands import options as asked
from gemmlab.commands.options import Dtype, LayoutName, launch_spec, numbers_of
from gemmlab.errors import UserError

if TYPE_CHECKING:
    from gemmlab.cuda.signature import KernelSignature
    from gemmlab.cuda.unit import Unit
    from gemmlab.kernel.arguments import ArgumentList, GivenLaunch
    from gemmlab.kernel.elements import Element
    from gemmlab.kernel.launch import LaunchSpec
    from gemmlab.kernel.layout import Devices, Layout
    from gemmlab.kernel.plan import OnDevices

_USUAL = "A,B,C,M,N,K"
_LONGEST_HEADER = 1 << 18  # bytes


@dataclass(frozen=True)
class Request:
    """The options, as they were given."""

    file: asked.FileArgument
    shape: asked.ShapesOption = None
    block: asked.BlockOption = None
    grid: asked.GridOption = None
    kernel: asked.KernelOption = None
    smem: asked.SmemOption = "0"
    smem_opt_in: asked.SmemOptInOption = False
    launcher: asked.LauncherOption = None
    layout: asked.LayoutOption = LayoutName.course
    args: asked.ArgsOption = None
    activation: asked.ActivationOption = asked.ActivationName.none
    batch: asked.BatchOption = 1
    devices: asked.DevicesOption = None
    split: asked.SplitOption = asked.SplitName.rows
    share_unit: asked.UnitOption = 1
    flags: asked.FlagsOption = "0"
    define: asked.DefineOption = None
    inputs: asked.InputsOption = asked.Inputs.random
    dtype: asked.DtypeOption = asked.Dtype.auto

    def unit(self) -> Unit:
        """The file with what it includes from beside it. Raises UserError where it cannot be read."""
        from gemmlab.check.check import read_kernel
        from gemmlab.compiler.compile import has_header
        from gemmlab.cuda.unit import unit_of

        return unit_of(read_kernel(self.file), self._find, has_header, self.define or [])

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

        return replace(LAYOUTS[self.layout.value], batch=self.batch)

    @property
    def chosen_devices(self) -> Devices | None:
        """How --devices share out the product; None where they are left out. Raises UserError."""
        from gemmlab.kernel.layout import Devices

        if self.devices is None:
            if self.split != asked.SplitName.rows or self.share_unit != 1 or self.flags != "0":
                raise UserError("--split, --unit and --flags are of several devices; say how many, such as --devices 2")
            return None
        if self.layout != LayoutName.course or self.batch != 1:
            raise UserError("several devices take the course's layout and one product; leave --layout and --batch out")
        return Devices(self.devices, self.split.value, self.share_unit, self.flags)

    @property
    def given(self) -> ArgumentList | None:
        """What --args and --activation say, on the first of several devices; None where both are left out."""
        from gemmlab.kernel.arguments import ArgumentList

        devices = self.chosen_devices
        if devices and self.args is None:
            raise UserError('say with --args what each device gets, such as "A,B,C_of,flags_of,M,N,K,rank,world"')
        if self.args is None and self.activation == asked.ActivationName.none:
            return None
        return ArgumentList.parse(_USUAL if self.args is None else self.args, self.activation.value, devices)

    @property
    def element(self) -> Element | None:
        """What --dtype says of A and B; None where the parameters are to say it."""
        from gemmlab.kernel.elements import element_named

        return None if self.dtype is Dtype.auto else element_named(self.dtype.value)

    def check_options(self) -> None:
        """Raise UserError where a launcher and a launch are given."""
        if self.launcher is not None and (
            self.block or self.grid or self.kernel or self.smem != "0" or self.smem_opt_in
        ):
            raise UserError("a launcher says all that --kernel, --block, --grid and --smem say; leave these out")

    def spec(self, source: str) -> LaunchSpec | GivenLaunch | OnDevices:
        """The launch of one kernel, on several devices that of each."""
        from gemmlab.kernel.plan import OnDevices

        given = self.given
        if given is None or given.devices is None:
            return self._spec(source, given)
        lists = [replace(given, rank=rank) for rank in range(given.devices.world)]
        return OnDevices(tuple(self._spec(source, one) for one in lists), given.devices)

    def _spec(self, source: str, given: ArgumentList | None) -> LaunchSpec | GivenLaunch:
        """The launch of one kernel, on one of several devices where it is `given` its arguments for that."""
        from gemmlab.cuda.signature import find_kernels
        from gemmlab.kernel.elements import FLOAT32

        defined = numbers_of(self.define or [])
        spec = launch_spec(self.block, self.grid, self.smem, self.smem_opt_in, self.kernel, defined)
        spec = replace(spec, layout=replace(self.chosen_layout, element=self.element or FLOAT32))
        spec = replace(spec, names=given.names if given else ())
        plain = spec.kernel.split("<")[0].split("::")[-1]
        signature = next((found for found in find_kernels(source) if found.name == plain), None)
        if signature is None:
            return spec
        instance = _instance(source, signature, spec.kernel)
        if given is None and instance == spec.kernel and self.batch == 1:
            return self._plain(spec, signature)
        arguments = [part.strip() for part in instance.partition("<")[2].rstrip(" >").split(",") if part.strip()]
        return self._with_arguments(replace(spec, kernel=instance), signature.of(arguments), given)

    def _plain(self, spec: LaunchSpec, signature: KernelSignature) -> LaunchSpec:
        """The launch of a kernel that is to have the course's six parameters; that it has others, the check says."""
        from gemmlab.kernel.elements import element_of

        first, second, *_ = [element_of(type_) for type_, _ in signature.parameters] + [None, None]
        if self.element is None and first is second and first is not None:
            return replace(spec, layout=replace(spec.layout, element=first))
        return spec

    def _with_arguments(self, spec: LaunchSpec, signature: KernelSignature, given: ArgumentList | None) -> GivenLaunch:
        from gemmlab.cuda.numbers import number_type
        from gemmlab.kernel.arguments import MATRICES, ArgumentList, GivenLaunch, element_asked

        given, parameters = given or ArgumentList.parse(_USUAL), signature.parameters
        if len(given.texts) != len(parameters):
            takes = ", ".join(f"{type_} {name}".strip() for type_, name in parameters)
            raise UserError(
                f"the kernel '{signature.name}' (line {signature.line}) takes ({takes}); give {len(parameters)} "
                f"arguments with --args, not {len(given.texts)}"
            )
        odd = next((text for text, (type_, _) in zip(given.texts, parameters) if given.misfits(text, type_)), None)
        if odd:
            raise UserError(f"the kernel '{signature.name}' (line {signature.line}) takes {odd} as another type")
        matrices = {MATRICES[text]: type_ for text, (type_, _) in zip(given.texts, parameters) if text in MATRICES}
        element = element_asked(f"the kernel '{signature.name}' (line {signature.line})", matrices, self.element)
        return GivenLaunch(spec, given, tuple(number_type(type_) for type_, _ in parameters), element)


def with_request(command: Callable[..., None]) -> Callable[..., None]:
    """A command of a Request and of options of its own, as typer reads it: with the options of both."""
    fields = signature(Request, eval_str=True).parameters
    own = [one for name, one in signature(command, eval_str=True).parameters.items() if name != "request"]

    @wraps(command)
    def called(**given: Any) -> None:
        command(Request(**{name: given.pop(name) for name in fields}), **given)

    parameters = [one.replace(kind=Parameter.POSITIONAL_OR_KEYWORD) for one in (*fields.values(), *own)]
    vars(called)["__signature__"] = Signature(parameters)
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called


def _instance(source: str, signature: KernelSignature, kernel: str) -> str:
    """The kernel as it is to be compiled: a template with the arguments that the file's own launch gives it."""
    from gemmlab.cuda.preprocess import preprocess

    if not signature.template or "<" in kernel:
        return kernel
    launch = re.search(rf"\b{re.escape(signature.name)}\s*<([^<>;(){{}}]*)>\s*<<<", preprocess(source, host=True))
    return f"{kernel}<{', '.join(part.strip() for part in launch[1].split(','))}>" if launch else kernel
