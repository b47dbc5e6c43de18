"""gemmlab check: one lesson's kernel over its public cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from gemmlab.commands.answer import give_verdict, waiting
from gemmlab.commands.options import Backend, BackendOption, DevicesOption, JsonOption, OrdersOption


def check(
    lesson: Annotated[str, typer.Argument(help="A lesson's number or name, such as 02 or tiled_fma.")],
    file: Annotated[Optional[Path], typer.Argument(help="The kernel; the lesson's own file if left out.")] = None,
    backend: BackendOption = Backend.auto,
    devices: DevicesOption = None,
    orders: OrdersOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check one lesson's kernel over its public cases."""
    from gemmlab.check.as_graded import check_lesson
    from gemmlab.check.check import read_kernel
    from gemmlab.check.orders import with_order
    from gemmlab.course.lesson import load

    chosen = load(lesson)
    path = file or chosen.kernel_path
    with waiting():
        verdict = check_lesson(chosen, path, backend.value, devices)
        if orders:
            text = read_kernel(path)
            verdict = with_order(verdict, text, path.name, chosen.kernel.launches_of(text), chosen.kernel.cases)
    give_verdict(verdict, read_kernel(path), True, as_json)
