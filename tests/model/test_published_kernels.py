"""The kernels that the model's times are tried on: each is right, and their list holds what the record needs."""

import re
import sys

import numpy as np
import pytest

from gemmlab.course.lesson import find_root
from gemmlab.emulator import EmulatorExecutor
from gemmlab.kernel.epilogue import draw
from gemmlab.kernel.tolerance import rounding_bound

sys.path.append(str(find_root() / "tools"))
from model_kernels import BLIND, SHAPES, TENSOR, TENSOR_BLIND, model_kernels, published  # noqa: E402  a tool is no module

PUBLISHED = list(published())
WHOLE, RAGGED = (128, 256, 128), (35, 45, 25)


@pytest.mark.parametrize("kernel", PUBLISHED, ids=lambda kernel: kernel.name)
def test_a_published_kernel_is_right(kernel):
    shape = RAGGED if kernel.takes(RAGGED) else WHOLE
    program = kernel.candidate.compiled("sm_90", shapes=[shape], assembled=False)
    work = kernel.candidate.launch.at(*shape)
    A, B, _ = draw(kernel.candidate.launch, "random", shape, 1)
    outcome = EmulatorExecutor(again=False).run(program, work, A, B, shape)
    assert [finding.message for finding in outcome.findings if finding.is_error] == []
    allowed = rounding_bound(shape[2], np.abs(A) @ np.abs(B), kernel.candidate.launch.layout.element)
    assert (np.abs(outcome.C - A @ B) <= allowed).all()


def test_the_record_has_kernels_of_all_groups_at_five_shapes_and_both_halves():
    kernels = model_kernels()
    assert len({kernel.name for kernel in kernels}) == len(kernels)
    groups = {group: [one for one in kernels if one.group == group] for group in {one.group for one in kernels}}
    assert groups.keys() == {
        *("ladder", "landscape", "fast", "published", "unseen", "resized", "fresh"),
        *(*BLIND, *TENSOR.values()),
    }
    fewest = {"published": 22, "unseen": 28, "resized": 10, "fresh": 16, "tensor": 10, "tensor fresh": 5}
    fewest |= {"handed in": 30, "new sizes": 9}
    assert all(len(groups[group]) >= count for group, count in fewest.items())
    assert {group for group in groups if groups[group][0].half == "blind"} == set(BLIND)
    assert {group for group in groups if groups[group][0].half == "tensor blind"} == set(TENSOR_BLIND)
    assert all(sum(map(kernel.takes, SHAPES)) >= 5 for kernel in kernels)


def test_what_is_resized_is_in_no_record():
    new = [kernel for kernel in model_kernels() if kernel.group in ("resized", "new sizes")]
    of_others = {of_sizes(kernel) for kernel in model_kernels() if kernel not in new}
    assert len({of_sizes(kernel) for kernel in new} - of_others) == len(new)


def of_sizes(kernel):
    """The lesson and the numbers that a kernel defines."""
    defines = re.findall(r"^#define \w+ \d+", kernel.candidate.text, re.MULTILINE)
    return (kernel.name[:2], *sorted(defines))
