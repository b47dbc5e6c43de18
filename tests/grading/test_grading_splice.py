"""From what was handed in to what is compiled: nothing but the blanks' bodies, and every other change is told."""

from __future__ import annotations

import pytest
from student_kernels import StudentKernel, student_kernel, student_kernels

from gemmlab.compiler.compile import CompileError, compile_source
from gemmlab.course.lesson import load, load_all
from grading.intake import sentences as say
from grading.intake import smuggle, tamper
from grading.intake.splice import splice
from grading.model import Submission

KERNELS = {kernel.name: kernel for lesson in load_all() for kernel in lesson.kernels}
TILED, RAGGED, BARRIERS = (load(number).kernel for number in ("02", "04", "03"))
NAIVE, VECTOR = load("00").kernel, load("07").kernel
RIGHT = [one for one in student_kernels() if one.expect == "passed"]
FMA = "acc += As[ty][k] * Bs[k][tx];"
STORE_GUARD = "if (row < M && col < N) {"


def spliced(kernel, text):
    if kernel.patient:
        return splice(Submission("ann", "14_claims_clinic", text, patients={kernel.patient: text}), kernel)
    return splice(Submission("ann", kernel.name, text), kernel)


def with_fma(body: str):
    return spliced(TILED, TILED.solution.replace(FMA, body))


def parts(kernel) -> set[str]:
    """What is the student's own: the blanks, or all of it."""
    return {say.THE_FILE()} if kernel.whole else {blank.name for blank in kernel.blanks}


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_a_right_file_is_taken_as_it_is(kernel):
    result = spliced(kernel, kernel.solution)
    assert result.source.rstrip() == kernel.solution.rstrip()
    assert (result.changes, result.vetoes, result.open_blanks) == ("", (), ())
    assert set(result.bodies) == parts(kernel)


@pytest.mark.parametrize("one", RIGHT, ids=lambda one: one.name)
def test_no_right_file_of_any_style_is_refused(one: StudentKernel):
    result = spliced(one.kernel, one.text)
    assert result.vetoes == ()
    assert not result.source.startswith("#error")


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_the_starter_is_nobodys_work(kernel):
    result = spliced(kernel, kernel.starter)
    assert set(result.open_blanks) == parts(kernel)
    assert (result.changes, result.vetoes) == ("", ())


def test_nothing_handed_in_gives_no_source():
    assert spliced(TILED, " \n").source == ""
    patient = KERNELS["14_claims_clinic/odd_tail"]
    assert splice(Submission("ann", "14_claims_clinic", "other kernels"), patient).source == ""


def test_only_the_body_goes_into_the_template():
    text = TILED.solution.replace(FMA, "acc = fmaf(As[ty][k], Bs[k][tx], acc);")
    result = spliced(TILED, text.replace("#define TILE 16", "#define TILE 8"))
    assert "#define TILE 16" in result.source
    assert "fmaf" in result.source
    assert "-#define TILE 16" in result.changes
    assert "+#define TILE 8" in result.changes
    assert result.vetoes == ()


def test_windows_line_ends_and_a_byte_order_mark_change_nothing():
    result = spliced(TILED, "\ufeff" + TILED.solution.replace("\n", "\r\n"))
    assert result == spliced(TILED, TILED.solution)


@pytest.mark.parametrize(
    "wrong, named",
    [("no_store_guard", "row < M"), ("no_store_guard", "col < N"), ("no_load_guard", "row < M"),
     ("no_second_barrier", "__syncthreads()"), ("no_first_barrier", "__syncthreads()")],
)  # fmt: skip
def test_a_check_or_barrier_taken_out_is_a_veto_and_is_back_in_what_runs(wrong, named):
    result = spliced(TILED, student_kernel(f"{TILED.name}/{wrong}").text)
    assert any(named in veto for veto in result.vetoes), result.vetoes
    assert result.changes
    assert result.source.rstrip() == TILED.solution.rstrip()


@pytest.mark.parametrize(
    "before, after",
    [
        (STORE_GUARD, "if (row <= M && col < N) {"),
        (STORE_GUARD, "if (true) {"),
        (STORE_GUARD, "if (row < M && col < N) {}\n    {"),
        (STORE_GUARD, "if (row < M || col < N) {"),
        (STORE_GUARD, "// if (row < M && col < N)\n    {"),
        ("#define TILE 16", "#define TILE 16\n#define __syncthreads()"),
        ("__syncthreads();", "if (tx < 8) __syncthreads();"),
        ("__syncthreads();", "// __syncthreads();"),
        ("__syncthreads();", "#if 0\n__syncthreads();\n#endif"),
        ("__syncthreads();", "__syncwarp();"),
    ],
)
def test_ways_to_weaken_a_check_or_barrier(before, after):
    assert before in TILED.solution
    assert tamper.vetoes(TILED.solution, TILED.solution.replace(before, after, 1)), after


@pytest.mark.parametrize(
    "after",
    ["if (col < N && row < M) {", "if ((row<M) && (N > col)) {", "if (row < M) if (col < N) {",
     "if (row < M && col < N) // edge\n{"],
)  # fmt: skip
def test_other_spellings_of_a_check_are_no_veto(after):
    assert STORE_GUARD in TILED.solution
    assert tamper.vetoes(TILED.solution, TILED.solution.replace(STORE_GUARD, after)) == ()


def test_a_check_more_does_not_make_up_for_one_taken_out():
    text = TILED.solution.replace(FMA, f"if (row < M) {{ if (col < N) {{ {FMA} }} }}").replace(STORE_GUARD, "{")
    assert len(spliced(TILED, text).vetoes) == 2


def test_lessons_whose_checks_are_blanks_have_no_veto_for_a_wrong_one():
    assert spliced(RAGGED, student_kernel(f"{RAGGED.name}/store_unguarded").text).vetoes == ()
    assert spliced(BARRIERS, student_kernel(f"{BARRIERS.name}/no_second_barrier").text).vetoes == ()


@pytest.mark.parametrize(
    "body, reason",
    [
        (f"{FMA} }} }} }} __global__ void mine() {{ {{ {{", "closes a block"),
        (f"{FMA} %> <%", "closes a block"),
        (f"#define K 0\n{FMA}", "preprocessor"),
        (f"#define if(x) if (0)\n{FMA}", "preprocessor"),
        (f"%:define K 0\n{FMA}", "preprocessor"),
        (f"/* why */ #define K 0\n{FMA}", "preprocessor"),
        (f"#if 1\n{FMA}\n#endif\n#endif", "preprocessor"),
        (f"{FMA} // on \\", "backslash"),
        (f"{FMA}\nif (k == 0)", "middle of a statement"),
        (f"{FMA}\nfor (;;)", "middle of a statement"),
        (f"if (k) {FMA} else", "middle of a statement"),
    ],
)
def test_a_body_that_reaches_beyond_its_blank_is_refused(body, reason):
    assert any(reason in why for why in smuggle.in_body("fma", body, TILED.starter, "______;"))


@pytest.mark.parametrize(
    "body",
    [FMA, "", f"#pragma unroll\nfor (int i = 0; i < 1; ++i) {FMA}", f"if (k) {{ {FMA} }} else {FMA}", f"{FMA} // }} #",
     f"/* }} */ {FMA}", "acc += As[ty][k] * Bs[k][tx]", "{ acc += 1;", "char c = '}'; const char* s = \"#}\";"],
)  # fmt: skip
def test_a_body_that_stays_in_its_blank_is_not_refused(body):
    assert smuggle.in_body("fma", body, TILED.starter, "______;") == []


@pytest.mark.parametrize(
    "body, refused",
    [("#define PAD 4", False), ("#define PAD 4\n#define SWIZZLE(r) ((r) ^ 8)", False),
     ("#define PAD 4\n#define BM 1", True),
     ("#define BM 4", True), ("#define PAD 4\n#undef BM", True)],
)  # fmt: skip
def test_a_blank_that_is_a_directive_may_not_change_the_given_ones(body, refused):
    assert bool(smuggle.in_body("pad", body, VECTOR.starter, "#define PAD ______")) == refused


def test_an_edited_line_elsewhere_does_not_cost_a_body_its_closing_brace():
    kernel = load("05").kernel
    result = spliced(kernel, student_kernel(f"{kernel.name}/no_zero_fill").text)
    compile_source(result.source)
    assert result.vetoes == ()
    assert result.changes


def test_a_blank_that_asks_for_a_file_is_told_as_such():
    """And not only as a blank with a line for the preprocessor."""
    kernel = KERNELS["02_tiled_fma"]
    result = spliced(kernel, kernel.starter.replace("______;", '#include "/etc/passwd"'))
    assert any("includes a file" in veto for veto in result.vetoes)
    assert any("preprocessor" in veto for veto in result.vetoes)


@pytest.mark.parametrize(
    "line",
    [
        '#include "/etc/passwd"', '#include "../../grading/cases.py"', "#include </etc/passwd>", '%:include "x"',
        '#  /* a */ include /* b */ "x"', '#inc\\\nlude "x"', '#/*\n*/include "x"', "#define F <x>\n#include F",
        "#if __has_include(<x>)\n#endif", '#embed "x"', '#import "x"', "#include <cuda_runtime.h/../../x>",
        'const char* s = R"(/*)";', 'asm(".incbin \\"x\\";");', 'asm(".inc" "bin \\"x\\";");',
        'asm(".file 1 \\"x\\"");', 'asm("\\x2eincbin");',
    ],
)  # fmt: skip
def test_a_file_that_asks_for_another_file_never_reaches_the_compiler(line):
    patient = KERNELS["14_claims_clinic/odd_tail"]
    result = spliced(patient, f"{line}\n{patient.solution}")
    assert result.source.startswith("#error")
    assert len(result.source.splitlines()) == 1
    assert result.vetoes
    assert "passwd" not in result.source


@pytest.mark.parametrize(
    "line",
    ["#include <cuda_runtime.h>", "#include <mma.h>", "#include <cuda/std/array>", "#include <stdio.h>",
     "#include <cmath>", "#include <cooperative_groups.h>", 'asm volatile("bar.sync 0;");',
     'asm("{ .reg .f32 t; ld.global.f32 t, [%0]; }");'],
)  # fmt: skip
def test_headers_of_the_course_and_plain_assembly_are_let_through(line):
    assert smuggle.in_file(f"{line}\n") == []


def test_an_include_in_a_body_is_refused_and_one_outside_is_only_a_change():
    result = with_fma(f'#include "/etc/passwd"\n{FMA}')
    assert result.source.startswith("#error")
    outside = spliced(TILED, '#include "/etc/passwd"\n' + TILED.solution)
    assert "passwd" not in outside.source
    assert "passwd" in outside.changes


def test_the_student_is_told_why_a_file_was_not_compiled():
    result = with_fma(f"{FMA} }} }} {{ {{")
    with pytest.raises(CompileError, match="the blank fma closes a block that it did not open"):
        compile_source(result.source)


def test_a_file_whose_blanks_cannot_be_told_apart_is_taken_whole():
    text = "".join(line for line in RAGGED.solution.splitlines(True) if not line.strip().startswith("//"))
    result = spliced(RAGGED, text)
    assert result.source == text
    assert result.vetoes == ()
    assert "taken as a whole" in result.note


def test_a_kernel_of_another_kind_is_taken_whole_and_lacks_its_barriers():
    result = spliced(TILED, "__global__ void gemm(float* C) { C[0] = 1.0f; }\n")
    assert "does not come from the lesson's template" in result.note
    assert [veto for veto in result.vetoes if "__syncthreads()" in veto]
    assert "-        __syncthreads();" in result.changes


def test_blanks_left_open_in_a_file_taken_whole_are_told():
    text = "\n".join(line for line in RAGGED.starter.splitlines() if "TODO" not in line)
    assert spliced(RAGGED, text).open_blanks


@pytest.mark.parametrize(
    "text",
    ["}\n" * 100_000, "x" * 100_000, "/*" * 30_000, "a\0b", "\ud800", "#define A A A\n" * 4_000, "((((" * 50_000],
    ids=["lines", "one line", "comments", "zero byte", "surrogate", "macros", "parentheses"],
)
def test_what_cannot_be_a_kernel_costs_no_time(text):
    for kernel in (TILED, NAIVE, KERNELS["14_claims_clinic/odd_tail"]):
        result = spliced(kernel, text)
        assert result.source.startswith("#error")
        result.source.encode()


@pytest.mark.parametrize(
    "text",
    ["{\n" * 1_900, "if(\n" * 1_900, "a?" * 400 + "\n", "/*\n" * 1_900, '"\n' * 1_900, "#if\n" * 1_900],
)
def test_odd_text_within_the_limits_ends_in_a_result(text):
    assert spliced(TILED, TILED.solution.replace(FMA, f"{FMA}\n{text}")).source
    assert spliced(NAIVE, text).source


def test_the_ready_kernel_of_lesson_00_is_taken_whole_and_its_checks_are_watched():
    unchanged = spliced(NAIVE, NAIVE.starter)
    assert unchanged.source == NAIVE.starter
    text = student_kernel(f"{NAIVE.name}/no_guard").text
    result = spliced(NAIVE, text)
    assert result.source == text
    assert result.changes
    assert any("row < M" in veto for veto in result.vetoes)


def test_a_mended_patient_shows_what_was_mended():
    patient = KERNELS["14_claims_clinic/odd_tail"]
    result = spliced(patient, patient.solution)
    assert result.bodies["odd_tail"] == patient.blanks[0].answer


@pytest.mark.parametrize(
    "deep", ["K &&\n" * 1_500 + "K", "!" * 900 + "K", "(" * 400 + "K" + ")" * 400, "K ?\nK :\n" * 500 + "K"]
)
def test_a_condition_may_be_as_long_as_the_file(deep):
    kernel = KERNELS["02_tiled_fma"]
    result = spliced(kernel, kernel.solution.replace("float acc", f"if ({deep}) return;\n    float acc", 1))
    assert result.source == spliced(kernel, kernel.solution).source
    assert "return;" in result.changes and not result.vetoes and not result.note


def test_a_fault_of_the_grader_costs_one_student_a_look_and_not_the_batch(monkeypatch):
    def fail(*texts):
        raise RecursionError

    monkeypatch.setattr(tamper, "vetoes", fail)
    kernel = KERNELS["02_tiled_fma"]
    result = spliced(kernel, kernel.solution.replace("float acc", "int more = 0;\n    float acc", 1))
    assert result.source.startswith("#error") and "RecursionError" in result.note and "by hand" in result.note


NAIVE_BESIDE = """\
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0.0f;
    if (row < M && col < N) {
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = acc;
    }
}
"""
STORE = """\
__device__ void store(float* C, int row, int col, int M, int N, float acc)
{
    if (row < M && col < N) {
        C[row * N + col] = acc;
    }
}
"""


def test_a_decoy_beside_the_kernel_that_runs_checks_nothing():
    decoy = TILED.solution.replace("gemm", "tiled")
    found = tamper.vetoes(TILED.solution, NAIVE_BESIDE + decoy)
    assert [veto for veto in found if "__syncthreads()" in veto]
    assert tamper.vetoes(TILED.solution, TILED.solution + NAIVE_BESIDE.replace("gemm", "naive")) == ()


def test_a_check_in_a_function_counts_where_the_kernel_calls_it():
    called = TILED.solution.replace(f"{STORE_GUARD}\n        C[row * N + col] = acc;\n    }}",
                                    "store(C, row, col, M, N, acc);")  # fmt: skip
    assert called != TILED.solution
    assert tamper.vetoes(TILED.solution, STORE + called) == ()
    assert len(tamper.vetoes(TILED.solution, STORE + called.replace("store(C, ", "other(C, "))) == 2
