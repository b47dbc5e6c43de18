"""The kernels beyond the ladder, in the emulator: right at ragged shapes, and without their barriers found out."""

import pytest

from gemmlab.check.check import check_source
from gemmlab.course.lesson import Case, find_root
from gemmlab.records.record import FAST

SHAPES = [(1, 1, 1), (35, 45, 25), (130, 132, 40), (135, 131, 50), (64, 256, 48)]
ON_TENSOR_CORES = [(35, 45, 25), (130, 136, 40)]  # the second with rows at multiples of 16 bytes


def fast(name, change=lambda source: source):
    source = change((find_root() / "solutions/fast" / f"{name}.cu").read_text(encoding="utf-8"))
    return FAST[name].candidate(name, source)


def verdict(one, shapes):
    cases = [Case(shape, kind, seed, "given") for seed, shape in enumerate(shapes) for kind in ("random", "structured")]
    return check_source(one.text, f"{one.filename}.cu", one.launch, cases, backend="emulator")


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        (name, shape)
        for name, one in FAST.items()
        for shape in (SHAPES if one.element == "float32" else ON_TENSOR_CORES)
    ],
    ids=str,
)
def test_right_at_ragged_shapes(name, shape):
    found = verdict(fast(name), [shape])
    assert (found.status, [finding.message for finding in found.findings]) == ("passed", [])


@pytest.mark.parametrize(
    "name, line, left",
    [
        ("pipelined", "                __syncthreads();\n", ""),
        ("sliced", "                slice_barrier(slice);\n", ""),
        ("sliced", "    __syncthreads();\n    if (slice > 0) {\n", "    if (slice > 0) {\n"),
    ],
)
def test_a_missing_barrier_is_found(name, line, left):
    def without(source):
        assert source.count(line) == 1
        return source.replace(line, left)

    found = verdict(fast(name, without), [(70, 132, 40)])
    assert "race" in {finding.kind for finding in found.findings}


FILLS = {
    "wmma_tf32": ("(r < M && c < K) ? A[r * K + c] : 0.0f", "r < M ? A[r * K + c] : 0.0f"),
    "half_mma": ("e < count ? from[e] : __half(0.0f)", "count > 0 ? from[e] : __half(0.0f)"),
    "three_tf32": ("e < count ? 0 : 4", "count > 0 ? 0 : 4"),
    "pipelined": ("|| k0 + a_k < K", "|| true"),
    "sliced": ("|| k0 + a_k < K", "|| true"),
    "register_prefetch": ("if (r < rows && c < cols) {\n        const", "if (r < rows) {\n        const"),
    "two_fragments": ("4, inside ? 0 : 4", "4, 0"),
}


@pytest.mark.parametrize("name", FAST)
def test_a_missing_zero_fill_at_the_end_of_k_is_found(name):
    line, left = FILLS[name]
    one = fast(name, lambda source: source.replace(line, left))
    assert one.text != fast(name).text and not verdict(one, [(35, 45, 25)]).passed
