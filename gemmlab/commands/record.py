"""gemmlab record: the ladder's kernels on this machine's GPU."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer


def record(
    out: Annotated[
        Optional[Path], typer.Option(help="The results file; gemmlab/recorded/GPU-NAME.json if left out.")
    ] = None,
    commit: Annotated[
        Optional[str], typer.Option(help="The commit that is measured; git is asked if left out.")
    ] = None,
    constants: Annotated[
        bool, typer.Option("--constants", help="Only latencies, rates and what launches cost; it takes half a minute.")
    ] = False,
) -> None:
    """Measure this machine's GPU: the ladder's kernels beside cuBLAS, ceilings and constants. It takes some minutes."""
    from gemmlab.course.lesson import find_root
    from gemmlab.records.machines import record_constants
    from gemmlab.records.record import record as record_all

    measure = record_constants if constants else record_all
    path = measure(find_root(), out, commit, tell=lambda line: print(line, file=sys.stderr, flush=True))
    print(f"wrote {path}")
