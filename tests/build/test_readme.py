"""The README's part that is built from the recorded results."""

import json

import pytest

from gemmlab.build import readme
from gemmlab.course.lesson import find_root, load_all
from gemmlab.errors import UserError
from gemmlab.pictures.speed.recorded import recorded_ladder, steps
from gemmlab.records import results


def test_what_is_built_is_fresh():
    root = find_root()
    assert readme.BEGIN in (root / "README.md").read_text(encoding="utf-8")
    assert readme.check(root) == [], "run: make lessons"


def test_it_names_every_lesson_by_its_title():
    text = (find_root() / "README.md").read_text(encoding="utf-8")
    for lesson in load_all():
        assert f"| [{lesson.number}](lessons/{lesson.name}.ipynb) | {lesson.title} |" in text


def test_a_changed_record_makes_both_stale(tmp_path, monkeypatch):
    root = find_root()
    data = json.loads((results.FOLDER / "NVIDIA-H200.json").read_text(encoding="utf-8"))
    data["shapes"][0]["kernels"][0]["ratio_to_cublas"] = 0.777
    (tmp_path / "NVIDIA-H200.json").write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.setattr(readme, "all_results", lambda: results.all_results(tmp_path))
    assert readme.check(root) == ["README.md", readme.PICTURE]
    assert "77.7 %" in readme.with_results((root / "README.md").read_text(encoding="utf-8"))


def test_the_text_around_the_marks_stays(tmp_path):
    text = f"before\n{readme.BEGIN}\nold\n{readme.END}\nafter\n"
    built = readme.with_results(text)
    assert built.startswith("before\n") and built.endswith("\nafter\n") and "\nold\n" not in built
    assert readme.with_results(built) == built
    with pytest.raises(UserError, match="no lines"):
        readme.with_results("nothing")


def test_without_marks_there_is_nothing_to_build(tmp_path):
    assert list(readme.build(tmp_path)) == [] and readme.check(tmp_path) == []
    (tmp_path / "README.md").write_text("a course\n")
    assert list(readme.build(tmp_path)) == [] and readme.check(tmp_path) == []


def test_the_table_names_machine_and_every_lesson():
    text = readme.with_results((find_root() / "README.md").read_text(encoding="utf-8"))
    (record, *_) = results.all_results()
    assert record.label in text
    for lesson in record.shapes[0].lessons:
        assert f"| `{record.shapes[0].as_taught(lesson).name}` |" in text
    for ladder in results.published():
        assert ladder.source in text


def test_the_picture_says_the_same_in_words():
    records = results.all_results()
    picture = recorded_ladder(records)
    for name, ratio in steps(records[0].shapes[0]):
        assert f"{name} {100 * ratio:.1f} %" in picture.alt


def test_a_step_shows_the_best_of_its_sizes():
    kernels = [
        results.Kernel("02_x", "02", True, 10.0, 0.1, (0.1, 0.1), 0.1),
        results.Kernel("02_x TILE=32", "02", False, 20.0, 0.2, (0.2, 0.2), 0.2),
        results.Kernel("fast/y", None, False, 15.0, 0.15, (0.1, 0.2), 0.1),
    ]
    at = results.AtShape((1, 1, 1), 100.0, tuple(kernels))
    assert at.as_taught("02").gflops == 10.0 and at.best_of("02").gflops == 20.0 and at.best.name == "02_x TILE=32"
    assert steps(at) == [("02", 0.2), ("fastest", 0.2)]
