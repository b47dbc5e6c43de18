"""Our entry for the capstone, in the emulator: right on each path of its launcher, and without what keeps it right
found out. Its numbers are smaller here, so that a small matrix has waves of tiles and parts to share."""

import pytest

from gemmlab.check.check import check_source
from gemmlab.course.lesson import Case, find_root
from gemmlab.launcher.launcher import Launcher

SMALL = {"SMS 132": "SMS 4", "LARGES 100": "LARGES 6", "SAVES 32": "SAVES 1"}
PATHS = {
    (1, 70, 37): {"skinny_1": 3},
    (1, 64, 140): {"skinny_1": 2},
    (7, 131, 40): {"skinny_8": 10, "add": 4},
    (16, 100, 72): {"skinny_16": 9, "add": 7},
    (17, 1, 1): {"medium": 1},
    (70, 132, 9): {"medium": 4},
    (64, 384, 75): {"medium": 4, "add": 96},  # the second and the third block make parts of two tiles
    (130, 260, 22): {"medium": 11, "add": 32},
    (260, 512, 40): {"large": 8, "add": 256},
    (257, 515, 19): {"large": 11, "add": 128},
}


def entry(numbers=SMALL, change=("", "")):
    source = (find_root() / "solutions" / "13_beat_cublas.cu").read_text(encoding="utf-8")
    for old, new in numbers.items():
        assert source.count(f"#define {old} ") == 1
        source = source.replace(f"#define {old} ", f"#define {new} ")
    assert not change[0] or source.count(change[0]) == 1, change[0]
    return source.replace(*change)


def blocks(source, shape):
    return {launch.kernel: launch.grid[0] * launch.grid[1] for launch in Launcher(source, "solve").at(*shape).steps}


def verdict(source, *shapes):
    cases = [Case(shape, ("random", "structured")[seed % 2], seed, "given") for seed, shape in enumerate(shapes)]
    return check_source(source, "entry.cu", Launcher(source, "solve"), cases, backend="emulator")


def test_right_on_each_path_of_the_launcher():
    source = entry()
    assert {shape: blocks(source, shape) for shape in PATHS} == PATHS
    found = verdict(source, *PATHS)
    assert (found.status, [finding.message for finding in found.findings]) == ("passed", [])


@pytest.mark.parametrize(
    "kind, old, new",
    [
        ("race", "            __syncthreads();  // write after read: the next part fills the stages\n", ""),
        ("wrong_result", "share <= last; ++share", "share < last; ++share"),
    ],
)
def test_parts_of_two_tiles_need_a_barrier_and_all_their_sums(kind, old, new):
    found = verdict(entry(change=(old, new)), (64, 384, 75))
    assert kind in {finding.kind for finding in found.findings}


def test_board():
    """On the GPU that it is tuned for: a last wave of 116 large tiles is shared by all, one of 112 medium ones not."""
    source = entry(numbers={})
    assert blocks(source, (4096, 4096, 4096)) == {"large": 3 * 132 + 132, "add": 128 * 116}
    assert blocks(source, (256, 256, 8192)) == {"medium": 131, "add": 32 * 8}
    assert blocks(source, (1001, 777, 513)) == {"medium": 16 * 7}
