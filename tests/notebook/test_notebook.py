"""The notebook's face: what each call shows, what it keeps, and what it keeps back. Compiling is real."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import ipywidgets
import numpy as np
import pytest
from filelock import FileLock
from screen import Screen

from gemmlab import gpu, notebook
from gemmlab.check import check
from gemmlab.course import lesson as lessons
from gemmlab.emulator import store, warm
from gemmlab.errors import UserError
from gemmlab.gpu import GpuInfo, bench
from gemmlab.kernel.executor import Outcome
from gemmlab.kernel.timing import Timing, Warm
from gemmlab.notebook import waiting
from gemmlab.notebook.lesson import OpenLesson

NUMBER = "536.87"
WARM = Warm(7000.0, 51234.0, 0.137)
TIMING = Timing(
    (1024, 1024, 1024), 0.35, 0.042, 6123.0, 51234.0, 0.1195, (0.118, 0.121), 1e-5, 50, "NVIDIA Test", WARM, 1900.0
)


class Executor:
    """Multiplies in NumPy, or gives C = compute(A, B)."""

    name = "emulator"

    def __init__(self):
        self.compute = lambda A, B: A.astype(np.float64) @ B

    def run(self, program, launch, A, B, shape, **_):
        return Outcome(self.compute(A, B).astype(np.float32))


@pytest.fixture
def screen(monkeypatch) -> Screen:
    shown = Screen()
    monkeypatch.setattr("IPython.display.display", shown.display)
    return shown


@pytest.fixture
def executor(monkeypatch) -> Executor:
    stand_in = Executor()

    @contextmanager
    def one(backend):
        yield (stand_in,)

    monkeypatch.setattr(check, "open_executors", one)
    monkeypatch.setattr(gpu, "available", lambda: None)
    return stand_in


@pytest.fixture
def lesson(course, screen, executor) -> OpenLesson:
    return notebook.open("02")


def write(lesson: OpenLesson, fma: str, row: str = "const int row = blockIdx.y * TILE + threadIdx.y;") -> None:
    starter = lesson.lesson.starter
    lesson.lesson.kernel_path.write_text(starter.replace("const int row = ______;", row).replace("______;", fma))


def solve(lesson: OpenLesson) -> None:
    write(lesson, "acc += A[row * K + k] * B[k * N + col];")


def kept(course) -> list[dict]:
    path = course / "progress.json"
    return json.loads(path.read_text())["entries"] if path.exists() else []


def test_an_unknown_lesson_is_one_sentence_without_a_traceback(course):
    with pytest.raises(UserError) as caught:
        notebook.open("77")
    assert caught.value._render_traceback_() == ["there is no lesson '77'; there are: 02_small"]


def test_a_prediction_is_kept_and_the_number_is_not_shown(lesson, screen, course):
    assert NUMBER not in screen.of(lesson.predict, "bytes", None)
    assert "How many bytes?" in screen.text and "in MB" in screen.text and kept(course) == []
    assert "you predict 500 MB" in screen.of(lesson.predict, "bytes", 500) and NUMBER not in screen.text
    screen.of(lesson.predict, "bytes", 500)
    assert [(entry["kind"], entry["id"], entry["value"]) for entry in kept(course)] == [("prediction", "bytes", 500.0)]


@pytest.mark.parametrize("value", ["536.87", True, float("nan"), float("inf"), -1, [1], 10**400, b"1"])
def test_what_is_no_number_is_refused(lesson, screen, course, value):
    assert "is no prediction" in screen.of(lesson.predict, "bytes", value)
    assert kept(course) == [] and NUMBER not in screen.text


def test_none_of_them_is_a_prediction_too(lesson, screen, course):
    assert "you predict 0 MB" in screen.of(lesson.predict, "bytes", 0)
    assert [entry["value"] for entry in kept(course)] == [0]


def test_numpy_numbers_are_numbers(lesson, screen):
    assert "you predict 536.87 MB" in screen.of(lesson.predict, "bytes", np.float32(536.87))


def test_nothing_is_revealed_before_a_prediction(lesson, screen, course):
    assert "Predict first: there is no number yet for `bytes`" in screen.of(lesson.reveal, "bytes")
    assert NUMBER not in screen.text and kept(course) == []


@pytest.mark.parametrize(
    ("value", "remark", "right"),
    [
        (537, "right, within 2 %", True),
        (1073.74, "2 times too large; perhaps one of two things", False),
        (134.2, "4 times too small; perhaps elements and bytes", False),
        (512, "1.05 times too small; perhaps MiB and MB", False),
        (0.53687, "1e+03 times too small; perhaps the unit", False),
        (300, "1.79 times too small |", False),
    ],
)
def test_a_prediction_is_scored_and_its_factor_read(lesson, screen, course, value, remark, right):
    lesson.predict("bytes", value)
    assert f"**{NUMBER} MB**" in screen.of(lesson.reveal, "bytes") and remark in screen.text
    assert kept(course)[-1]["kind"] == "reveal" and kept(course)[-1]["right"] is right


def test_a_prediction_after_the_number_was_shown_does_not_count(lesson, screen, course):
    lesson.predict("bytes", 300)
    lesson.reveal("bytes")
    assert "stands" in screen.of(lesson.predict, "bytes", 536.87)
    assert "300 MB" in screen.of(lesson.reveal, "bytes")
    assert [entry["kind"] for entry in kept(course)] == ["prediction", "reveal"]


def test_an_unknown_prediction_is_named(lesson, screen):
    assert "asks for bytes" in screen.of(lesson.predict, "byte", 1)
    assert "asks for bytes" in screen.of(lesson.reveal, "byte")


def test_a_kernel_with_blanks_is_not_attempted_and_not_counted(lesson, screen, course):
    lesson.lesson.kernel_path.write_text(lesson.lesson.starter)
    assert "not attempted" in screen.of(lesson.check)
    assert "______;" in screen.text and kept(course) == []


def test_a_right_kernel_passes_the_public_cases(lesson, screen, course):
    solve(lesson)
    assert "public cases passed (3 of 3)" in screen.of(lesson.check)
    assert "all tests" not in screen.text and screen.pictures == 0
    assert kept(course)[-1] | {"time": 0} == {
        "time": 0, "lesson": "02", "kind": "attempt", "status": "passed", "backend": "emulator", "findings": [],
        "source": kept(course)[-1]["source"],
    }  # fmt: skip


def test_a_wrong_kernel_is_explained_and_drawn(lesson, screen, course, executor):
    executor.compute = lambda A, B: A.astype(np.float64).sum(1)[:, None] + B.sum(0)
    write(lesson, "acc += A[row * K + k] + B[k * N + col];")
    assert "failed (0 of 3 public cases passed)" in screen.of(lesson.check)
    assert "a + b instead of a * b" in screen.text
    assert screen.pictures == 1 and "35 of 35 elements are wrong, in every tile" in screen.text
    assert kept(course)[-1]["status"] == "failed" and kept(course)[-1]["findings"] == ["wrong_result"]


def test_the_case_with_the_fewest_wrong_elements_is_drawn(lesson, screen, executor):
    def compute(A, B):
        C = A.astype(np.float64) @ B
        C[0 if C.shape == (8, 8) else len(C) // 4 * 4 :] += 1
        return C

    executor.compute = compute
    solve(lesson)
    assert "failed (1 of 3 public cases passed)" in screen.of(lesson.check)
    assert "at M, N, K = 5, 7, 3, in tiles of 4×4: 7 of 35 elements are wrong, in 2 of 4 tiles" in screen.text


def test_what_does_not_compile_is_shown_at_the_students_line(lesson, screen):
    write(lesson, "acc += A[row * K + k] * B[k * N + cool];")
    assert "does not compile" in screen.of(lesson.check)
    assert ">   11 |         acc += A[row * K + k] * B[k * N + cool];" in screen.text
    assert any("cool" in bundle.get("text/html", "") for bundle in screen.bundles)


def test_a_missing_kernel_says_which_cell_to_run(lesson, screen):
    assert "There is no kernels/02\\_small\\.cu yet: run the cell that writes it" in screen.of(lesson.check)


def test_hints_come_one_by_one(lesson, screen, course):
    assert "indices" not in screen.of(lesson.hint, "row", 0) and kept(course) == []
    assert screen.of(lesson.hint, "row") == "1. indices"
    assert screen.of(lesson.hint, "row", 3) == "1. indices\n2. blocks\n3. blockIdx"
    assert [entry["level"] for entry in kept(course)] == [1, 3]


def test_the_answer_comes_after_an_attempt(lesson, screen):
    answer = "acc += A[row * K + k] * B[k * N + col];"
    assert answer not in screen.of(lesson.hint, "fma", 4) and "after a first try" in screen.text
    lesson.lesson.kernel_path.write_text(lesson.lesson.starter)
    lesson.check()
    assert answer not in screen.of(lesson.hint, "fma", 4), "an untouched file is no try"
    write(lesson, "acc += 1;")
    lesson.check()
    assert f"```cpp\n{answer}\n```" in screen.of(lesson.hint, "fma", 4)


def test_where_solutions_are_not_on_disk_the_answer_is_not_shown(lesson, screen, course):
    starters = course / "lessons/.starters"
    starters.mkdir()
    (starters / "02_small.cu").write_text(lesson.lesson.starter)
    (course / "solutions/02_small.cu").unlink()
    bundle = notebook.open("02")
    solve(bundle)
    bundle.check()
    assert "ask your instructor" in screen.of(bundle.hint, "fma", 4)


@pytest.mark.parametrize("level", [5, -1, "2", 1.5, None])
def test_a_hint_that_is_not_there(lesson, screen, level):
    assert "hints of level 1 to 4" in screen.of(lesson.hint, "fma", level)


def test_a_hint_for_a_blank_that_is_not_there(lesson, screen):
    assert "it has row, fma" in screen.of(lesson.hint, "fam")


def test_a_step_is_drawn_and_a_slider_leads_on(lesson, screen, monkeypatch):
    sliders = []

    class Slider(ipywidgets.IntSlider):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            sliders.append(self)

    monkeypatch.setattr(ipywidgets, "IntSlider", Slider)
    screen.of(lesson.step, (5, 7, 3), 1)
    assert "application/vnd.jupyter.widget-view+json" in screen.bundles[0]
    assert "columns 4 to 6" in screen.bundles[1]["text/plain"] and "image/png" in screen.bundles[1]
    (slider,) = sliders
    assert (slider.min, slider.value, slider.max) == (0, 1, 3)
    slider.value = 0
    assert "columns 0 to 3" in screen.bundles[1]["text/plain"], "the same output shows another step"


def test_without_widgets_a_step_is_a_picture(lesson, screen, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    screen.of(lesson.step, (5, 7, 3), 1)
    assert screen.pictures == 1
    assert not any("application/vnd.jupyter.widget-view+json" in bundle for bundle in screen.bundles)


@pytest.mark.parametrize("shape", [(5, 7), (0, 7, 3), (5, 7, -3), "abc", None, (5.0, 7, 3), (True, 7, 3)])
def test_what_is_no_shape(lesson, screen, shape):
    for call in (lesson.step, lesson.profile):
        assert "three whole numbers" in screen.of(call, shape)
    assert "three whole numbers" in screen.of(lesson.tiles, shape, (0, 0, 0))


@pytest.mark.parametrize("number", [4, -1, 0.5, "1"])
def test_a_step_that_is_not_there(lesson, screen, number):
    assert "there are 4 steps, 0 to 3" in screen.of(lesson.step, (8, 8, 4), number).lower()


def test_tiles_are_drawn(lesson, screen):
    assert "rows 4 to 7" in screen.of(lesson.tiles, (8, 8, 8), (1, 0, 1)) and screen.pictures == 1
    assert "is none of them" in screen.of(lesson.tiles, (8, 8, 8), (2, 0, 1))


def test_without_a_gpu_no_time_is_shown(lesson, screen, course):
    solve(lesson)
    assert "Make your predictions first" in screen.of(lesson.profile) and "GB" not in screen.text
    lesson.predict("bytes", 500)
    assert "Pass the check" in screen.of(lesson.profile)
    lesson.check()
    assert "No time was measured" in screen.of(lesson.profile)
    assert "registers a thread" in screen.text and "| read from global memory |" in screen.text
    assert "Measured on" not in screen.text and "Nothing was timed" in screen.text.replace("\\", "")
    assert "commit" in screen.text and "not your machine" in screen.text  # the ceilings are those of a record
    assert "timing" not in [entry["kind"] for entry in kept(course)]


def test_with_a_gpu_the_time_is_shown_kept_and_put_on_the_ladder(lesson, screen, course, monkeypatch):
    solve(lesson)
    lesson.predict("bytes", 500)
    lesson.check()
    monkeypatch.setattr(gpu, "available", lambda: "NVIDIA Test")
    monkeypatch.setattr(gpu, "device", lambda: GpuInfo("NVIDIA Test", "sm_90", "1", "12.9", "14"))
    monkeypatch.setattr(bench, "time_kernel", lambda program, launch, shape: TIMING)
    assert "6,123 GFLOPS" in screen.of(lesson.profile) and "11.9 % of cuBLAS" in screen.text
    assert "compiled for sm\\_90" in screen.text
    assert kept(course)[-1]["kind"] == "timing" and kept(course)[-1]["gpu"] == "NVIDIA Test"
    assert "public cases passed, 6,123 GFLOPS, 12 % of cuBLAS" in screen.of(lesson.progress)
    assert "Measured on NVIDIA Test at 1024×1024×1024" in screen.text


def test_a_kernel_that_changed_after_its_check_is_not_timed(lesson, screen):
    solve(lesson)
    lesson.predict("bytes", 500)
    lesson.check()
    write(lesson, "acc -= A[row * K + k] * B[k * N + col];")
    assert "Pass the check" in screen.of(lesson.profile)


def test_progress_counts_what_was_done(lesson, screen):
    assert "02_small: not attempted" in screen.of(lesson.progress)
    lesson.predict("bytes", 536)
    lesson.reveal("bytes")
    write(lesson, "acc += C;")
    lesson.check()
    assert "02_small: attempted" in screen.of(lesson.progress)
    assert "1 asked for, 1 revealed, 1 right" in screen.text


def predicted(ms: float | None, unknown: str | None = None):
    """A model that counts how often it is asked, and says so many ms of any kernel."""
    asked = []

    def predict(candidate, shape, gpu="NVIDIA-H200"):
        asked.append(candidate.text)
        low, high, gflops, percent = (0.9 * ms, 1.1 * ms, 2e-6 * np.prod(shape) / ms, 10.0) if ms else (None,) * 4
        told = {"low_ms": low, "high_ms": high, "gflops": gflops, "percent": percent, "bottleneck": "shared"}
        return SimpleNamespace(ms=ms, unknown=unknown, **told)

    return asked, predict


def test_without_a_gpu_the_ladder_has_what_the_model_predicts_once_for_each_file(lesson, screen, course, monkeypatch):
    asked, model = predicted(0.25)
    monkeypatch.setattr("gemmlab.model.predict", model)
    assert "predicted for" not in screen.of(lesson.progress) and not asked
    solve(lesson)
    assert "predicted for" not in screen.of(lesson.progress) and not asked  # it has not passed
    lesson.check()
    assert not asked
    assert "public cases passed, predicted 8,590 GFLOPS ± 10 %" in screen.of(lesson.progress)
    assert "02_small 8,590, from 7,809 to 9,544 (shared decides)" in screen.text and len(asked) == 1
    (entry,) = [entry for entry in kept(course) if entry["kind"] == "forecast"]
    assert (entry["lesson"], entry["gpu"], entry["shape"]) == ("02", "NVIDIA-H200", [1024, 1024, 1024])
    assert "8,590 GFLOPS" in screen.of(notebook.open("02").progress) and len(asked) == 1
    solve(lesson)
    lesson.lesson.kernel_path.write_text(lesson.desk.source() + "// another file\n")
    assert "The file has changed since it passed" in screen.of(lesson.progress) and len(asked) == 1
    lesson.check()
    assert "8,590 GFLOPS" in screen.of(lesson.progress) and len(asked) == 2
    monkeypatch.setattr("gemmlab.notebook.forecasts._edition", lambda: "another model")
    assert "8,590 GFLOPS" in screen.of(lesson.progress) and len(asked) == 3


def test_the_ladder_says_why_there_is_no_prediction(lesson, screen, monkeypatch):
    monkeypatch.setattr("gemmlab.model.predict", predicted(None, "it multiplies on tensor cores")[1])
    solve(lesson)
    lesson.check()
    assert "02_small: no prediction. It multiplies on tensor cores." in screen.of(lesson.progress)


def test_a_progress_file_that_cannot_be_used_does_not_hide_the_verdict(lesson, screen, course):
    (course / "progress.json").mkdir()
    solve(lesson)
    assert "public cases passed" in screen.of(lesson.check)
    assert "Your progress cannot be" in screen.text.replace("\\", "")


def test_a_damaged_progress_file_is_told_once(lesson, screen, course):
    (course / "progress.json").write_text("{")
    assert "was damaged" in screen.of(lesson.predict, "bytes", 1)
    assert "was damaged" not in screen.of(lesson.predict, "bytes", 2)


def test_a_solved_notebook_shows_the_numbers_and_keeps_nothing(lesson, screen, course, monkeypatch):
    monkeypatch.setenv("GEMMLAB_WORK", "")
    lessons.work_in(course / "solutions/.work")
    solved = notebook.open("02")
    assert f"**{NUMBER} MB** | none" in screen.of(solved.reveal, "bytes")
    solve(solved)
    assert "public cases passed" in screen.of(solved.check)
    assert "02_small: public cases passed" in screen.of(solved.progress)
    screen.of(solved.step, (5, 7, 3))
    assert not any("application/vnd.jupyter.widget-view+json" in bundle for bundle in screen.bundles)
    assert kept(course) == [] and [path.name for path in (course / "solutions/.work").iterdir()] == ["kernels"]


def test_a_cell_that_waits_for_the_emulator_says_so_and_then_nothing(screen, lesson, tmp_path, monkeypatch):
    monkeypatch.setenv("GEMMLAB_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("GEMMLAB_SHARED_DIR", raising=False)
    monkeypatch.setattr(warm, "told", partial(warm.told, every=0.02))
    store.code_folder().mkdir(parents=True)
    with FileLock(store.code_folder() / "compiling.lock"), waiting.told(lesson.desk):
        warm._say("The emulator is being made")
        until(lambda: screen.outputs)
        assert screen.text.startswith("The emulator is being made")
    assert screen.text == ""


def until(holds) -> None:
    for _ in range(1000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to be")
