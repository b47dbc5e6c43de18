"""gemmlab run: any kernel, or what a file's own launcher launches."""

from __future__ import annotations

from gemmlab.commands.answer import give_verdict
from gemmlab.commands.options import (
    ArgsOption,
    Backend,
    BackendOption,
    BlockOption,
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


def run(
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
    backend: BackendOption = Backend.auto,
    as_json: JsonOption = False,
) -> None:
    """Run any kernel (const float* A, const float* B, float* C, int M, int N, int K) and check its C.

    Expressions are integer arithmetic over M, N and K: + - * // %, parentheses and cdiv(a, b). With --launcher the file
    brings a host function of the same arguments, a cudaStream_t last or not, which is read and never run. --args says
    what a kernel or launcher of another signature gets. Files beside the kernel's may be included. A shape is always
    what the kernel, or the launcher, gets as its M, N and K.
    """
    from gemmlab.check.check import check_launcher, check_source
    from gemmlab.course.lesson import Case

    request = Request(file, block, grid, kernel, smem, smem_opt_in, launcher, layout, args, define or [])
    request.check_options()
    unit = request.unit()
    if not shape:
        raise UserError("give at least one shape, for example --shape 64,64,64")
    cases = [Case(parse_shape(text), inputs.value, seed, "given") for seed, text in enumerate(shape)]
    if launcher is None:
        verdict = check_source(unit.text, file.name, request.spec(unit.text), cases, backend.value)
    else:
        asked = launcher, cases, backend.value, request.chosen_layout, request.given
        verdict = check_launcher(unit.text, file.name, *asked)
    give_verdict(unit.told(verdict), unit.shown, False, as_json)
