"""What all tests share: the `gpu` marker, and a small course to build and break."""

from __future__ import annotations

import sys
from pathlib import Path

import hypothesis
import pytest
from cell_outputs import Handle

from gemmlab.course.lesson import find_root
from gemmlab.pictures.picture import Picture

# jsonschema, which nbformat imports, would make 38 parsers with it: more than a second in every process.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

hypothesis.settings.register_profile("gemmlab", deadline=None)  # no test is about time
hypothesis.settings.load_profile("gemmlab")

# The files that take the most time, in this order; see "Tests" in CONTRIBUTING.md.
LONGEST = (
    "test_grading_class.py",
    "test_grading_agrees.py",
    "test_student_kernels.py",
    "test_field.py",
    "test_grading_run.py",
    "test_browser.py",
    "test_grading_cases.py",
    "test_store.py",
    "test_barrier_objects.py",
    "test_grading_nbgrader.py",
    "test_entry.py",
    "test_lesson_09.py",
    "test_instructions.py",
    "test_mutants.py",
    "test_build.py",
)

NO_GPU = "not run: no GPU"
NO_CHROMIUM = "not run: no Chromium"

SOLUTION = """\
#define TILE 4
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    // TODO row: the row of C that this thread computes
    // BEGIN SOLUTION row: const int row = ______;
    const int row = blockIdx.y * TILE + threadIdx.y;
    // END SOLUTION
    const int col = blockIdx.x * TILE + threadIdx.x;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) {
        // TODO fma: add this k's product to the running sum
        // BEGIN SOLUTION fma
        acc += A[row * K + k] * B[k * N + col];
        // END SOLUTION
    }
    C[row * N + col] = acc;
}
"""

LESSON = """\
---
jupyter:
  kernelspec:
    display_name: Python 3 (ipykernel)
    language: python
    name: python3
gemmlab:
  title: A small lesson
  launch: {block: "4,4", grid: "cdiv(N,4),cdiv(M,4)"}
  tile: 4
  cases:
    ordinary: [[8, 8, 8], [8, 4, 12]]
    ragged: [[5, 7, 3]]
  blanks:
    row: {hints: [indices, blocks, blockIdx]}
    fma: {hints: [sums, products, one line]}
  predictions:
    - {id: bytes, text: "How many bytes?", unit: MB, answer: 536.87, tolerance: 0.02}
  questions:
    - {id: q1, text: "Why?", marks: 2}
    - {id: q2, text: "How?", marks: 2}
    - {id: q3, text: "When?", marks: 2}
  marks: {ordinary: 2, boundary: 1, explanation: 1}
  vetoes: [a race]
---

# A small lesson

```python tags=["exercise"]
```

```python tags=["nbval-check-output"]
from gemmlab.course.lesson import load
from gemmlab.course.blanks import open_blanks

lesson = load("02")
print([name for name, _ in open_blanks(lesson.kernel_path.read_text())] or "solved")
```

<!-- #region tags=["questions"] -->
<!-- #endregion -->

<!-- #region tags=["answer"] question="explanation" -->
*Your answer:*
<!-- #endregion -->

The end.
"""


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of one lesson, 02_small, with its sources only."""
    for folder in ("lessons", "kernels", "solutions"):
        (tmp_path / "course" / folder).mkdir(parents=True)
    (tmp_path / "course/lessons/02_small.md").write_text(LESSON)
    (tmp_path / "course/solutions/02_small.cu").write_text(SOLUTION)
    monkeypatch.setenv("GEMMLAB_ROOT", str(tmp_path / "course"))
    monkeypatch.delenv("GEMMLAB_WORK", raising=False)
    return tmp_path / "course"


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> list:
    """What the cell displays, as it stands."""
    shown = []

    def display(*some, raw=False, display_id=False):
        shown.extend(some)
        return Handle(shown, len(shown) - 1) if display_id else None

    monkeypatch.setattr("IPython.display.display", display)
    return shown


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What cells show, as text; captions, which say what a picture's own words say, are left out. The student's files
    live in a directory of their own."""
    monkeypatch.setenv("GEMMLAB_ROOT", str(find_root()))
    monkeypatch.setenv("GEMMLAB_WORK", str(tmp_path))
    texts: list[str] = []

    def display(*outputs: object, display_id: bool = False) -> None:
        for output in outputs:
            if isinstance(output, Picture):
                texts.append(f"picture: {output.alt}")
            elif not display_id:
                texts.append(output._repr_mimebundle_()["text/plain"].replace("\\", ""))

    monkeypatch.setattr("IPython.display.display", display)
    return texts


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    _longest_first(items)
    wanted = [item for item in items if item.get_closest_marker("gpu")]
    if not wanted:
        return
    from gemmlab import gpu

    if gpu.available() is None:
        for item in wanted:
            item.add_marker(pytest.mark.skip(reason=NO_GPU))


def _longest_first(items: list[pytest.Item]) -> None:
    """A file runs in one process: a long one that is begun last would keep the others waiting."""
    turn = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: turn.get(item.path.name, len(turn)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say it plainly when a lane did not run: a green run says nothing about it then."""
    for lane, reason in {"GPU lane": NO_GPU, "browser lane": NO_CHROMIUM}.items():
        skipped = [report for report in terminalreporter.stats.get("skipped", []) if reason in str(report.longrepr)]
        if skipped:
            terminalreporter.section(lane)
            terminalreporter.line(f"{reason} ({len(skipped)} tests)")
