"""A whole class, graded in one run by the real command: right work, wrong work, attacks, and every sort of broken file.

Each student gets what is due and spoils nothing for the others; nothing outside of the sandbox is touched; and a run
that is killed at random points gives the same reports in the end.
"""

from __future__ import annotations

import contextlib
import html
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

import grading_class
from grading_class import Outside, Student

from gemmlab.course.lesson import find_root, load_all
from grading.intake import intake
from grading.marking import cases, csv_text

SECRET = "correct horse battery staple"
TIMED = ("times.html", "audit.jsonl")  # what differs from run to run
EVERYBODY = grading_class.students(Outside(Path("/bait"), Path("/canary"), 9))  # for their names
MOST_SECONDS = 900
KILLS = 2
TO_DO_AGAIN = 20  # results that a run that is killed has still to come to


@dataclass(frozen=True)
class Class:
    """The folders of one run. `temporary` is where its processes keep temporary files, and how they are known."""

    handed_in: Path
    out: Path
    secret: Path
    temporary: Path
    outside: Outside
    students: list[Student]

    def command(self, out: Path | None = None) -> subprocess.Popen:
        environment = os.environ | {"TMPDIR": str(self.temporary), "PYTHONPATH": str(find_root())}
        return subprocess.Popen(
            [sys.executable, "-m", "grading", "grade", self.handed_in, "--out", out or self.out,
             "--secret-file", self.secret, "--jobs", "2"],
            env=environment, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def processes(self) -> list[int]:
        """The processes of any run of this class that are alive."""
        return [int(path.name) for path in Path("/proc").glob("[0-9]*") if self._is_ours(path)]

    def _is_ours(self, process: Path) -> bool:
        with contextlib.suppress(OSError):
            return f"TMPDIR={self.temporary}".encode() in (process / "environ").read_bytes().split(b"\0")
        return False


@pytest.fixture(scope="module")
def listener() -> Iterator[socket.socket]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.setblocking(False)
        yield listening


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, listener: socket.socket) -> Class:
    """The class, and its reports from a run that nothing interrupted."""
    place = tmp_path_factory.mktemp("class")
    for name in ("bait", "temporary", "submissions"):
        (place / name).mkdir(mode=0o777)
    (place / "bait/bait.h").write_text(f"{grading_class.BAIT_WORDS} = 42\n")
    (place / "secret").write_text(SECRET)
    (place / "secret").chmod(0o600)
    outside = Outside(place / "bait/bait.h", place / "bait/canary", listener.getsockname()[1])
    students = grading_class.students(outside)
    made = Class(place / "submissions", place / "report", place / "secret", place / "temporary", outside, students)
    grading_class.write(made.handed_in, students)
    before = tree(made.handed_in)
    process = made.command()
    said, errors = process.communicate(timeout=MOST_SECONDS)
    assert process.returncode == 0, errors
    assert tree(made.handed_in) == before, "what was handed in is not touched"
    return made


def tree(folder: Path) -> dict[str, tuple]:
    """What is in the folder, of whatever kind, with sizes and times."""
    found = {}
    for path in sorted(folder.rglob("*")):
        what = path.lstat()
        found[str(path.relative_to(folder))] = (what.st_mode, what.st_size, what.st_mtime_ns)
    return found


def reports(out: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.parent.name != "state" and path.name not in TIMED
    }


@pytest.fixture(scope="module")
def rows(graded: Class) -> dict[tuple[str, str], dict[str, str]]:
    found = csv_text.read((graded.out / "grades.csv").read_bytes())
    assert len({(row["student"], row["lesson"]) for row in found}) == len(found)
    return {(row["student"], row["lesson"]): row for row in found}


# ---- each gets what is due


def test_it_is_a_class_of_everything():
    statuses = {student.due.status for student in EVERYBODY}
    assert statuses == {"passed", "failed", "compile_error", "unattempted", "timeout", "unreadable"}
    assert len(EVERYBODY) >= 200 and sum(bool(student.due.veto) for student in EVERYBODY) > 30


@pytest.mark.parametrize("number", range(len(EVERYBODY)), ids=lambda number: ascii(EVERYBODY[number].name)[:40])
def test_each_student_gets_what_is_due(graded, rows, number):
    student = graded.students[number]
    row = rows[student.name, student.lesson]
    assert grading_class.mismatches(student, row, (graded.out / row["feedback"]).read_text("utf-8")) == []


def test_a_difference_is_seen(graded, rows):
    """So that the test above can fail."""
    student = next(one for one in graded.students if one.name == "takes out a check")
    row = rows[student.name, student.lesson]
    page = (graded.out / row["feedback"]).read_text("utf-8")
    for change in ({"status": "passed"}, {"code": "1"}, {"boundary": "0"}, {"veto": ""}, {"veto": "x"},
                   {"result": "open"}):  # fmt: skip
        assert len(grading_class.mismatches(student, {**row, **change}, page)) == 1
    assert len(grading_class.mismatches(replace(student, unlike="taken out"), row, "")) == 1
    assert len(grading_class.mismatches(replace(student, unlike="taken out"), row, page)) == 1


def test_nobody_else_is_there(graded, rows):
    assert set(rows) == {(student.name, student.lesson) for student in graded.students}
    names = {row["feedback"] for row in rows.values()}
    assert len(names) == len({student.name for student in graded.students}), "a page of their own for each"
    assert {f"feedback/{path.name}" for path in (graded.out / "feedback").iterdir()} == names


# ---- nothing is told, nothing is touched


def test_no_page_tells_a_hidden_shape_or_a_file(graded):
    shapes = {case.shape for lesson in load_all() for kernel in lesson.kernels
              for case in cases.draw(kernel, SECRET.encode())}  # fmt: skip
    public = {case.shape for lesson in load_all() for kernel in lesson.kernels for case in kernel.cases}
    hidden = shapes - public
    assert len(hidden) > 100 and told_shapes("at M, N, K = {}, {}, {}".format(*min(hidden))) & hidden
    assert told_shapes("1 2×3×4") == {(1, 2, 3), (2, 3, 4)}
    products = public_products()
    for path in [*graded.out.glob("feedback/*"), *graded.out.glob("gradescope/*")]:
        text = path.read_text("utf-8")
        text = json.dumps(json.loads(text), ensure_ascii=False) if path.suffix == ".json" else text
        for words in products:
            text = text.replace(words, "")
        assert not told_shapes(text) & hidden, path
        assert grading_class.BAIT_WORDS not in text and str(graded.temporary) not in text, path


def told_shapes(text: str) -> set[tuple[int, ...]]:
    """Any three numbers that stand side by side."""
    found = re.finditer(r"(?<!\d)(\d{1,5})(?=\W{1,3}(\d{1,5})\W{1,3}(\d{1,5})(?!\d))", text)
    return {tuple(map(int, match.groups())) for match in found}


def public_products() -> set[str]:
    """The sentences of the lessons' rules, as pages have them. They stand in the lesson, where a product of tile sizes
    may by chance have the numbers of a hidden shape."""
    rules = {rule.says for lesson in load_all() for kernel in lesson.kernels for rule in kernel.rules}
    return {text for says in rules for text in (says, html.escape(says), json.dumps(says, ensure_ascii=False)[1:-1])}


def test_nothing_that_was_written_is_code_in_a_report(graded):
    for path in graded.out.rglob("*.html"):
        assert not re.search(r"<script(?! nonce)[^>]*>alert|<img[^>]*onerror", path.read_text("utf-8")), path
    for line in (graded.out / "grades.csv").read_text("utf-8").splitlines():
        assert not re.match(r'"?[=+@-]', line), line
    for path in graded.out.glob("gradescope/*.json"):
        assert json.loads(path.read_text("utf-8"))["output_format"] == "text"


def test_nothing_outside_is_touched(graded, listener):
    assert sorted(path.name for path in graded.outside.bait.parent.iterdir()) == ["bait.h"]
    assert graded.outside.bait.read_text() == f"{grading_class.BAIT_WORDS} = 42\n"
    assert not Path("/tmp/gemmlab-canary").exists()
    assert not list(graded.temporary.iterdir()), "no temporary file is left"
    with pytest.raises(BlockingIOError):
        listener.accept()
    known = {"grades.csv", "hand_marks.csv", "overview.html", "feedback", "gradescope", "state", *TIMED}
    assert {path.name for path in graded.out.iterdir()} == known
    assert {path.name for path in graded.handed_in.parent.iterdir()} >= {"submissions", "report", "bait", "secret"}


def test_no_process_is_left(graded):
    assert until(lambda: not graded.processes())


def until(holds: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


# ---- killed, and resumed


def test_killed_at_random_points_the_reports_are_the_same(graded, tmp_path):
    """From most of the results: killed while it starts, while kernels are executed and while reports are written, then
    let be."""
    seed = random.randrange(1 << 32)
    chance, out = random.Random(seed), tmp_path / "report"
    state = out / "state"
    state.mkdir(parents=True, mode=0o700)
    results = sorted(graded.out.glob("state/*.json"))
    for path in chance.sample(results, len(results) - TO_DO_AGAIN):
        shutil.copy(path, state)
    kill_when(graded, out, lambda: True, chance.uniform(0, 2))
    for _ in range(KILLS):
        known = len(list(state.glob("*.json")))
        more = min(known + chance.randrange(1, 6), len(results) - 1)
        kill_when(graded, out, lambda: len(list(state.glob("*.json"))) >= more, chance.uniform(0, 0.5))
        assert not (out / "grades.csv").exists(), seed
    kill_when(graded, out, (out / "hand_marks.csv").exists, chance.uniform(0, 0.3))
    process = graded.command(out)
    _, errors = process.communicate(timeout=MOST_SECONDS)
    assert process.returncode == 0, (seed, errors)
    ours, theirs = reports(out), reports(graded.out)
    assert ours.keys() == theirs.keys(), seed
    assert [name for name in theirs if ours[name] != theirs[name]] == [], seed
    assert {path.suffix for path in state.iterdir()} == {".json", ""}, "no draft is left, and there is the lock"


def kill_when(graded: Class, out: Path, due: Callable[[], bool], after: float) -> None:
    """Start a run, kill it with SIGKILL when that holds and a little later, and see that nothing of it lives on."""
    process = graded.command(out)
    try:
        assert until(lambda: due() or process.poll() is not None, MOST_SECONDS)
        time.sleep(after)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert until(lambda: not graded.processes()), "a run that was killed leaves processes behind"


# ---- the same class in another form


def test_a_zip_of_the_class_is_read_as_its_folder(graded, tmp_path):
    """What cannot be in a zip, such as a pipe, is left out of both; folders may be deeper in a zip."""
    folder = tmp_path / "folder"
    students = [student for student in graded.students if student.name != "many folders" and fits_a_zip(student)]
    assert len(graded.students) - len(students) < 15
    grading_class.write(folder, students)
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.write(path, path.relative_to(folder))
    found = intake.read(tmp_path / "class.zip")
    assert found == intake.read(folder) and len(found) > 190


def fits_a_zip(student: Student) -> bool:
    """Whether all that was handed in are files, with names that are text: a file system may keep other bytes."""
    names = "".join(student.files)
    return names == names.encode("utf-8", "ignore").decode() and not any(map(callable, student.files.values()))
