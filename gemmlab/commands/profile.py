"""gemmlab profile: what each line of a kernel does to memory."""

from __future__ import annotations

import typer

from gemmlab.commands.answer import print_json
from gemmlab.commands.options import (
    ArgsOption,
    Backend,
    BlockOption,
    CountingBackendOption,
    DefineOption,
    FileArgument,
    GridOption,
    Inputs,
    InputsOption,
    JsonOption,
    KernelOption,
    LauncherOption,
    LayoutName,
    LayoutOption,
    ShapesOption,
    SmemOptInOption,
    SmemOption,
    parse_shape,
)
from gemmlab.commands.request import Request
from gemmlab.errors import UserError


def profile(
    file: FileArgument,
    shape: ShapesOption = None,
    block: BlockOption = None,
    grid: GridOption = None,
    kernel: KernelOption = None,
    smem: SmemOption = "0",
    smem_opt_in: SmemOptInOption = False,
    launcher: LauncherOption = None,
    layout: LayoutOption = LayoutName.course,
    args: ArgsOption = None,
    define: DefineOption = None,
    inputs: InputsOption = Inputs.random,
    backend: CountingBackendOption = Backend.auto,
    as_json: JsonOption = False,
) -> None:
    """Count what each line of a kernel does to memory, at one shape, and say how full it makes a GPU.

    The arguments are those of run. A request is one memory instruction of one warp, as Nsight Compute counts it. Where
    the file includes others from beside it, lines are numbered over all of them, in the order of the compiler.
    """
    from gemmlab.check.profile import profile_launcher, profile_source

    if backend == Backend.cuda:
        raise UserError("it is the emulator that counts; leave --backend out")
    if not shape or len(shape) > 1:
        raise UserError("a profile is of one shape; give one, for example --shape 128,128,128")
    request = Request(file, block, grid, kernel, smem, smem_opt_in, launcher, layout, args, define or [])
    request.check_options()
    text, size = request.unit().text, parse_shape(shape[0])
    if launcher is None:
        found = profile_source(text, file.name, request.spec(text), size, inputs.value)
    else:
        found = profile_launcher(
            text, file.name, launcher, size, inputs.value, layout=request.chosen_layout, given=request.given
        )
    if as_json:
        print_json(found.to_json())
    else:
        from gemmlab.text.profile import print_profile

        print_profile(found)
    raise typer.Exit(0 if found.verdict.passed else 1)
