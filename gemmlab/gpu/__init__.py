"""The GPU of this machine: whether there is one, what it is, and all that runs on it, in a process of its own."""

from __future__ import annotations

import csv
import functools
import os
import shutil
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class GpuInfo:
    """The first GPU and the software it is used through. `arch` is as in 'sm_90'."""

    name: str
    arch: str
    driver: str
    runtime: str
    cupy: str


@functools.lru_cache(maxsize=1)
def available() -> str | None:
    """The name of this machine's GPU, or None. Asks the driver's own tool, so that no CUDA starts in this process."""
    found = _nvidia_smi()
    return found[0] if found else None


@functools.lru_cache(maxsize=1)
def device() -> GpuInfo:
    """What the worker process sees. Raises UserError where there is no GPU that can be used."""
    from gemmlab.gpu.child.process import GpuProcess

    worker = GpuProcess()
    worker.close()
    hello, found = worker.hello, _nvidia_smi()
    driver = found[1] if found else f"CUDA {_version(hello['cuda_driver'])}"
    return GpuInfo(hello["name"], hello["arch"], driver, _version(hello["cuda_runtime"]), hello["cupy"])


def _nvidia_smi() -> tuple[str, str] | None:
    """Name and driver version of the first GPU, as nvidia-smi tells them."""
    tool = shutil.which("nvidia-smi")
    if tool is None or os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"):
        return None
    command = [tool, "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return None
    return parse_nvidia_smi(done.stdout)


def parse_nvidia_smi(text: str) -> tuple[str, str] | None:
    """('NVIDIA H200', '580.159.04') of the first line; None where it names no GPU ('No devices were found')."""
    first = next(csv.reader(text.strip().splitlines(), skipinitialspace=True), [])
    return (first[0], first[1]) if len(first) == 2 else None


def _version(number: int) -> str:
    """12090 -> '12.9'."""
    return f"{number // 1000}.{number % 1000 // 10}"
