"""`python -m grading` as an instructor uses it: a small real class, marks by hand, the page, what cannot be done."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from student_kernels import student_kernel

from gemmlab.course.lesson import load
from grading import run
from grading.__main__ import main
from grading.marking import hand_marks
from grading.reports.marks_server import MarksServer

LESSON = load("04")
HERE = Path(__file__).resolve().parents[1]
ANSWERS = {"explanation": "M and K, because A is M×K", "q1": "=1+1", "q2": "0 · NaN is NaN"}
EXPECTED = {
    "ann": ("passed", "2", "1", ""),
    "bob": ("failed", "2", "0", ""),
    "cid": ("unattempted", "0", "0", ""),
    "eve": ("unreadable", "0", "0", ""),
}


def notebook(kernel: str) -> str:
    """The lesson's notebook as a student saves it, with that kernel and ANSWERS."""
    book = json.loads((LESSON.root / "lessons" / f"{LESSON.name}.ipynb").read_text("utf-8"))
    for cell in book["cells"]:
        if cell["id"] == "exercise":
            cell["source"] = f"%%writefile ../kernels/{LESSON.name}.cu\n{kernel}"
        question = cell["metadata"].get("question")
        cell["source"] = ANSWERS.get(question, cell["source"])
    return json.dumps(book)


def grading(*arguments: object) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "grading", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=HERE.parent)


def rows(report: Path) -> dict[str, dict[str, str]]:
    with open(report / "grades.csv", newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """The arguments of `grade` for a small class that was graded once; the last one is the folder of reports."""
    folder = tmp_path_factory.mktemp("class")
    handed_in, secret = folder / "submissions", folder / "secret"
    race = student_kernel(f"{LESSON.name}/store_without_n").text
    texts = {"ann": notebook(LESSON.solution), "bob": notebook(race), "cid": notebook(LESSON.starter), "eve": "{nope"}
    for student, text in texts.items():
        (handed_in / student).mkdir(parents=True)
        (handed_in / student / f"{LESSON.name}.ipynb").write_text(text, "utf-8")
    secret.write_text("correct horse battery staple")
    secret.chmod(0o600)
    arguments = [handed_in, "--secret-file", secret, "--jobs", 2, "--lesson", "04", "--out", folder / "report"]
    done = grading("grade", *arguments)
    assert done.returncode == 0, done.stderr
    assert "04_ragged_edges" in done.stdout and "python -m grading marks" in done.stdout
    assert "4/4" in done.stderr and "Sandbox: keeps files" in done.stderr
    return arguments


def test_a_class_gets_its_marks_and_all_reports(batch):
    report = batch[-1]
    found = rows(report)
    assert set(found) == set(EXPECTED)
    for student, (status, code, boundary, veto) in EXPECTED.items():
        row = found[student]
        assert (row["status"], row["code"], row["boundary"]) == (status, code, boundary)
        assert row["veto"].startswith(veto) and bool(row["veto"]) == bool(veto)
        assert (report / row["feedback"]).is_file() and (report / "gradescope" / f"{student}.json").is_file()
    assert "not JSON" in found["eve"]["note"]
    assert found["ann"]["result"] == found["bob"]["result"] == "open" and found["cid"]["result"] == "failed"


def test_students_never_read_a_hidden_shape(batch):
    report = batch[-1]
    audit = [json.loads(line) for line in (report / "audit.jsonl").read_text().splitlines()]
    shapes = {word for one in audit for line in one["log"] for word in line.split() if word.count("×") == 2}
    assert shapes
    for path in [*(report / "feedback").iterdir(), *(report / "gradescope").iterdir(), report / "overview.html"]:
        text = path.read_text("utf-8")
        for shape in shapes:
            assert not {shape, shape.replace("×", ", "), shape.replace("×", "x")} & set(text.split())
            assert shape not in text


def test_marks_by_hand_are_taken_over_and_nothing_is_executed_again(batch):
    report = batch[-1]
    before = {path.name: path.stat().st_mtime_ns for path in (report / "state").iterdir() if path.name != "lock"}
    times = (report / "times.html").read_bytes()
    table = list(csv.DictReader(open(report / "hand_marks.csv", newline="", encoding="utf-8-sig")))
    given = {"explanation": "1", "q1": "1,5", "q2": "2", "q3": "0.5"}
    for row in table:
        if row["student"] == "ann":
            row["marks"] = given.get(row["item"], "")
        if (row["student"], row["item"]) == ("bob", "q1"):
            row["marks"] = "7"
    with open(report / "hand_marks.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]), delimiter=";")
        writer.writeheader()
        writer.writerows([*table, {"student": "zoe", "lesson": LESSON.name, "item": "q1", "marks": "2"}])
    done = grading("grade", *batch)
    assert done.returncode == 0, done.stderr
    assert "Sandbox" not in done.stderr
    assert "7 of 2 marks" in done.stdout and "zoe" in done.stdout
    found = rows(report)
    assert (found["ann"]["total"], found["ann"]["hand"], found["ann"]["result"]) == ("8", "5", "passed")
    assert found["bob"]["q1"] == "" and "7 of 2 marks" in found["bob"]["note"]
    after = {path.name: path.stat().st_mtime_ns for path in (report / "state").iterdir() if path.name != "lock"}
    assert after == before and (report / "times.html").read_bytes() == times
    kept = (report / "hand_marks.csv").read_text("utf-8")
    assert "zoe" in kept and "no such student" in kept and "'=1+1" in kept


def test_a_broken_file_of_marks_is_told_before_anything_is_done(batch, tmp_path):
    (tmp_path / hand_marks.FILE_NAME).write_text("no,marks\n1,2\n")
    done = grading("grade", *batch[:-1], tmp_path)
    assert done.returncode == 2 and "lacks some of the columns" in done.stderr
    assert (tmp_path / hand_marks.FILE_NAME).read_text() == "no,marks\n1,2\n"


# ---- what cannot be done


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["grade", "nowhere", "--out", "{}"], "no folder or zip"),
        (["grade", ".", "--out", "{}", "--lesson", "99"], "no lesson '99'"),
        (["grade", ".", "--out", "{}", "--jobs", "0"], "jobs"),
        (["grade", ".", "--out", "{}", "--backend", "tpu"], "backend"),
        (["grade", "."], "--out"),
        (["grade", ".", "--out", "{}", "--secret-file", "nowhere"], "secret"),
        (["marks", "{}"], "grade into it first"),
        (["enjoy"], "enjoy"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_exit_code_2(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(HERE.parent)
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path) if argument == "{}" else argument for argument in arguments])
    said = capsys.readouterr()
    assert ended.value.code == 2 and said.out == ""
    assert words in said.err and len(said.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "error, code, words",
    [(KeyboardInterrupt(), 130, "same command again"), (ZeroDivisionError("oops"), 3, "ZeroDivisionError: oops")],
)
def test_an_end_that_nobody_asked_for_has_its_own_code(error, code, words, tmp_path, monkeypatch, capsys):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(run, "grade", fail)
    monkeypatch.delenv("GEMMLAB_DEBUG", raising=False)
    with pytest.raises(SystemExit) as ended:
        main(["grade", ".", "--out", str(tmp_path)])
    assert ended.value.code == code and words in capsys.readouterr().err


def test_help_names_the_commands():
    done = grading("--help")
    assert done.returncode == 0 and {"grade", "marks", "release"} <= set(done.stdout.split())


# ---- the page


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MarksServer]:
    table = [
        {"row": hand_marks.row_id(student, LESSON.name, item), "student": student, "lesson": LESSON.name, "item": item,
         "of": of, "question": "`Why`?", "answer": answer}
        for student, answer in (("<b>ann", "<script>x</script>"), ("bob", ""))
        for item, of in (("q1", "2"), ("veto", ""))
    ]  # fmt: skip
    hand_marks.save(tmp_path, table)
    with MarksServer(tmp_path) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(url: str, body: object = None, **headers: str) -> tuple[int, str]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"} | headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_page_shows_answer_and_rubric_and_no_html_of_a_student(server):
    status, text = ask(server.url)
    assert status == 200
    assert "&lt;script&gt;x&lt;/script&gt;" in text and "<script>x" not in text and "<b>ann" not in text
    assert "both kinds of wrong slots" in text  # the rubric of q1
    assert "<code>Why</code>" in text and "1 without an answer" in text
    assert ask(f"{server.url}{LESSON.name}/veto")[0] == 200
    assert ask(f"{server.url}{LESSON.name}/q9")[0] == 404


@pytest.mark.parametrize("marks, problem", [("1.5", ""), ("3", "3 of 2"), ("x", "no number"), ("", "")])
def test_what_is_typed_is_saved_at_once(server, marks, problem):
    row = hand_marks.row_id("<b>ann", LESSON.name, "q1")
    status, text = ask(f"{server.url}mark", {"row": row, "marks": marks, "comment": "a\nb"})
    assert status == 200 and problem in json.loads(text)["problem"]
    assert bool(json.loads(text)["problem"]) == bool(problem)
    (saved,) = hand_marks.read(server.folder).rows_of("<b>ann", LESSON.name, "q1")
    assert (saved["marks"], saved["comment"], saved["answer"]) == (marks, "a b", "<script>x</script>")


def test_a_veto_needs_its_reason(server):
    row = hand_marks.row_id("bob", LESSON.name, "veto")
    assert "reason" in json.loads(ask(f"{server.url}mark", {"row": row, "marks": "1", "comment": ""})[1])["problem"]
    assert json.loads(ask(f"{server.url}mark", {"row": row, "marks": "", "comment": "made up"})[1])["problem"] == ""
    assert hand_marks.read(server.folder).veto_of("bob", LESSON.name).comment == "made up"


def test_others_can_neither_read_nor_write(server):
    row = hand_marks.row_id("bob", LESSON.name, "q1")
    body = {"row": row, "marks": "2", "comment": ""}
    root = server.url.removesuffix(f"{server.token}/")
    assert ask(root)[0] == ask(f"{root}guess/{LESSON.name}/q1")[0] == ask(f"{root}guess/mark", body)[0] == 403
    assert ask(server.url, Host="evil.example")[0] == 403
    assert ask(f"{server.url}mark", body, **{"Content-Type": "text/plain"})[0] == 403
    assert ask(f"{server.url}mark", {"row": "nobody", "marks": "2", "comment": ""})[0] == 400
    assert ask(f"{server.url}mark", [1])[0] == 400
    assert not any(one["marks"] for one in hand_marks.read(server.folder).rows)
