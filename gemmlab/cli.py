"""The command line: `gemmlab check`, `run`, `profile`, `record` and `doctor`.

Exit codes: 0 passed (for `doctor`: ready), 1 not passed, 2 what was asked cannot be done, 3 a fault inside gemmlab.
With `--json` one JSON object is printed in every case. Where something was asked that cannot be done its status is
'compile_error' if the kernel's file cannot be read, else 'failed', and its only finding says what to do.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from gemmlab.errors import UserError

if TYPE_CHECKING:
    from gemmlab.kernel.launch import LaunchSpec
    from gemmlab.kernel.verdict import Verdict

_LONGEST_SIZE = 20  # digits; more only make the number slower to refuse

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Check CUDA matrix multiplication kernels, with or without a GPU.",
)


class Backend(str, Enum):
    auto = "auto"
    emulator = "emulator"
    cuda = "cuda"


class LayoutName(str, Enum):
    course = "course"
    leetgpu = "leetgpu"


class Inputs(str, Enum):
    random = "random"
    integer = "integer"
    ones = "ones"
    structured = "structured"


FileArgument = Annotated[Path, typer.Argument(help="The .cu file.")]
BlockOption = Annotated[Optional[str], typer.Option(help='Threads of a block in x,y,z, such as "16,16".')]
GridOption = Annotated[Optional[str], typer.Option(help='Blocks in x,y,z, such as "cdiv(N,16),cdiv(M,16)".')]
KernelOption = Annotated[Optional[str], typer.Option(help="The kernel's name; gemm if left out.")]
SmemOption = Annotated[str, typer.Option(help="Dynamic shared memory of a block, in bytes.")]
SmemOptInOption = Annotated[bool, typer.Option("--smem-opt-in", help="Allow more than 48 KiB of it.")]
LauncherOption = Annotated[
    Optional[str], typer.Option(help="The file's own host function that launches; it gives block, grid and smem.")
]
LayoutOption = Annotated[
    LayoutName,
    typer.Option(help="What M, N, K mean: course is A M×K, B K×N, C M×N; leetgpu is A M×N, B N×K, C M×K."),
]
InputsOption = Annotated[Inputs, typer.Option(help="What A and B hold.")]
BackendOption = Annotated[Backend, typer.Option(help="Where the kernel runs; auto is the GPU where there is one.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def check(
    lesson: Annotated[str, typer.Argument(help="A lesson's number or name, such as 02 or tiled_fma.")],
    file: Annotated[Optional[Path], typer.Argument(help="The kernel; the lesson's own file if left out.")] = None,
    backend: BackendOption = Backend.auto,
    as_json: JsonOption = False,
) -> None:
    """Check one lesson's kernel over its public cases."""

    def ask() -> tuple[Verdict, str]:
        from gemmlab.check.as_graded import check_lesson
        from gemmlab.check.check import read_kernel
        from gemmlab.course.lesson import load

        chosen = load(lesson)
        path = file or chosen.kernel_path
        return check_lesson(chosen, path, backend.value), read_kernel(path)

    _answer(ask, True, as_json)


@app.command()
def run(
    file: FileArgument,
    shape: Annotated[Optional[list[str]], typer.Option(help="M,N,K; may be given several times.")] = None,
    block: BlockOption = None,
    grid: GridOption = None,
    kernel: KernelOption = None,
    smem: SmemOption = "0",
    smem_opt_in: SmemOptInOption = False,
    launcher: LauncherOption = None,
    layout: LayoutOption = LayoutName.course,
    inputs: InputsOption = Inputs.random,
    backend: BackendOption = Backend.auto,
    as_json: JsonOption = False,
) -> None:
    """Run any kernel (const float* A, const float* B, float* C, int M, int N, int K) and check its C.

    Expressions are integer arithmetic over M, N and K: + - * // %, parentheses and cdiv(a, b). With --launcher the file
    brings a host function of the same arguments, a cudaStream_t last or not, which is read and never run. A shape is
    always what the kernel, or the launcher, gets as its M, N and K.
    """

    def ask() -> tuple[Verdict, str]:
        from gemmlab.check.check import check_launcher, check_source, read_kernel
        from gemmlab.course.lesson import Case
        from gemmlab.kernel.layout import LAYOUTS

        source = read_kernel(file)
        if not shape:
            raise UserError("give at least one shape, for example --shape 64,64,64")
        cases = [Case(parse_shape(text), inputs.value, seed, "given") for seed, text in enumerate(shape)]
        spec = _launch_spec(block, grid, kernel, smem, smem_opt_in, launcher, layout)
        if spec is None:
            return check_launcher(source, file.name, launcher, cases, backend.value, LAYOUTS[layout.value]), source
        return check_source(source, file.name, spec, cases, backend.value), source

    _answer(ask, False, as_json)


@app.command()
def profile(
    file: FileArgument,
    shape: Annotated[Optional[list[str]], typer.Option(help="M,N,K.")] = None,
    block: BlockOption = None,
    grid: GridOption = None,
    kernel: KernelOption = None,
    smem: SmemOption = "0",
    smem_opt_in: SmemOptInOption = False,
    launcher: LauncherOption = None,
    layout: LayoutOption = LayoutName.course,
    inputs: InputsOption = Inputs.random,
    backend: Annotated[Backend, typer.Option(help="auto or emulator: it is the emulator that counts.")] = Backend.auto,
    as_json: JsonOption = False,
) -> None:
    """Count what each line of a kernel does to memory, at one shape, and say how full it makes a GPU.

    The arguments are those of run. A request is one memory instruction of one warp, as Nsight Compute counts it.
    """
    from gemmlab.check.check import read_kernel
    from gemmlab.check.profile import profile_launcher, profile_source
    from gemmlab.kernel.layout import LAYOUTS

    if backend == Backend.cuda:
        raise UserError("it is the emulator that counts; leave --backend out")
    source = read_kernel(file)
    if not shape or len(shape) > 1:
        raise UserError("a profile is of one shape; give one, for example --shape 128,128,128")
    size = parse_shape(shape[0])
    spec = _launch_spec(block, grid, kernel, smem, smem_opt_in, launcher, layout)
    if spec is None:
        found = profile_launcher(source, file.name, launcher, size, inputs.value, layout=LAYOUTS[layout.value])
    else:
        found = profile_source(source, file.name, spec, size, inputs.value)
    if as_json:
        _print_json(found.to_json())
    else:
        from gemmlab.text.profile import print_profile

        print_profile(found)
    raise typer.Exit(0 if found.verdict.passed else 1)


def _launch_spec(
    block: str | None,
    grid: str | None,
    kernel: str | None,
    smem: str,
    smem_opt_in: bool,
    launcher: str | None,
    layout: LayoutName,
) -> LaunchSpec | None:
    """The launch that was asked for; None where the file's own launcher gives it. UserError where both or none do."""
    from gemmlab.kernel.launch import LaunchSpec
    from gemmlab.kernel.layout import LAYOUTS

    if launcher is not None:
        if block or grid or kernel or smem != "0" or smem_opt_in:
            raise UserError("a launcher says all that --kernel, --block, --grid and --smem say; leave these out")
        return None
    if block is None or grid is None:
        raise UserError('give the launch, for example --block 16,16 --grid "cdiv(N,16),cdiv(M,16)", or --launcher NAME')
    return LaunchSpec.parse(block, grid, smem, smem_opt_in, kernel or "gemm", LAYOUTS[layout.value])


@app.command()
def record(
    out: Annotated[
        Optional[Path], typer.Option(help="The results file; gemmlab/recorded/GPU-NAME.json if left out.")
    ] = None,
    commit: Annotated[
        Optional[str], typer.Option(help="The commit that is measured; git is asked if left out.")
    ] = None,
) -> None:
    """Measure this machine's GPU: the ladder's kernels beside cuBLAS, and the ceilings. It takes some minutes."""
    from gemmlab.course.lesson import find_root
    from gemmlab.records.record import record as measure

    path = measure(find_root(), out, commit, tell=lambda line: print(line, file=sys.stderr, flush=True))
    print(f"wrote {path}")


@app.command()
def doctor(as_json: JsonOption = False) -> None:
    """Say what this machine offers: compiler, emulator, GPU, notebook."""

    from gemmlab.doctor import examine, print_items

    items = examine()
    ready = all(item.ok for item in items if item.needed)
    if as_json:
        _print_json({"ready": ready, "items": [item.to_json() for item in items]})
    else:
        print_items(items)
    raise typer.Exit(0 if ready else 1)


def parse_shape(text: str) -> tuple[int, int, int]:
    """'35,45,25' -> (35, 45, 25). Raises UserError."""
    try:
        M, N, K = (int(size[:_LONGEST_SIZE]) for size in text.split(","))
    except ValueError:
        raise UserError(
            f"cannot read the shape {text[:40]!r}; write M,N,K as three whole numbers, such as 64,64,64"
        ) from None
    return M, N, K


def _answer(ask: Callable[[], tuple[Verdict, str]], public: bool, as_json: bool) -> None:
    """Print the verdict and end with its exit code."""
    verdict, source = ask()
    if as_json:
        _print_json(verdict.to_json())
    else:
        from gemmlab.text.verdict import print_verdict

        print_verdict(verdict, source, public)
    raise typer.Exit(0 if verdict.passed else 1)


def _print_json(value: dict) -> None:
    print(json.dumps(_strict(value), allow_nan=False))


def _strict(value: Any) -> Any:
    """The value in what JSON knows: NaN and infinity become null, NumPy's numbers plain ones."""
    if isinstance(value, dict):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def main(arguments: list[str] | None = None) -> None:
    """The console script. Ends the process with one of the exit codes of this module, never with a traceback."""
    arguments = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has gone; the flush at exit must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    as_json = "--json" in arguments
    try:
        return app(args=arguments, prog_name="gemmlab", standalone_mode=False) or 0
    except UserError as error:
        return _refuse(str(error), _status_of(error), 2, as_json)
    except typer.Abort:
        return 130
    except BrokenPipeError:
        raise
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's error about the command line, whose class moved between versions
            return _refuse_usage(error.format_message(), as_json)
        if os.environ.get("GEMMLAB_DEBUG"):
            raise
        sentence = f"gemmlab itself failed ({type(error).__name__}: {error}); set GEMMLAB_DEBUG=1 to see where"
        return _refuse(sentence, "failed", 3, as_json)


def _refuse_usage(message: str, as_json: bool) -> int:
    """The message is empty where the help has been printed instead."""
    return _refuse(f"{message.rstrip('.')}; see gemmlab --help", "failed", 2, as_json) if message else 2


def _status_of(error: UserError) -> str:
    from gemmlab.check.check import KernelFileError

    return "compile_error" if isinstance(error, KernelFileError) else "failed"


def _refuse(sentence: str, status: str, code: int, as_json: bool) -> int:
    """Say why there is no verdict, in one sentence."""
    from gemmlab.kernel.verdict import Finding, Verdict

    print(f"gemmlab: {sentence}", file=sys.stderr)
    if as_json:
        kind = "compile_error" if status == "compile_error" else "launch_error"
        _print_json(Verdict(status, (Finding(kind, sentence),), backend=None).to_json())
    return code


if __name__ == "__main__":
    main()
