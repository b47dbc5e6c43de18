"""A lesson's spec: what loads, what is refused, and where the course is looked for."""

import re
from pathlib import Path

import pytest
from conftest import LESSON, SOLUTION

from gemmlab.course import blanks, places
from gemmlab.course import lesson as lessons
from gemmlab.course.lesson import Case, CounterRule, Prediction, Question
from gemmlab.errors import UserError


@pytest.mark.parametrize("which", ["02", "2", "02_small", "small"])
def test_lesson_is_found_by_number_and_slug(course, which):
    assert lessons.load(which).name == "02_small"


def test_lesson_has_all_of_its_front_matter(course):
    (lesson,) = lessons.load_all()
    assert (lesson.number, lesson.slug, lesson.title, lesson.tile) == ("02", "small", "A small lesson", 4)
    assert lesson.launch.at(5, 7, 3).grid == (2, 2, 1)
    assert lesson.cases == (
        Case((8, 8, 8), "random", 2000, "ordinary"),
        Case((8, 4, 12), "integer", 2001, "ordinary"),
        Case((5, 7, 3), "random", 2002, "ragged"),
    )
    assert [blank.name for blank in lesson.blanks] == ["row", "fma"]
    assert lesson.blanks[1].hints == ("sums", "products", "one line")
    assert lesson.blanks[1].answer == "acc += A[row * K + k] * B[k * N + col];"
    assert lesson.predictions == (Prediction("bytes", "How many bytes?", "MB", 536.87, 0.02),)
    assert lesson.questions[2] == Question("q3", "When?", 2)
    assert lesson.marks == {"ordinary": 2, "boundary": 1, "explanation": 1}
    assert lesson.vetoes == ("a race",)
    assert lesson.starter == blanks.strip_solution(SOLUTION)
    assert lesson.solution == blanks.without_markers(SOLUTION)
    assert lesson.kernel_path == course / "kernels/02_small.cu"


def test_bundle_without_solutions_reads_the_kept_starter(course):
    starter = blanks.strip_solution(SOLUTION)
    (course / "solutions/02_small.cu").unlink()
    with pytest.raises(UserError, match="there is no file"):
        lessons.load("02")
    kept = lessons.starter_path(course, "02_small")
    kept.parent.mkdir()
    kept.write_text(starter)
    (course / "kernels/02_small.cu").write_text("whatever a student wrote")
    lesson = lessons.load("02")
    assert (lesson.starter, lesson.kernel.solved, lesson.blanks[0].answer) == (starter, None, None)
    with pytest.raises(UserError, match="solutions/02_small.cu is not on disk"):
        print(lesson.solution)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  tile: 4\n", "", "gemmlab lacks the key 'tile'"),
        ("  tile: 4\n", "  tile: 4\n  tyle: 4\n", "gemmlab has the unknown key 'tyle'"),
        ("  tile: 4\n", "  tile: four\n", "tile must be a whole number above 0, not 'four'"),
        ("  tile: 4\n", "  tile: true\n", "tile must be a whole number above 0, not True"),
        ("title: A small lesson", "title: 3", "gemmlab.title must be text"),
        ("[[5, 7, 3]]", "[[5, 7]]", "gemmlab.cases.ragged[0] must be a shape [M, N, K]"),
        ("[[5, 7, 3]]", "[[5, 0, 3]]", "gemmlab.cases.ragged[0] must be a whole number above 0, not 0"),
        ("[[5, 7, 3]]", "[[5000, 5000, 3]]", "gemmlab.cases.ragged[0] has a matrix of more than"),
        ("[[5, 7, 3]]", "[]", "gemmlab.cases.ragged has no shape"),
        ("[[5, 7, 3]]", "5", "gemmlab.cases.ragged must be a list"),
        ('"4,4"', '"4,4,1,1"', "the block has 4 dimensions"),
        ('"4,4"', '"4,L"', "cannot use the expression 'L'"),
        ("block:", "blocks:", "gemmlab.launch lacks the key 'block'"),
        ("    row: {", "    raw: {", "gemmlab.blanks has fma, raw, the kernel has fma, row"),
        ("[sums, products, one line]", "[sums, products]", "gemmlab.blanks.fma.hints has 2 hints instead of 3"),
        ("id: q3, text:", "id: q3, words:", "gemmlab.questions[2] lacks the key 'text'"),
        ('"When?", marks: 2', '"When?", marks: 3', "the questions come to 11 marks instead of 10"),
        ("answer: 536.87", "answer: .nan", "gemmlab.predictions[0].answer must be a number"),
        ("gemmlab:\n", "lab:\n", "the front matter has no gemmlab: block"),
        ("  title: A small lesson", "  title: [A", "the front matter is not YAML in line"),
        ("---\njupyter", "jupyter", "the file does not start with front matter"),
    ],
)
def test_bad_front_matter_is_named(course, old, new, message):
    assert LESSON.count(old) >= 1
    (course / "lessons/02_small.md").write_text(LESSON.replace(old, new, 1))
    with pytest.raises(UserError, match="^" + re.escape("lessons/02_small.md: ") + ".*" + re.escape(message)):
        lessons.load("02")


def test_counter_rules(course):
    rule = "{what: sectors_per_request, of: global_load, at_most: 4.5, shape: [8, 8, 8], says: Too many.}"
    path = course / "lessons/02_small.md"
    path.write_text(LESSON.replace("  tile: 4\n", f"  tile: 4\n  counters: [{rule}]\n"))
    expected = CounterRule("sectors_per_request", "global_load", 4.5, (8, 8, 8), "Too many.")
    assert lessons.load("02").kernel.rules == (expected,)
    path.write_text(path.read_text().replace(", says: Too many.", ""))
    with pytest.raises(UserError, match=r"gemmlab.counters\[0\] lacks the key 'says'"):
        lessons.load("02")


def test_bad_solution_is_named(course):
    (course / "solutions/02_small.cu").write_text(SOLUTION.replace("// END SOLUTION", "", 1))
    with pytest.raises(UserError, match=r"solutions/02_small\.cu, line \d+: BEGIN SOLUTION inside"):
        lessons.load("02")


def test_unknown_lesson_names_those_there_are(course):
    for which in ("7", "small.cu", "", "../02_small", "٢"):
        with pytest.raises(UserError, match="there are: 02_small"):
            lessons.load(which)


def test_two_lessons_of_one_number_are_refused(course):
    (course / "lessons/02_other.md").write_text(LESSON)
    with pytest.raises(UserError, match="02_other and 02_small have the same number"):
        lessons.load_all()


def test_root_is_above_the_working_directory(course, monkeypatch):
    monkeypatch.delenv("GEMMLAB_ROOT")
    (course / "lessons/deep").mkdir()
    monkeypatch.chdir(course / "lessons/deep")
    assert lessons.find_root() == course


def test_root_falls_back_to_the_editable_install(course, monkeypatch, tmp_path):
    monkeypatch.delenv("GEMMLAB_ROOT")
    monkeypatch.chdir(tmp_path)
    assert lessons.find_root() == Path(lessons.__file__).resolve().parents[2]
    monkeypatch.setattr(places, "__file__", str(tmp_path / "site-packages/gemmlab/course/places.py"))
    with pytest.raises(UserError, match="there is no course here"):
        lessons.find_root()


def test_wrong_root_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("GEMMLAB_ROOT", str(tmp_path))
    with pytest.raises(UserError, match="no lessons/ and kernels/"):
        lessons.find_root()


def test_solved_notebooks_work_elsewhere(course, monkeypatch):
    monkeypatch.setenv("GEMMLAB_WORK", "")
    lessons.work_in(course / "solutions/.work")
    assert lessons.load("02").kernel_path == course / "solutions/.work/kernels/02_small.cu"
    assert lessons.load("02").kernel_path.parent.is_dir()
