"""Experiments in a notebook: what they show, and that they leave file and progress alone."""

from __future__ import annotations

import pytest

from gemmlab import notebook
from gemmlab.course.lesson import load
from gemmlab.records import ceilings
from gemmlab.records.races import recorded_races


def opened(number: str, solved: bool = True) -> notebook.OpenLesson:
    lesson = notebook.open(number)
    lesson.lesson.kernel_path.write_text(lesson.lesson.solution if solved else lesson.lesson.starter)
    return lesson


def test_machine_names_what_there_is(shown):
    opened("00").machine()
    assert "| Python | yes |" in shown[0] and "| emulator |" in shown[0]


def test_roofline_of_an_example_and_of_the_record(shown, monkeypatch, tmp_path):
    lesson = opened("00")
    lesson.roofline(20_000, 500)
    assert "an example, not a measurement" in shown[-1] and "125 GFLOPS if nothing is cached" in shown[-1]
    record = '{"machine": {"gpu": "GPU X", "driver": "1", "date": "2025-01-01", "commit": "abc"}, "ceilings": %s}'
    (tmp_path / "x.json").write_text(record % '{"fma_tflops": 2, "copy_gbs": 100}')
    found = ceilings.recorded_ceilings(tmp_path)
    assert (found.gflops, found.gbs) == (2000, 100)
    assert found.source.startswith("recorded on GPU X, driver 1, 2025-01-01")
    (tmp_path / "x.json").write_text(record % "{}")
    assert ceilings.recorded_ceilings(tmp_path) is None


def test_grid_asks_the_kernel_which_element_a_thread_has(shown):
    lesson = opened("00")
    lesson.grid((70, 100, 40), tx=5)
    assert "12 blocks" in shown[-1] and "computes C[5][0]" in shown[-1]
    path = lesson.lesson.kernel_path
    path.write_text(load("01").solution)
    lesson.grid((70, 100, 40), tx=5)
    assert "computes C[0][5]" in shown[-1]
    lesson.grid((70, 100, 40), tx=32)
    assert "tx is one of 0 to 31" in shown[-1].lower()
    lesson.grid((2, 2, 2), tx=9)
    assert "stores nothing" in shown[-1]


def test_requests_of_this_and_of_another_lesson(shown):
    lesson = opened("01")
    lesson.requests()
    assert "load from B, line 21, 4 sectors, 128 of 128 bytes used" in shown[-2] and "| 4 | 128 | 128 |" in shown[-1]
    lesson.requests(of="00")
    assert "00_start_here" in shown[-2] and "32 sectors, 128 of 1024 bytes used" in shown[-2]


def test_a_ragged_row_begins_inside_a_sector(shown):
    opened("01").requests((45, 45, 45))
    assert "store to C, line 24, 4 sectors" in shown[-2]
    assert "load from B, line 21, 4 sectors" in shown[-2]


def test_open_blanks_and_compile_errors_are_said(shown):
    lesson = opened("01", solved=False)
    lesson.requests()
    assert "Fill in the blank row first" in shown[-1]
    lesson.lesson.kernel_path.write_text(lesson.lesson.solution.replace("float acc", "flote acc"))
    lesson.requests()
    assert "does not compile: run the check" in shown[-1]


def test_another_lesson_must_be_solved(shown):
    opened("02", solved=False)
    with pytest.raises(Exception, match="lesson 02 is not solved yet"):
        notebook.open("02").desk.source_of(load("02"))


def test_what_if_checks_a_variant_and_leaves_everything_alone(shown, tmp_path):
    lesson = opened("03")
    before = lesson.lesson.kernel_path.read_text()
    lesson.what_if(second_barrier="")
    text = "\n".join(shown)
    assert "without **second_barrier**" in text and "write after" in text and "picture: C at M, N, K" in text
    assert lesson.lesson.kernel_path.read_text() == before and not (tmp_path / "progress.json").exists()
    lesson.what_if(third_barrier="")
    assert "No blank" in shown[-1] or "no blank" in shown[-1]


def test_timeline_needs_no_file_where_all_blanks_are_given(shown):
    lesson = notebook.open("03")
    lesson.timeline(first_barrier="", second_barrier="")
    assert "0 barriers" in shown[-1]
    lesson.timeline()
    assert "There is no kernels" in shown[-1]


def test_edges_are_drawn(shown):
    opened("04").edges((35, 45, 25))
    assert "14 have a slot to fill with 0" in shown[-1]


def test_recorded_races_are_labelled_and_tell_the_lessons_story(shown):
    notebook.open("03").recorded_races()
    assert shown[0].startswith("Recorded on NVIDIA H200, driver") and "not your machine" in shown[0]
    (record,) = recorded_races()
    wrong = {(row["without"], tuple(row["shape"])): row["wrong"] for row in record["races"]}
    assert not any(count for (name, _), count in wrong.items() if name == "whole")
    assert all(count for (name, _), count in wrong.items() if name == "first_barrier")
    second = [count for (name, _), count in wrong.items() if name == "second_barrier"]
    assert min(second) == 0 < max(second)
