"""The lessons' limits: they follow from the tile, the solution keeps them, the kernel of the lesson before does not."""

from __future__ import annotations

from math import inf

import pytest

from gemmlab.check.check import check_kernel
from gemmlab.check.rules import broken_rules
from gemmlab.course.lesson import Kernel, load, load_all
from gemmlab.cuda.sizes import Sizes, numbers_of, sizes_of, with_sizes
from gemmlab.kernel.epilogue import NOTHING, epilogue_of
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.warp import WARP
from gemmlab.models.banks import request

LESSONS = [lesson.name for lesson in load_all() if len(lesson.kernels) == 1]
TILED = [name for name in LESSONS if "01" < name[:2] and not load(name).kernel.whole]
REPLACED = [name for name in TILED if name[:2] in ("07", "08", "09")]  # launched as the kernel of the lesson before


def _stores_of_a_float4(sizes: Sizes, K: int) -> int:
    """Requests to store A in shared memory, one block, float by float of what was read as float4."""
    return sizes.BM * K // WARP


def limits(sizes: Sizes, K: int, shortest: float = inf, after: float = 0) -> dict[tuple[str, str], float]:
    """What a kernel with tiles of these sizes needs, and slices of K that are no shorter than that; `after` are the
    floats that it reads for each element after the sum. The names are those of the front matter."""
    results = sizes.TM * sizes.TN
    of_tiles = 1 / sizes.BM + 1 / sizes.BN
    return {
        ("floats_per_multiply_add", "global_load"): of_tiles + after / K + 1 / shortest,  # a partial sum for each slice
        ("floats_per_multiply_add", "shared_load"): (sizes.TM + sizes.TN) / results,
        ("reads_per_multiply_add", "global_load"): of_tiles / 4,
        ("reads_per_multiply_add", "shared_load"): (sizes.TM + sizes.TN) / 4 / results,
        ("overlapping_intervals", "block"): cdiv(K, sizes.BK) - 1,
        ("asynchronous_share", "shared_store"): 100,
        ("misaligned_matrices", "shifted_base"): 0,
        ("numbers_per_multiply_add", "global_load"): of_tiles,
        ("tensor_share", "multiply_add"): 100,
        ("conflicts", "shared"): _stores_of_a_float4(sizes, K) * (request("c * 132 + r", sizes).wavefronts - 1),
        ("floats_for_one_k", "warp"): 4 * sizes.TM + 8 * sizes.TN,
        ("floats_per_element", "global_store"): 1,
        ("floats_per_element", "peer_store"): 1,
        ("floats_per_element", "peer_load"): 0,
        ("floats_per_element", "global_load"): of_tiles * K + after,
        ("sectors_per_request", "global_load"): 4,  # 32 lanes side by side
        ("sectors_per_request", "global_store"): 4,
        ("multiply_adds", "block"): sizes.BM * sizes.BN * shortest,
        ("requests", "global_atomic"): 0,
    }


@pytest.fixture(scope="module", params=LESSONS)
def kernel(request) -> Kernel:
    return load(request.param).kernel


def test_limits_follow_from_the_tile(kernel):
    shortest = numbers_of(kernel.starter, "SHORTEST") if "#define SHORTEST" in kernel.starter else ()
    sizes = sizes_of(kernel.starter)
    fused = epilogue_of(kernel.launched_by) != NOTHING
    after = 1 + 1 / sizes.TM if fused else 0  # the old C, and the bias once for a thread's column
    after += 2 * kernel.devices.world / (sizes.TM * sizes.TN) if kernel.devices else 0  # where each C begins: 8 bytes
    room = 0.01 if kernel.devices else 0  # for flags
    for rule in kernel.rules:
        expected = limits(sizes, rule.shape[2], *shortest, after=after)
        due = expected[rule.what, rule.of]
        assert due <= rule.limit <= due * (1 + room), (rule.what, rule.of)


def test_the_solution_keeps_them(kernel):
    assert broken_rules(kernel, kernel.solution, "k.cu") == []


@pytest.mark.parametrize("name", TILED)
def test_each_tiled_lesson_counts_what_it_reads_from_global_memory(name):
    counted = {rule.what for rule in load(name).kernel.rules if rule.of == "global_load"}
    assert counted & {"floats_per_multiply_add", "numbers_per_multiply_add"}


@pytest.mark.parametrize("name", REPLACED)
def test_the_kernel_of_the_lesson_before_does_not_pass(name):
    """Given this lesson's sizes, so that it fits the launch."""
    kernel = load(name).kernel
    before = with_sizes(load(LESSONS[LESSONS.index(name) - 1]).solution, sizes_of(kernel.starter))
    verdict = check_kernel(kernel, before, "k.cu", backend="emulator")
    assert [finding.kind for finding in verdict.findings if finding.is_error] and not verdict.passed
    assert {finding.kind for finding in verdict.findings} == {"counter"}
    assert all("C is right, but" in finding.message for finding in verdict.findings)
