"""The kernels that the model's times are tried on: each is right, and their list holds what the record needs."""

import sys

import numpy as np
import pytest

from gemmlab.course.lesson import find_root
from gemmlab.kernel.epilogue import draw

sys.path.append(str(find_root() / "tools"))
from model_kernels import SHAPES, model_kernels, published  # noqa: E402  a tool is no module of a package

PUBLISHED = list(published())
WHOLE, RAGGED = (128, 128, 128), (35, 45, 25)


@pytest.mark.parametrize("kernel", PUBLISHED, ids=lambda kernel: kernel.name)
def test_a_published_kernel_is_right(kernel):
    shape = RAGGED if kernel.takes(RAGGED) else WHOLE
    outcome = kernel.candidate.run(shape, arch="sm_90")
    A, B, _ = draw(kernel.candidate.launch, "random", shape, 1)
    assert [finding.message for finding in outcome.findings if finding.is_error] == []
    assert np.abs(outcome.C - A @ B).max() < 1e-4


def test_the_record_has_kernels_of_all_groups_at_five_shapes_and_both_halves():
    kernels = model_kernels()
    assert len({kernel.name for kernel in kernels}) == len(kernels)
    assert len(PUBLISHED) >= 22
    for group in ("ladder", "landscape", "fast", "published"):
        assert {kernel.half for kernel in kernels if kernel.group == group} == {"fit", "report"}
    assert all(sum(map(kernel.takes, SHAPES)) >= 5 for kernel in kernels)
