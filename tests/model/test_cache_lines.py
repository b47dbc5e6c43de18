"""How many lines of the L1 cache a request touches, as the emulator tells the model."""

import sys

import numpy as np
import pytest

from gemmlab.course.lesson import find_root
from gemmlab.emulator import EmulatorExecutor

sys.path.append(str(find_root() / "tools"))
from model_kernels import published  # noqa: E402  a tool is no module of a package

KERNELS = {kernel.name: kernel.candidate for kernel in published()}


@pytest.mark.parametrize(
    "name, sectors_and_lines",
    [
        ("row_from_x", {(1, 1), (32, 32)}),  # one element for all lanes; an element of 32 rows
        ("read_only_loads", {(2, 2), (2, 1), (4, 2)}),  # of A two rows; of B half a line; of C half a line of two rows
        ("tile_8", {(4, 4)}),  # 8 floats of four rows
        ("four_columns", {(1, 1), (16, 4)}),  # float4 side by side
    ],
)
def test_lines_are_those_that_a_warp_touches(name, sectors_and_lines):
    candidate, shape, ones = KERNELS[name], (64, 128, 64), np.ones((64, 128), np.float32)
    executor = EmulatorExecutor(again=False, by_ptx=True)
    work = candidate.launch.at(*shape)
    counted = executor.run(candidate.compiled("sm_90"), work, ones[:, :64], ones, shape, blocks=np.array([0])).counters
    found = set()
    for line, lines in counted.cache_lines.items():
        one = counted.lines[line]
        sectors, requests = (
            getattr(one, f"global_load_{what}") + getattr(one, f"global_store_{what}")
            for what in ("sectors", "requests")
        )
        found.add((sectors / requests, lines))
    assert found == sectors_and_lines
