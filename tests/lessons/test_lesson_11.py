"""Lesson 11: where its predictions come from, and what it says of errors on tensor cores."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from ladder_numbers import ladder_names

from gemmlab.check.check import check_source
from gemmlab.compiler.compile import compile_source
from gemmlab.course.lesson import Case, find_root, load
from gemmlab.emulator import EmulatorExecutor
from gemmlab.kernel.elements import BFLOAT16, FLOAT16, TF32
from gemmlab.kernel.tolerance import compare, make_inputs
from gemmlab.records.record import FAST
from gemmlab.records.results import first_results
from gemmlab.trials.candidate import Candidate

LESSON = load("11")
MEASURED = json.loads((Path(__file__).parents[1] / "support/tensor_measured.json").read_text(encoding="utf-8"))
SIZES = ladder_names(LESSON)
ANSWERS = {one.id: one.answer for one in LESSON.predictions}


def test_the_fragments_are_those_of_the_kernel():
    SIDE, WM, WN, BK = (SIZES[name] for name in ("SIDE", "WM", "WN", "BK"))
    calls = (WM // SIDE) * (WN // SIDE) * (BK // SIDE)
    assert ANSWERS["registers"] == SIDE * SIDE // 32
    counted = Candidate(LESSON.solution, "k.cu", LESSON.launch).run((64, 64, 32)).counters.totals
    assert ANSWERS["calls"] == calls == counted.tensor_fma // SIDE**3 // 4  # warps


def test_products_of_float16_are_exact_and_take_all_predicted_bits():
    A, B = (X.ravel().astype(np.float64) for X in make_inputs("random", (200, 1, 200), 3, FLOAT16))
    products = A[: len(B)] * B
    assert np.array_equal(products, products.astype(np.float32))
    mantissas = np.abs(products[products != 0]) * 2.0**60
    used = [int(m).bit_length() - ((int(m) & -int(m)).bit_length() - 1) for m in mantissas]
    assert max(used) == ANSWERS["bits"] == 2 * FLOAT16.digits


def test_the_ridge_is_the_records():
    ceilings = first_results().ceilings
    ridge = 1000 * ceilings["float16_tflops"] / ceilings["copy_gbs"]
    assert ANSWERS["ridge"] == pytest.approx(ridge, rel=0.03)
    (wrong,) = next(one for one in LESSON.predictions if one.id == "ridge").misconceptions
    assert wrong.answer == pytest.approx(1000 * ceilings["fma_tflops"] / ceilings["copy_gbs"], rel=0.03)


def test_three_products_are_measured_to_be_as_exact_as_the_text_says():
    """`errors` were measured on the H200 against float64, [largest, root mean square]."""
    errors = MEASURED["errors"]
    assert errors["[-1, 1)"]["three_tf32"][0] < errors["[-1, 1)"]["sgemm"][0] / 2
    assert errors["[-1, 1)"]["three_tf32"][1] < errors["[-1, 1)"]["sgemm"][1]
    ratio = errors["[0, 1)"]["three_tf32"][1] / errors["[0, 1)"]["sgemm"][1]
    assert ratio == pytest.approx(3, abs=0.5)


def fast_C(name: str, A: np.ndarray, B: np.ndarray, *changes: tuple[str, str]) -> np.ndarray:
    """C of a kernel of solutions/fast/ with other words in some places, in the emulator."""
    source = (find_root() / "solutions/fast" / f"{name}.cu").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    one = FAST[name].candidate(name, source)
    shape = A.shape[0], B.shape[1], A.shape[1]
    program = compile_source(one.text, f"{name}.cu")
    return EmulatorExecutor(again=False, checks=False).run(program, one.launch.at(*shape), A, B, shape).C


def test_tensor_cores_cut_and_the_kernel_sums_short_stretches_only():
    """In the emulator, which adds as the H200 does: without the ordinary additions the error grows with K."""
    A, B = make_inputs("random", (16, 16, 1024), 5)
    right = A.astype(np.float64) @ B
    kept = np.abs(fast_C("three_tf32", A, B) - right).max()
    only = np.abs(fast_C("wmma_tf32", A, B) - right).max()
    never_moved = (
        ("sum[i][j][e] = 0.0f;", "if (k0 == 0) sum[i][j][e] = 0.0f;"),
        ("acc[i][j][e] += sum[i][j][e];", "acc[i][j][e] = sum[i][j][e];"),
    )
    whole = fast_C("three_tf32", A, B, *never_moved)
    assert 3 * kept < np.abs(whole - right).max() and only > 50 * kept


def test_without_the_rounding_a_factor_is_cut():
    """The loop that rounds to TF32 left out: still within TF32's bound, and further off."""
    A, B = make_inputs("random", (16, 16, 64), 5)
    right = A.astype(np.float64) @ B
    rounded = fast_C("wmma_tf32", A, B)
    cut = fast_C("wmma_tf32", A, B, ("wmma::__float_to_tf32(a[m].x[e])", "a[m].x[e]"))
    assert np.sqrt(np.mean((cut - right) ** 2)) > 1.2 * np.sqrt(np.mean((rounded - right) ** 2))
    assert all(compare(C, A, B, "random", element=TF32).ok for C in (cut, rounded))


def test_bfloat16_is_another_type_and_nothing_else():
    source = LESSON.solution.replace("__half", "__nv_bfloat16").replace("cuda_fp16", "cuda_bf16")
    launch = replace(LESSON.launch, layout=replace(LESSON.launch.layout, element=BFLOAT16))
    cases = [Case(shape, kind, 3, "given") for shape in ((35, 45, 25),) for kind in ("random", "integer", "structured")]
    assert check_source(source, "k.cu", launch, cases, "emulator").passed
