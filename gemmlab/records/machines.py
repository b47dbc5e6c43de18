"""`gemmlab record --constants`: a GPU's latencies, rates and launches, in gemmlab/recorded/machines/GPU-NAME.json.

The file has "machine" (where and when), "constants" by name, and "meanings": the unit of each and how it was measured.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

from gemmlab import gpu
from gemmlab.errors import UserError
from gemmlab.files import write_whole
from gemmlab.gpu.bench import Bench
from gemmlab.gpu.constants import MEANINGS, measure_constants
from gemmlab.records.results import FOLDER

MACHINES = FOLDER / "machines"


def record_constants(
    root: Path, out: Path | None = None, commit: str | None = None, tell: Callable[[str], None] = print
) -> Path:
    """Measure the constants of this machine's GPU and write their file. Raises UserError without a GPU or a commit."""
    if gpu.available() is None:
        raise UserError("constants are of an NVIDIA GPU, and nvidia-smi finds none on this machine")
    commit = commit or commit_of(root)
    with Bench() as bench:
        return write_constants(bench, out, commit, tell)


def write_constants(bench: Bench, out: Path | None, commit: str, tell: Callable[[str], None]) -> Path:
    """The same with a bench that is there."""
    tell(f"{bench.gpu}: the constants are measured")
    constants = measure_constants(bench, tell)
    for name, value in constants.items():
        tell(f"{name:24} {value:>14,.2f}  {MEANINGS[name]}")
    machine = machine_of(bench, commit)
    path = out or MACHINES / f"{machine['gpu'].replace(' ', '-')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({"machine": machine, "constants": constants, "meanings": MEANINGS}, indent=1) + "\n")
    return path


def machine_of(bench: Bench, commit: str) -> dict:
    """What is measured, and when."""
    from gemmlab.compiler.nvrtc import client

    device = gpu.device()
    return {
        "gpu": bench.gpu,
        "arch": bench.arch,
        "driver": device.driver,
        "cuda": device.runtime,
        "nvrtc": ".".join(map(str, client.describe()["version"])),
        "cupy": device.cupy,
        "date": date.today().isoformat(),
        "commit": commit,
    }


def commit_of(root: Path) -> str:
    """The commit of the course in that folder, as git says. Raises UserError where it does not."""
    try:
        done = subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError):
        raise UserError("the commit is not known here; give it with --commit") from None
    return done.stdout.strip()
