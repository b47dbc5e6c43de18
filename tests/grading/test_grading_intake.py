"""Submissions as learning platforms and students deliver them, whole and broken."""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile
from functools import cache
from pathlib import Path

import pytest

from gemmlab.course.lesson import load, load_all
from gemmlab.errors import UserError
from grading.intake import handed_in, intake
from grading.intake.intake import read

TILED, NAIVE, CLINIC = load("02"), load("01"), load("14")
all_lessons = cache(load_all)
SOLUTION = TILED.solution
NOTHING = "nothing was handed in for this lesson; what was handed in for other lessons or for none:"


@pytest.fixture(autouse=True)
def _lessons_loaded_once(monkeypatch):
    monkeypatch.setattr(intake.lessons, "load_all", all_lessons)


def code(source: str, **metadata) -> dict:
    return {"cell_type": "code", "metadata": metadata, "source": source.splitlines(True), "outputs": []}


def answer(question: str, text: str) -> dict:
    return {"cell_type": "markdown", "metadata": {"question": question, "tags": ["answer"]}, "source": text}


def exercise(text: str = SOLUTION, name: str = "02_tiled_fma") -> dict:
    return code(f"%%writefile ../kernels/{name}.cu\n{text}", tags=["exercise"])


def notebook(*cells: dict) -> bytes:
    return json.dumps({"cells": cells or [exercise()], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def fill(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def packed(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def only(folder: Path, lesson: str | None = "02"):
    (submission,) = read(folder, lesson)
    return submission


def one_file(tmp_path: Path, data: bytes, name: str = "ann/02.ipynb"):
    return only(fill(tmp_path, {name: data}))


LAYOUTS = {
    "a folder a student": (["ann/02_tiled_fma.ipynb", "bob/my kernel.ipynb"], ["ann", "bob"]),
    "flat": (["ann.ipynb", "bob.cu"], ["ann", "bob"]),
    "flat with the lesson": (["ann_02_tiled_fma.ipynb", "02_tiled_fma_bob.ipynb"], ["ann", "bob"]),
    "flat with the number": (["ann_02.ipynb", "02_bob.ipynb"], ["ann", "bob"]),
    "nbgrader": (["submitted/ann/02_tiled_fma/02.ipynb", "submitted/bob/02_tiled_fma/02.ipynb"], ["ann", "bob"]),
    "nbgrader, one student": (["submitted/ann/02_tiled_fma/02.ipynb"], ["ann"]),
    "inside of submitted": (["ann/02_tiled_fma/02.ipynb"], ["ann"]),
    "moodle": (
        ["Ann Ek_12345_assignsubmission_file_/02.ipynb", "Bo Å_12346_assignsubmission_file/x.ipynb"],
        ["Ann Ek_12345", "Bo Å_12346"],
    ),
    "moodle, flat": (["Ann Ek_12345_assignsubmission_file_02 (1).ipynb"], ["Ann Ek_12345"]),
    "canvas": (
        ["ekann_4711_90210_02_tiled_fma-1.ipynb", "obo_LATE_4712_90211_kernel.cu"], ["ekann_4711", "obo_4712"],
    ),
    "wrapped": (["Homework 2/ann/02.ipynb", "Homework 2/bob/02.ipynb"], ["ann", "bob"]),
    "a student's own course": (["ann/kernels/02_tiled_fma.cu"], ["ann"]),
    "downloaded as text": (
        ["ann.ipynb.txt", "bob.cu.txt", "cyd.ipynb.json", "dan.IPYNB"], ["ann", "bob", "cyd", "dan"],
    ),
}  # fmt: skip


def content(name: str) -> bytes:
    return SOLUTION.encode() if ".cu" in name else notebook()


@pytest.mark.parametrize("names, students", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("form", ["folder", "zip"])
@pytest.mark.parametrize("lesson", ["02", None], ids=["lesson given", "lesson told by the files"])
def test_layouts(names, students, form, lesson, tmp_path):
    files = {name: content(name) for name in names}
    place = tmp_path / "all"
    if form == "zip":
        place.write_bytes(packed(files))
    else:
        fill(place, files)
    found = read(place, lesson)
    assert [one.student for one in found] == students
    for one in found:
        assert (one.lesson, one.source.strip()) == ("02_tiled_fma", SOLUTION.strip())


def test_a_student_may_hand_in_a_zip(tmp_path):
    inner = packed({"work/02.ipynb": notebook(), "__MACOSX/._02.ipynb": b"\0"})
    found = read(fill(tmp_path, {"ann.zip": inner, "bob/bob.zip": inner}), None)
    assert [(one.student, one.note) for one in found] == [("ann", ""), ("bob", "")]


def test_answers_predictions_and_origin(tmp_path):
    cells = [
        code('lesson = notebook.open("02")'),
        code('lesson.predict("naive_intensity", 0.25)  # FLOP/B\nlesson.predict("naive_bytes", 1024**3 * 8 / 1e9)\n'
             'lesson.predict("tiled_bytes", None)\nlesson.predict("tiled_intensity", __import__("os"))'),
        exercise(),
        answer("q1", "*Your answer:*\n\nT/4, by counting."),
        answer("q2", "*Your answer:*"),
        answer("explanation", "*Your answer:* <script>"),
    ]  # fmt: skip
    one = one_file(tmp_path, notebook(*cells))
    assert one.answers == {"q1": "T/4, by counting.", "explanation": "<script>"}
    assert one.predictions == {"naive_intensity": 0.25, "naive_bytes": 8.589934592}
    assert (one.origin, one.note) == ("ann/02.ipynb", "")


@pytest.mark.parametrize("value", ["9**9**9**9", "1e999", "(" * 150, "1/0", "-" * 150 + "x", "(-1)**0.5"])
def test_a_prediction_that_is_no_number_is_none(value, tmp_path):
    assert one_file(tmp_path, notebook(exercise(), code(f'lesson.predict("x", {value})'))).predictions == {}


def test_one_student_may_hand_in_several_lessons(tmp_path):
    naive = notebook(exercise(NAIVE.solution, "01_naive_mapping"))
    ann = {"ann/a.ipynb": naive, "ann/b.ipynb": notebook(), "ann/notes.pdf": b"%PDF"}
    folder = fill(tmp_path, {**ann, "bob/b.ipynb": naive})
    assert [(one.student, one.lesson) for one in read(folder)] == [
        ("ann", "01_naive_mapping"), ("ann", "02_tiled_fma"), ("bob", "01_naive_mapping"),
    ]  # fmt: skip
    ann, bob = read(folder, "02")
    assert ann.source.strip() == SOLUTION.strip()
    assert (bob.source, bob.note) == (None, f"{NOTHING} bob/b.ipynb")


def test_the_patients_of_the_clinic_are_kept_apart(tmp_path):
    cells = [exercise(kernel.solution, kernel.name) for kernel in CLINIC.kernels[:2]]
    one = only(fill(tmp_path, {"ann/14.ipynb": notebook(*cells)}), None)
    assert one.lesson == "14_claims_clinic"
    assert set(one.patients) == {kernel.patient for kernel in CLINIC.kernels[:2]}


BROKEN = {
    "empty": (b"", "it is empty"),
    "blank": (b" \r\n", "it is empty"),
    "not JSON": (b"PK not json", "it is not JSON"),
    "cut off": (notebook()[:-40], "it is not JSON"),
    "deep": (b"[" * 200_000, "it is not JSON"),
    "a list": (b"[1, 2]", "it has no cells"),
    "cells are no list": (b'{"cells": {"a": 1}}', "it has no cells"),
    "cells are numbers": (b'{"cells": [1, null, {"source": 7}, {"cell_type": [], "source": [{}]}]}', "no cell that"),
    "no kernel": (notebook(code("print(1)")), "no cell that writes"),
    "a number without end": (b'{"cells": ' + b"9" * 100_000 + b"}", "it is"),
    "bytes": (bytes(range(256)) * 40, "it is not JSON"),
}


@pytest.mark.parametrize("data, note", BROKEN.values(), ids=BROKEN)
def test_a_broken_notebook_is_a_note_and_the_others_go_on(data, note, tmp_path):
    ann, bob = read(fill(tmp_path, {"ann/02.ipynb": data, "bob/02.ipynb": notebook()}), None)
    assert (ann.student, ann.lesson, ann.source) == ("ann", "02_tiled_fma", None)
    assert note in ann.note
    assert "ann/02.ipynb" in ann.note or ann.note.startswith("there is no cell")
    assert bob.source is not None


PLAIN = "// für K\n" + SOLUTION.replace("·", "").replace("×", "x")
LATIN = json.dumps({"cells": [exercise(PLAIN)]}, ensure_ascii=False).encode("latin-1")


@pytest.mark.parametrize(
    "data, remark",
    [
        (b"\xef\xbb\xbf" + notebook(), ""),
        (notebook().replace(b"\\n", b"\\r\\n"), ""),
        (notebook().decode().encode("utf-16"), "UTF-16"),
        (LATIN, "not UTF-8"),
    ],
    ids=["byte order mark", "windows line ends", "utf-16", "latin-1"],
)  # fmt: skip
def test_encodings_and_line_ends(data, remark, tmp_path):
    one = one_file(tmp_path, data)
    assert "acc += As[ty][k] * Bs[k][tx];" in one.source
    assert remark in one.note


def test_a_kernel_file_in_another_encoding(tmp_path):
    one = one_file(tmp_path, b"// f\xfcr alle\r\n" + SOLUTION.encode("ascii", "ignore"), "ann/02_tiled_fma.cu")
    assert one.source.startswith("// für alle\n")
    assert "not UTF-8" in one.note


CELLS = {
    "another name": ([exercise(name="my_kernel")], SOLUTION, ""),
    "windows path": ([code("%%writefile ..\\kernels\\02_tiled_fma.cu\n" + SOLUTION)], SOLUTION, ""),
    "quoted path": ([code('%%writefile "../kernels/02_tiled_fma.cu"\n' + SOLUTION)], SOLUTION, ""),
    "first line taken out": ([code(SOLUTION, tags=["exercise"])], SOLUTION, ""),
    "starter once more": ([exercise(), exercise(TILED.starter)], SOLUTION, ""),
    "twice": ([exercise("// old\n"), exercise()], SOLUTION, "2 cells write the kernel"),
    "other files written": ([code("%%writefile notes.txt\nhello"), exercise()], SOLUTION, ""),
    "untouched": ([exercise(TILED.starter)], TILED.starter, ""),
}


@pytest.mark.parametrize("cells, source, note", CELLS.values(), ids=CELLS)
def test_cells(cells, source, note, tmp_path):
    one = one_file(tmp_path, notebook(*cells))
    assert one.source.strip() == source.strip()
    assert note in one.note


def test_an_old_notebook_format(tmp_path):
    cell = {"cell_type": "code", "input": "%%writefile ../kernels/02_tiled_fma.cu\n" + SOLUTION}
    assert one_file(tmp_path, json.dumps({"worksheets": [{"cells": [cell]}]}).encode()).source == SOLUTION


def test_of_two_copies_the_later_counts(tmp_path):
    files = {"ann/02.ipynb": notebook(exercise("// first\n")), "ann/02 (1).ipynb": notebook()}
    one = only(fill(tmp_path, {**files, "ann/.ipynb_checkpoints/02.ipynb": b""}))
    assert one.source.strip() == SOLUTION.strip()
    assert one.origin == "ann/02 (1).ipynb"
    assert "2 files" in one.note


def test_a_kernel_file_fills_in_what_the_notebook_lacks(tmp_path):
    untouched = notebook(exercise(TILED.starter), answer("q1", "because"))
    one = only(fill(tmp_path, {"ann/02.ipynb": untouched, "ann/02_tiled_fma.cu": SOLUTION.encode()}))
    assert one.source.strip() == SOLUTION.strip()
    assert one.answers == {"q1": "because"}


def test_links_pipes_and_what_cannot_be_read(tmp_path):
    secret = tmp_path / "secret.cu"
    secret.write_text(SOLUTION)
    folder = fill(tmp_path / "all", {"zoe/02.ipynb": notebook(), "huge/02.ipynb": b""})
    for name in ("link", "folder_link", "pipe", "nothing"):
        (folder / name).mkdir()
    (folder / "link" / "02.cu").symlink_to(secret)
    (folder / "folder_link" / "all").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(folder / "pipe" / "02.ipynb")
    with open(folder / "huge" / "02.ipynb", "wb") as file:
        file.truncate(handed_in.LARGEST_FILE + 1)
    found = {one.student: one for one in read(folder, "02")}
    assert "is a link" in found["link"].note
    assert "is a link" in found["folder_link"].note
    assert "no ordinary file" in found["pipe"].note
    assert "empty" in found["nothing"].note
    assert "larger than" in found["huge"].note
    assert [name for name, one in found.items() if one.source] == ["zoe"]


def linked(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    return buffer.getvalue()


def test_a_student_with_nothing_in_the_zip_of_the_class_is_not_lost(tmp_path):
    """An empty folder, folders in an empty folder, and files that are left out."""
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for folder in ("ann", "bob", "bob/work", "cyd", "dee"):
            archive.mkdir(folder) if hasattr(archive, "mkdir") else archive.writestr(f"{folder}/", b"")
        for name in ("cyd/.ipynb_checkpoints/02.ipynb", "dee/.hidden", "dee/02.ipynb", "eve/02.ipynb", "__MACOSX/x"):
            archive.writestr(name, notebook())
    found = {one.student: one for one in intake.read(tmp_path / "class.zip")}
    assert {name: bool(one.source) for name, one in found.items()} == {
        "ann": False, "bob": False, "cyd": False, "dee": True, "eve": True
    }  # fmt: skip
    assert all("the folder is empty" in found[name].note for name in ("ann", "bob"))
    assert "hidden files only, which are not looked at: .ipynb_checkpoints" in found["cyd"].note


def test_where_a_slipping_path_leads_tells_no_lesson(tmp_path):
    slip = packed({"../../lesson 04/x.cu": b"x", "/05/y.cu": b"y"})
    folder = fill(tmp_path / "all", {"ann.zip": slip, "bob/02.ipynb": notebook(), "cyd/02.ipynb": notebook()})
    ann, *_ = read(folder)
    assert (ann.student, ann.lesson) == ("ann", "02_tiled_fma")
    assert "ann/x.cu: its path leads out of the zip" in ann.note and "lesson 04" not in ann.note


ZIPS = {
    "slip": (packed({"../../02.cu": SOLUTION.encode()}), "leads out of the zip"),
    "windows slip": (packed({"..\\..\\02.cu": SOLUTION.encode()}), "leads out of the zip"),
    "absolute": (packed({"/tmp/02.cu": SOLUTION.encode()}), "leads out of the zip"),
    "link": (linked("02.cu"), "is a link"),
    "damaged": (packed({"02.ipynb": notebook()})[:60], "cannot be read"),
    "wrong checksum": (packed({"02.ipynb": notebook()}).replace(b"02.ipynb", b"02.ipynX", 1), "damaged"),
    "no zip": (b"hello", "cannot be read"),
    "empty": (packed({}), "empty"),
    "bomb": (packed({"02.ipynb": bytes(handed_in.LARGEST_FILE + 1)}), "larger than"),
    "many files": (packed({f"{number}.txt": b"" for number in range(2_001)}), "more than 2000 files"),
    "zips in zips": (packed({"a.zip": packed({"b.zip": packed({"02.ipynb": notebook()})})}), "too many zips"),
}  # fmt: skip


@pytest.mark.parametrize("data, note", ZIPS.values(), ids=ZIPS)
def test_a_hostile_zip_is_a_note(data, note, tmp_path):
    folder = fill(tmp_path / "all", {"ann.zip": data, "bob/02.ipynb": notebook()})
    before = sorted(tmp_path.rglob("*"))
    ann, bob = read(folder)
    assert (ann.student, ann.source) == ("ann", None)
    assert note in ann.note
    assert bob.source
    assert sorted(tmp_path.rglob("*")) == before


def test_many_members_of_a_zip_do_not_add_up(tmp_path):
    part = bytes(handed_in.LARGEST_FILE)
    files = list(handed_in.files(fill(tmp_path, {"ann.zip": packed({name: part for name in "abc"})})))
    assert [file.data is None for file in files] == [False, False, True]


@pytest.mark.parametrize("name", ["=cmd|' C calc'!A0", "<b>ann", "ann\x07\x1b[31m", " .ann", "a" * 180, "ann\udcff"])
def test_odd_names_of_students(name, tmp_path):
    folder = fill(tmp_path, {f"{name}/02.ipynb": notebook(), "bob/02.ipynb": notebook()})
    (student,) = {one.student for one in read(folder)} - {"bob"}
    student.encode()
    assert student.isprintable()
    assert not student.startswith(".") and "/" not in student and len(student) <= 100


def test_what_the_instructor_did_wrong_is_an_error(tmp_path):
    with pytest.raises(UserError, match="no folder or zip"):
        read(tmp_path / "nowhere")
    with pytest.raises(UserError, match="no lesson"):
        read(fill(tmp_path, {"ann/x.ipynb": notebook()}), "77")
    with pytest.raises(UserError, match="--lesson"):
        read(fill(tmp_path / "unknown", {"ann/x.ipynb": b"{"}))
    (tmp_path / "none").mkdir()
    assert read(tmp_path / "none") == []


def test_a_fault_of_the_grader_is_a_note_and_the_others_go_on(tmp_path, monkeypatch):
    read_text = intake.notebook_file.read

    def fail(text):
        if "eve was here" in text:
            raise MemoryError
        return read_text(text)

    monkeypatch.setattr(intake.notebook_file, "read", fail)
    eve = notebook(exercise(SOLUTION + "// eve was here"))
    found = {one.student: one for one in read(fill(tmp_path, {"eve/02.ipynb": eve, "bob/02.ipynb": notebook()}))}
    assert found["eve"].source is None and "could not read it (MemoryError)" in found["eve"].note
    assert found["bob"].source


@pytest.mark.parametrize("question", ["\ud800", "<b>", "", "x" * 100, ["q1"], 7])
def test_an_answer_to_no_question_of_a_course_is_none(question, tmp_path):
    cell = answer("q1", "words") | {"metadata": {"question": question}}
    assert one_file(tmp_path, notebook(exercise(), cell)).answers == {}


DEEP = "/".join("abcdefghijklmnop")


@pytest.mark.parametrize(
    "name, data, told",
    [
        (f"ann/05/{DEEP}/x.cu", SOLUTION.encode(), "ann/05/a/b/c/d/e/f/g/h/i/j/k/"),
        ("ann/05_register_1d.rar", b"Rar!", "ann/05_register_1d.rar"),
        ("ann/03_two_barriers.cu", load("03").solution.encode(), "ann/03_two_barriers.cu"),
        ("ann/03 \u200b.rar", b"Rar!", "ann/03 ⟨U+200B⟩.rar"),
    ],
    ids=["too deep", "an archive", "another lesson", "nothing to be seen"],
)
def test_where_nothing_counts_for_the_lesson_it_is_told_what_was_there(tmp_path, name, data, told):
    found = only(fill(tmp_path, {name: data}))
    assert found.source is None
    assert found.note == f"{NOTHING} {told}"


@pytest.mark.parametrize("ending", ["rar", "7z", "tar.gz", "tgz"])
def test_an_archive_is_named_beside_work_that_counts(tmp_path, ending):
    files = {"ann/02_tiled_fma.cu": SOLUTION.encode(), f"ann/more.{ending}": b"x", "ann/x.txt": b"x"}
    found = only(fill(tmp_path, files))
    assert found.source == SOLUTION
    assert found.note.startswith(f"ann/more.{ending}: it is an archive that is not looked into")
    assert "x.txt" not in found.note


@pytest.mark.parametrize(
    "names", [("ann", "ann\u200b"), ("ann", "ann "), ("ann", "\u2060ann"), ("a" * 150, "a" * 151), ("ann", "ann\u3164")]
)
def test_names_that_look_the_same_are_two_students(tmp_path, names):
    read_names = [one.student for one in read(fill(tmp_path, {f"{name}/02.cu": SOLUTION.encode() for name in names}))]
    assert len(set(read_names)) == 2
    assert all(name.isprintable() and name.strip() == name and len(name) <= 100 for name in read_names)
