"""A lesson of several kernels that are handed out wrong: its spec, its made files, and its calls in a notebook."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from conftest import LESSON
from screen import Screen

from gemmlab import notebook
from gemmlab.build import build
from gemmlab.check.as_graded import check_lesson
from gemmlab.course import lesson as lessons
from gemmlab.course.patients import as_mended, as_published, changed_lines, changes
from gemmlab.errors import UserError
from gemmlab.notebook.verbs.clinic import experiments
from gemmlab.notebook.verbs.clinic.experiments import Evidence

BOTH = """\
// One claim. Block 4×4.
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 4 + threadIdx.y;
    const int col = blockIdx.x * 4 + threadIdx.x;
    float acc = 0.0f;
    // BEGIN MENDED
    if (row >= M || col >= N) return;
    // AS PUBLISHED
    if (row >= M) return;
    // END MENDED
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
"""
GUARD, LOAD = 7, 8  # lines of the published kernel: the mend changes one, the check names the other
PATIENTS = """\
  patients:
    guard:
      launch: &launch {block: "4,4", grid: "cdiv(N,4),cdiv(M,4)"}
      tile: 4
      cases: &cases {ordinary: [[8, 8, 8]], ragged: [[5, 7, 3]]}
      hints: [edges, columns, col and N]
    other: {launch: *launch, tile: 4, cases: *cases, hints: [a, b, c]}
  claims:
    - {id: bytes, patient: guard, text: "One claim.", truth: "Another one is true."}
"""


def lesson_text() -> str:
    start, end = LESSON.index("  launch:"), LESSON.index("  predictions:")
    text = LESSON[:start] + PATIENTS + LESSON[end:]
    opening = "```python\nfrom gemmlab import notebook\nlesson = notebook.open('02')\n```\n\n"
    cells = (f'```python tags=["exercise"] patient="{name}"\n```\n' for name in ("guard", "other"))
    text = text.replace('```python tags=["exercise"]\n```\n', opening + "\n".join(cells))
    return re.sub(r"lesson = load.*\nprint.*", 'print(len(load("02").kernels), open_blanks(""))', text)


@pytest.fixture
def clinic(course) -> Path:
    (course / "lessons/02_small.md").write_text(lesson_text())
    (course / "solutions/02_small.cu").unlink()
    (course / "solutions/02_small").mkdir()
    for name in ("guard", "other"):
        (course / f"solutions/02_small/{name}.cu").write_text(BOTH)
    return course


@pytest.fixture
def screen(monkeypatch) -> Screen:
    shown = Screen()
    monkeypatch.setattr("IPython.display.display", shown.display)
    monkeypatch.setattr("gemmlab.gpu.available", lambda: None)
    return shown


@pytest.fixture
def opened(clinic, screen, monkeypatch) -> notebook.OpenLesson:
    monkeypatch.setitem(experiments.EXPERIMENTS, "bytes", lambda lesson: Evidence(536.87, False, "the evidence"))
    return notebook.open("02")


def publish(lesson: notebook.OpenLesson) -> None:
    lesson.lesson.kernel_named("guard").path.write_text(as_published(BOTH))


def mend(lesson: notebook.OpenLesson) -> None:
    lesson.lesson.kernel_named("guard").path.write_text(as_mended(BOTH))


def test_a_source_holds_two_versions():
    published, mended = as_published(BOTH), as_mended(BOTH)
    assert "if (row >= M) return;" in published and "if (row >= M || col >= N) return;" in mended
    assert published.count("\n") == mended.count("\n") and "MENDED" not in published + mended
    assert changes(published, mended).split("\n")[1:3] == [
        "-    if (row >= M) return;",
        "+    if (row >= M || col >= N) return;",
    ]
    assert changed_lines(published, mended) == {GUARD}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    // AS PUBLISHED\n", "", "line 10: END MENDED where AS PUBLISHED must come first"),
        ("    // BEGIN MENDED\n", "", "line 8: AS PUBLISHED where BEGIN MENDED must come first"),
        ("    // END MENDED\n", "", "missing or not closed"),
        ("BEGIN MENDED", "BEGIN", "AS PUBLISHED where BEGIN MENDED"),
    ],
)
def test_markers_that_do_not_fit_are_named(clinic, old, new, message):
    (clinic / "solutions/02_small/guard.cu").write_text(BOTH.replace(old, new))
    with pytest.raises(UserError, match=re.escape("solutions/02_small/guard.cu, ") + ".*" + re.escape(message)):
        lessons.load("02")


def test_the_lesson_has_its_patients(clinic):
    lesson = lessons.load("02")
    assert [kernel.name for kernel in lesson.kernels] == ["02_small/guard", "02_small/other"]
    assert [blank.name for blank in lesson.blanks] == ["guard", "other"]
    kernel = lesson.kernel_named("guard")
    assert (kernel.starter, kernel.solution) == (as_published(BOTH), as_mended(BOTH))
    assert kernel.path == clinic / "kernels/02_small/guard.cu"
    assert lesson.claims[0].patient == "guard"
    with pytest.raises(UserError, match="several kernels; name one of them: 02/guard, 02/other"):
        lesson.starter
    with pytest.raises(UserError, match="no patient 'third'; it has guard, other"):
        lesson.kernel_named("third")


def test_one_patient_can_be_checked_alone(clinic):
    lesson = lessons.load("02/guard")
    lesson.kernel_path.parent.mkdir()
    lesson.kernel_path.write_text(lesson.starter)
    assert check_lesson(lesson, backend="emulator").status == "unattempted"
    lesson.kernel_path.write_text(lesson.solution)
    assert check_lesson(lesson, backend="emulator").passed


def test_a_bundle_keeps_the_published_kernels(clinic):
    for name in ("guard", "other"):
        (clinic / f"solutions/02_small/{name}.cu").unlink()
        kept = lessons.starter_path(clinic, f"02_small/{name}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(as_published(BOTH))
    kernel = lessons.load("02").kernel_named("guard")
    assert (kernel.starter, kernel.solved, kernel.blanks[0].answer) == (as_published(BOTH), None, None)


def test_made_files(clinic):
    assert list(build.build(clinic)) == [
        "wrote kernels/02_small/guard.cu",
        "wrote kernels/02_small/other.cu",
        "wrote lessons/02_small.ipynb",
        "executed solutions/02_small.ipynb",
    ]
    assert build.check(clinic) == []
    cells = nbformat.read(clinic / "lessons/02_small.ipynb", 4).cells
    (cell,) = [cell for cell in cells if cell.id == "exercise-guard"]
    assert cell.source == "%%writefile ../kernels/02_small/guard.cu\n" + as_published(BOTH).rstrip("\n")


def test_a_mend_is_somebodys_work_and_is_kept(clinic):
    list(build.build(clinic))
    (clinic / "kernels/02_small/guard.cu").write_text(as_mended(BOTH))
    path = clinic / "lessons/02_small.ipynb"
    path.write_text(path.read_text().replace("if (row >= M) return;", "if (row >= M || col >= N) return;"))
    (clinic / "solutions/02_small/guard.cu").write_text(BOTH.replace("One claim", "One old claim"))
    kept = [line for line in build.build(clinic) if line.startswith("kept")]
    assert [line.split()[1].rstrip(",") for line in kept] == ["kernels/02_small/guard.cu", "lessons/02_small.ipynb"]


def test_a_stray_patient_and_a_missing_cell_are_named(clinic):
    (clinic / "solutions/02_small/third.cu").write_text(BOTH)
    list(build.build(clinic))
    assert build.check(clinic) == ["solutions/02_small/third.cu is no patient of lessons/02_small.md; delete it"]
    path = clinic / "lessons/02_small.md"
    path.write_text(path.read_text().replace('patient="other"', 'patient="guard"'))
    with pytest.raises(UserError, match="cell tagged 'exercise' for each of the patients guard, other"):
        build.check(clinic)


def test_a_diagnosis_comes_before_the_verdict(opened, screen):
    assert "  7 |     if (row >= M) return;" in screen.of(opened.read, "guard")
    text = screen.of(opened.diagnose, "guard", kind=None, line=None)
    assert "not attempted" in text and "`out_of_bounds`" in text and "case" not in text
    assert "no kind of fault" in screen.of(opened.diagnose, "guard", "overrun", 3)
    assert "no line of guard" in screen.of(opened.diagnose, "guard", "race", 99)
    text = screen.of(opened.diagnose, "guard", "misaligned", LOAD)
    assert "The check finds no such fault, but " in text and "`out_of_bounds`" in text and "failed (1 of 2" in text


def test_the_first_diagnosis_stands_and_the_mend_may_prove_its_line(opened, screen):
    text = screen.of(opened.diagnose, "guard", "out_of_bounds", GUARD)
    assert "The kind is right. The check names line" in text and "if the mend that passes changes it" in text
    assert "names" in screen.of(opened.diagnose, "guard", "out_of_bounds", LOAD)
    assert f"Your first diagnosis stands: `out_of_bounds` in line {GUARD}." in screen.text
    assert "| guard | right | mend it first | – | – |" in screen.of(opened.round)
    publish(opened)
    assert "not attempted" in screen.of(opened.check, "guard")
    mend(opened)
    assert "public cases passed (2 of 2)" in screen.of(opened.check, "guard")
    assert "| guard | right | right | yes | – |" in screen.of(opened.round)


def test_a_line_that_nobody_changed_is_wrong_in_the_end(opened, screen):
    screen.of(opened.diagnose, "guard", "out_of_bounds", 1)
    mend(opened)
    screen.of(opened.check, "guard")
    assert "| guard | right | wrong | yes | – |" in screen.of(opened.round)


def test_a_claim_is_judged_after_its_evidence(opened, screen):
    assert "Predict first" in screen.of(opened.evidence, "bytes")
    assert "Look at the evidence first" in screen.of(opened.judge, "bytes", True)
    screen.of(opened.predict, "bytes", 537)
    assert "the evidence" in screen.of(opened.evidence, "bytes") and "536.87 MB" in screen.text
    assert "Write `True` if it holds" in screen.of(opened.judge, "bytes", None)
    assert "write True or False" in screen.of(opened.judge, "bytes", 1).replace("Write", "write")
    text = screen.of(opened.judge, "bytes", True)
    assert "does not hold" in text and "You said True: wrong." in text and "Another one is true" in text
    screen.of(opened.judge, "bytes", False)
    assert "| guard | – | – | – | wrong |" in screen.of(opened.round)


def test_the_answer_to_a_hint_is_the_change(opened, screen):
    assert "after a first try" in screen.of(opened.hint, "guard", 4)
    mend(opened)
    screen.of(opened.check, "guard")
    assert "+    if (row >= M || col >= N) return;" in screen.of(opened.hint, "guard", 4)
    assert "after a first try" in screen.of(opened.hint, "other", 4)


def test_the_ladder_wants_every_patient(opened, screen):
    mend(opened)
    screen.of(opened.check, "guard")
    assert "02_small: attempted" in screen.of(opened.progress)
    opened.lesson.kernel_named("other").path.write_text(as_mended(BOTH))
    screen.of(opened.check, "other")
    assert "02_small: public cases passed" in screen.of(opened.progress)


def test_writers_of_a_tile(opened, screen):
    text = screen.of(opened.writers, (16, 20), "ty", "4*tx", 4)
    assert "with one writer: 20 of 320" in text and "up to 4" in text and "Written beyond the end: 44" in text
    assert "with one writer: 256 of 256" in screen.of(opened.writers, (16, 16), "ty", "tx")
    assert "two whole numbers" in screen.of(opened.writers, (16,), "ty", "tx")
    assert "'tz' is not known here" in screen.of(opened.writers, (16, 16), "ty", "tz")
    assert "far outside" in screen.of(opened.writers, (16, 16), "ty", "tx - 99")
