"""The options that several commands share, and what their texts become."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from gemmlab.errors import UserError

if TYPE_CHECKING:
    from gemmlab.kernel.launch import LaunchSpec

_LONGEST_SIZE = 20  # digits; more only make the number slower to refuse
MOST_BATCH = 4096
_NAME = re.compile(r"[A-Za-z_]\w*")


class Backend(str, Enum):
    auto = "auto"
    emulator = "emulator"
    cuda = "cuda"


class LayoutName(str, Enum):
    course = "course"
    leetgpu = "leetgpu"


class ActivationName(str, Enum):
    none = "none"
    silu = "silu"


class SplitName(str, Enum):
    rows = "rows"
    columns = "columns"
    k = "k"
    none = "none"


class Dtype(str, Enum):
    auto = "auto"
    float32 = "float32"
    tf32 = "tf32"
    three_tf32 = "3xtf32"
    float16 = "float16"
    bfloat16 = "bfloat16"


class Inputs(str, Enum):
    random = "random"
    integer = "integer"
    ones = "ones"
    structured = "structured"


FileArgument = Annotated[Path, typer.Argument(help="The .cu file.")]
ShapesOption = Annotated[Optional[list[str]], typer.Option(help="M,N,K; may be given several times.")]
BlockOption = Annotated[Optional[str], typer.Option(help='Threads of a block in x,y,z, such as "16,16".')]
GridOption = Annotated[Optional[str], typer.Option(help='Blocks in x,y,z, such as "cdiv(N,16),cdiv(M,16)".')]
KernelOption = Annotated[Optional[str], typer.Option(help="The kernel's name; gemm if left out.")]
SmemOption = Annotated[str, typer.Option(help="Dynamic shared memory of a block, in bytes.")]
SmemOptInOption = Annotated[bool, typer.Option("--smem-opt-in", help="Allow more than 48 KiB of it.")]
LauncherOption = Annotated[
    Optional[str], typer.Option(help="The file's own host function that launches; it gives block, grid and smem.")
]
ArgsOption = Annotated[
    Optional[str],
    typer.Option(
        help='What the kernel or launcher gets, in order, such as "M,N,K,1.0,A,B,0.0,C": A, B, C, sizes, constants; '
        "A.T or B.T is stored transposed, C=0 is filled with zeros first, C=given holds values to add to. bias, alpha, "
        "beta: C = alpha A·B + beta C + bias; alpha=0.5 is that, alpha alone is drawn."
    ),
]
ActivationOption = Annotated[
    ActivationName, typer.Option(help="What the kernel applies to each element of C before it stores it.")
]
BatchOption = Annotated[
    int, typer.Option(help="So many products, one after the other in each of A, B and C.", min=1, max=MOST_BATCH)
]
DevicesOption = Annotated[
    Optional[int],
    typer.Option(help="So many devices, each with its part of A and B, a whole C, and the rank and world of --args."),
]
SplitOption = Annotated[
    SplitName, typer.Option(help="What devices share out: rows of A, columns of B, k, or none of A and B.")
]
UnitOption = Annotated[
    int, typer.Option("--unit", help="A device's part is a multiple of it, as long as there is enough.")
]
FlagsOption = Annotated[
    str, typer.Option(help="How many flags of 32 bits each device has, 0 at first, such as world*cdiv(M,16).")
]
DefineOption = Annotated[
    Optional[list[str]], typer.Option("--define", "-D", help="NAME or NAME=VALUE, as for nvcc; may be repeated.")
]
LayoutOption = Annotated[
    LayoutName,
    typer.Option(help="What M, N, K mean: course is A M×K, B K×N, C M×N; leetgpu is A M×N, B N×K, C M×K."),
]
DtypeOption = Annotated[
    Dtype,
    typer.Option(
        help="What A and B are; auto: as declared; tf32: float, rounded by the kernel; 3xtf32: float, split by it."
    ),
]
InputsOption = Annotated[Inputs, typer.Option(help="What A and B hold.")]
BackendOption = Annotated[Backend, typer.Option(help="Where the kernel runs; auto is the GPU where there is one.")]
CountingBackendOption = Annotated[Backend, typer.Option(help="auto or emulator: it is the emulator that counts.")]
OrdersOption = Annotated[
    bool,
    typer.Option("--orders", help="Of a kernel with a race, look for the shortest order of warps that makes C wrong."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def parse_shape(text: str) -> tuple[int, int, int]:
    """'35,45,25' -> (35, 45, 25). Raises UserError."""
    try:
        M, N, K = (int(size[:_LONGEST_SIZE]) for size in text.split(","))
    except ValueError:
        raise UserError(
            f"cannot read the shape {text[:40]!r}; write M,N,K as three whole numbers, such as 64,64,64"
        ) from None
    return M, N, K


def launch_spec(
    block: str | None,
    grid: str | None,
    smem: str,
    smem_opt_in: bool,
    kernel: str | None,
    defined: dict[str, int],
) -> LaunchSpec:
    """The launch that the options give; names of -D stand for numbers. UserError where block or grid is missing."""
    from gemmlab.kernel.launch import LaunchSpec

    if block is None or grid is None:
        raise UserError('give the launch, for example --block 16,16 --grid "cdiv(N,16),cdiv(M,16)", or --launcher NAME')
    block, grid, smem = (
        _NAME.sub(lambda word: str(defined.get(word[0], word[0])), text) for text in (block, grid, smem)
    )
    return LaunchSpec.parse(block, grid, smem, smem_opt_in, kernel or "gemm")


def numbers_of(defines: list[str]) -> dict[str, int]:
    """The names that -D gives whole numbers."""
    pairs = (text.partition("=") for text in defines)
    return {name: int(value) for name, _, value in pairs if re.fullmatch(r"\d{1,9}", value)}
