"""The student bundle: what is in it, what is not, and that the course works from it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from gemmlab.course import blanks
from gemmlab.course.lesson import find_root, load, load_all
from gemmlab.emulator import shipped
from gemmlab.errors import UserError
from grading.hand_out.leaks import leaks
from grading.hand_out.release import TEXTS, release, without_marked

ROOT = find_root()
SECRET_ENOUGH = 24  # characters, without spaces; a shorter body, such as a barrier, is nobody's secret
BARE = {name: "# Hello\n" if name.endswith(".md") else "" for name in TEXTS}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "a bundle"
    release(out)
    return out


@pytest.fixture
def root(course: Path) -> Path:
    """A small course that can be released."""
    for name, text in BARE.items():
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        (course / name).write_text(text)
    (course / "gemmlab").mkdir()
    (course / "gemmlab/library.py").write_text("print('library')\n")
    return course


def suffixes(folder: Path) -> list[str]:
    return [path.suffix for path in folder.rglob("*") if path.is_file()]


def plain(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.fixture(scope="module")
def texts(bundle: Path) -> dict[str, str]:
    """All that can be read in each file, without spaces: as it stands, and as JSON's strings read."""
    found = {}
    for path in bundle.rglob("*"):
        if path.is_file():
            text = path.read_bytes().decode("utf-8", "replace")
            if path.suffix in (".ipynb", ".json"):
                text += "".join(strings(json.loads(text)))
            found[path.relative_to(bundle).as_posix()] = plain(text)
    return found


def strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in values for text in strings(item)]


def check(bundle: Path, library: Path, *arguments: str) -> dict:
    """`gemmlab check` in the bundle's kernels/, with the library in that place."""
    command = "import sys; from gemmlab.cli import main; sys.exit(main())"
    environment = {name: value for name, value in os.environ.items() if name not in ("GEMMLAB_ROOT", "GEMMLAB_WORK")}
    done = subprocess.run(
        [sys.executable, "-c", command, "check", *arguments, "--backend", "emulator", "--json"],
        cwd=bundle / "kernels",
        env=environment | {"PYTHONPATH": str(library)}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


# ---- what is in it


def test_it_holds_all_that_a_student_needs_and_no_more(bundle):
    shown = {".png", ".svg", ".md"}
    pictures = {path.name for path in bundle.iterdir() if path.is_dir() and set(suffixes(path)) <= shown}
    assert {path.name for path in bundle.iterdir()} - pictures == {
        "lessons", "kernels", "gemmlab", *(name.partition("/")[0] for name in BARE),
    }  # fmt: skip
    assert not [path for path in bundle.rglob("*") if path.suffix == ".pyc" or path.is_symlink()]
    for lesson in load_all():
        assert (bundle / f"lessons/{lesson.name}.ipynb").is_file()
        for kernel in lesson.kernels:
            assert (bundle / f"kernels/{kernel.name}.cu").read_text().strip() == kernel.starter.strip()
    assert (bundle.stat().st_mode & 0o777) == 0o755


def test_it_installs_and_offers_no_command_that_it_lacks_the_files_for(bundle):
    project = (bundle / "pyproject.toml").read_text()
    dependencies = re.search(r"dependencies = \[.*?\n\]", (ROOT / "pyproject.toml").read_text(), re.DOTALL)[0]
    assert dependencies in project and "grading" not in project and "pytest" not in project
    for target, there in (("lab", True), ("warm", True), ("test", False), ("lessons", False)):
        made = subprocess.run(["make", "-n", target], cwd=bundle, capture_output=True, text=True)
        assert ("-m " in made.stdout) == there, target
    assert "solutions" not in (bundle / "Makefile").read_text()
    readme = (bundle / "README.md").read_text()
    assert "make lab" in readme and "not in the student bundle" not in readme
    for word in ("make test", "solutions/", "grading/", "tests/", "CONTRIBUTING"):
        assert word not in readme, word


# ---- what is not


@pytest.mark.parametrize("lesson", load_all(), ids=lambda lesson: lesson.name)
def test_no_solution_is_in_it(bundle, texts, lesson):
    """Bodies that a later lesson begins with stand in that lesson's starter, on purpose; nowhere else."""
    for kernel in lesson.kernels:
        own = f"kernels/{kernel.name}.cu"
        assert [name for name, text in texts.items() if plain(kernel.solution) in text] == (
            []
            if kernel.blanks or kernel.whole
            else [name for name, text in texts.items() if plain(kernel.starter) in text]
        )
        if kernel.patient:
            assert texts[own] == plain(kernel.starter)
            continue
        assert [name for name, _ in blanks.open_blanks((bundle / own).read_text())] == [b.name for b in kernel.blanks]
        for blank in kernel.blanks:
            solved = plain(f"// TODO {blank.name}: {blank.todo}\n{blank.answer}")
            assert not [name for name, text in texts.items() if solved in text]
            if len(plain(blank.answer)) >= SECRET_ENOUGH:
                holders = {name for name, text in texts.items() if plain(blank.answer) in text}
                assert all(name.startswith(("lessons/", "kernels/")) for name in holders)


def test_no_file_that_is_seen_holds_the_answer_to_a_prediction(bundle, texts):
    """The lesson shows them after a prediction. Until then they lie in a folder that neither Jupyter nor `ls` shows."""
    assert not list(bundle.glob("lessons/*.md"))
    hidden = {name for name in texts if "/." in f"/{name}"}
    predictions = [one for lesson in load_all() for one in lesson.predictions]
    assert len(predictions) > 20
    for one in predictions:
        told = re.compile(rf"{re.escape(plain(one.text))}.{{0,40}}answer:{re.escape(f'{one.answer:.12g}')}")
        holders = {name for name, text in texts.items() if told.search(text)}
        assert len(holders) == 1 and holders <= hidden, one.id


def test_no_notebook_holds_an_output(bundle):
    for path in bundle.glob("lessons/*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        assert cells and not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def test_no_model_answer_and_no_rubric_is_in_it(texts):
    everything = "".join(texts.values())
    sentences = [
        sentence
        for path in (ROOT / "grading/answers").glob("*.md")
        for sentence in re.split(r"(?<=[.:?!])\s+|\n\n", path.read_text())
        if len(sentence) >= 40
    ]
    assert len(sentences) > 100
    assert not [sentence for sentence in sentences if plain(sentence) in everything]


def test_no_hidden_case_can_be_drawn_from_it(texts):
    """Neither the grader's code is there, nor a sentence that it has about them."""
    source = (ROOT / "grading/marking/cases.py").read_text()
    kinds = re.findall(r'^    "(.*?)": _', source, re.MULTILINE)
    assert len(kinds) > 15
    everything = "".join(texts.values())
    assert not [kind for kind in kinds if plain(f'"{kind}": _') in everything]
    assert not [
        path.name
        for path in (ROOT / "grading").glob("*.py")
        if plain(path.read_text())[:120] in everything and path.stat().st_size > 120
    ]


def test_the_bundle_is_looked_through_before_it_is_given_out(root, tmp_path):
    answer = "acc += A[row * K + k] * B[k * N + col];"
    (root / "gemmlab/library.py").write_text(f'SOLVED = """{answer}"""\n')
    with pytest.raises(UserError, match="gemmlab/library.py holds the solution of 02_small, blank fma"):
        release(tmp_path / "out", root)
    assert not (tmp_path / "out").exists() and not list(tmp_path.glob(".out*"))


@pytest.mark.parametrize(
    "place, content, told",
    [
        ("solutions/02_small.cu", "x", "does not belong"),
        ("kernels/02_small.cu", "SOLVED", "the solution of 02_small, blank row"),
        ("lessons/.starters/02_small.cu", "SOLVED", "the solved kernel"),
        ("gemmlab/data.json", '{"a": ["acc += A[row * K + k]", " * B[k * N + col];"]}', "blank fma"),
        ("gemmlab/__pycache__/x.pyc", b"\0\1acc += A[row * K + k] * B[k * N + col];\0", "blank fma"),
        ("lessons/02_small.ipynb", {"outputs": ["x"]}, "outputs of somebody's work"),
        ("lessons/02_small.ipynb", {"source": "SOLVED"}, "the solution of 02_small, blank fma"),
        ("README.md", "Why? Blocks of a grid run in any order at all, and nothing can change that.", "model answers"),
    ],
)
def test_each_kind_of_leak_is_seen(root, tmp_path, place, content, told):
    answers = root / "grading/answers"
    answers.mkdir(parents=True)
    answer = "- 1: Blocks of a grid run in any order at all,\n  and nothing can change that.\n"
    (answers / "02_small.md").write_text(answer)
    bundle = tmp_path / "out"
    release(bundle, root)
    assert leaks(bundle, root) == []
    solved = load("02", root).kernel.solution
    if isinstance(content, dict):
        notebook = json.loads((bundle / place).read_text())
        cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
        cell.update({key: solved if value == "SOLVED" else value for key, value in content.items()})
        content = json.dumps(notebook)
    data = content if isinstance(content, bytes) else content.replace("SOLVED", solved).encode()
    (bundle / place).parent.mkdir(parents=True, exist_ok=True)
    (bundle / place).write_bytes(data)
    assert any(told in sentence and place in sentence for sentence in leaks(bundle, root))


# ---- nor is it in a wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel of this course holds, unpacked."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(out / "unpacked")
    return out / "unpacked"


def test_a_wheel_is_the_library_alone_and_gives_no_answer(wheel):
    """What it holds of the lessons is in gemmlab/handed_out."""
    top = {path.name for path in wheel.iterdir()}
    assert "gemmlab" in top and all(name.startswith("gemmlab") for name in top)
    assert {path.parent.name for path in wheel.rglob("*.md")} <= {"recorded", ".specs"}
    ours = {path.relative_to(ROOT) for path in ROOT.glob("gemmlab/**/*.py")}
    assert {path.relative_to(wheel) for path in wheel.glob("gemmlab/**/*.py")} == ours
    bitcode = shipped.PATH.relative_to(ROOT)
    assert (wheel / bitcode).read_bytes() == (ROOT / bitcode).read_bytes()
    assert leaks(wheel, ROOT) == []


def test_an_answer_in_a_wheel_would_be_seen(wheel, tmp_path):
    shutil.copytree(wheel, tmp_path / "other")
    shutil.copy(ROOT / "grading/answers/02_tiled_fma.md", tmp_path / "other/gemmlab")
    shutil.copytree(ROOT / "grading/marking", tmp_path / "other/gemmlab/marking")
    shutil.copytree(ROOT / "solutions", tmp_path / "other/solutions")
    told = " ".join(leaks(tmp_path / "other", ROOT))
    for words in ("model answers in 02_tiled_fma", "holds grading/cases.py", "the solved kernel 03_two_barriers"):
        assert words in told


# ---- it works


def test_the_library_is_the_same(bundle):
    """So that the tests below may take the one whose emulator is compiled."""
    ours = {path.relative_to(ROOT): path.read_bytes() for path in ROOT.glob("gemmlab/**/*.py")}
    theirs = {path.relative_to(bundle): path.read_bytes() for path in bundle.glob("gemmlab/**/*.py")}
    assert len(ours) > 50 and theirs == ours


def test_an_open_kernel_is_unattempted_and_a_solved_one_passes(bundle, tmp_path):
    assert check(bundle, bundle, "02", "02_tiled_fma.cu")["status"] == "unattempted"
    assert check(bundle, bundle, "14/odd_tail", "14_claims_clinic/odd_tail.cu")["status"] == "unattempted"
    (tmp_path / "solved.cu").write_text(load("02").solution)
    assert check(bundle, ROOT, "02", str(tmp_path / "solved.cu"))["status"] == "passed"


def test_lesson_03_runs_and_its_last_hint_comes_with_the_solution(bundle, tmp_path):
    """All cells; then an attempt, the last hint without the solution's file, and with it."""
    from nbclient import NotebookClient

    course = tmp_path / "course"
    shutil.copytree(bundle, course, ignore=shutil.ignore_patterns("gemmlab"))
    notebook = nbformat.read(course / "lessons/03_two_barriers.ipynb", as_version=4)
    wrong = load("03").starter.replace(blanks.DEFAULT_STUB, "__syncwarp();")
    last = [
        "print(lesson.lesson.root)",
        f"%%writefile ../kernels/03_two_barriers.cu\n{wrong}",
        "lesson.check()",
        'lesson.hint("first_barrier", 4)',
        f"%%writefile ../solutions/03_two_barriers.cu\n{(ROOT / 'solutions/03_two_barriers.cu').read_text()}",
        'lesson = notebook.open("03")\nlesson.hint("first_barrier", 4)',
    ]
    notebook.cells += [nbformat.v4.new_code_cell(text) for text in last]
    (course / "solutions").mkdir()
    resources = {"metadata": {"path": str(course / "lessons")}}
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources)
    environment = {name: value for name, value in os.environ.items() if name not in ("GEMMLAB_ROOT", "GEMMLAB_WORK")}
    client.execute(env=environment | {"PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": "-1"})
    outputs = [str(cell.get("outputs")) for cell in notebook.cells]
    assert any("Not attempted" in text or "not attempted" in text for text in outputs[: -len(last)])
    root, _, verdict, without, _, shown = outputs[-len(last) :]
    assert str(course) in root
    assert "race" in verdict
    assert "ask your instructor" in without and "solutions/03_two_barriers.cu" in without
    assert "__syncthreads();" not in without and "__syncthreads();" in shown


# ---- writing it


def test_a_folder_that_holds_something_is_left_alone(root, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").write_text("mine")
    with pytest.raises(UserError, match="not empty"):
        release(tmp_path / "out", root)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]


def test_an_empty_folder_is_filled_and_missing_ones_are_made(root, tmp_path):
    (tmp_path / "out").mkdir()
    for out in (tmp_path / "out", tmp_path / "deep/er/out"):
        release(out, root)
        assert (out / "lessons/02_small.ipynb").is_file() and [path.name for path in out.parent.glob(".out*")] == []


def test_a_file_in_its_place_and_a_place_that_cannot_be_written_are_said(root, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="no folder"):
        release(tmp_path / "file", root)
    with pytest.raises(UserError, match="cannot write to"):
        release(tmp_path / "file/out", root)


def test_without_solutions_there_is_nothing_to_release(root, tmp_path):
    shutil.copytree(root / "lessons", tmp_path / "lessons")
    release(tmp_path / "out", root)
    for name, text in BARE.items():
        assert (tmp_path / "out" / name).read_text() == (text or "\n")
    with pytest.raises(UserError, match="solutions/02_small.cu is not on disk"):
        release(tmp_path / "again", tmp_path / "out")


def test_what_somebody_worked_in_is_not_released(root, tmp_path):
    (root / "kernels/02_small.cu").write_text(load("02", root).solution)
    (root / "lessons/02_small.ipynb").write_text("mine")
    (root / "gemmlab/.hidden").write_text("x")
    (root / "gemmlab/__pycache__").mkdir()
    (root / "gemmlab/__pycache__/library.pyc").write_bytes(b"x")
    release(tmp_path / "out", root)
    assert blanks.is_untouched((tmp_path / "out/kernels/02_small.cu").read_text())
    assert nbformat.read(tmp_path / "out/lessons/02_small.ipynb", as_version=4).cells
    assert [path.name for path in (tmp_path / "out/gemmlab").rglob("*")] == ["library.py"]


def test_pictures_of_the_readme_come_along(root, tmp_path):
    (root / "docs").mkdir()
    (root / "docs/check.png").write_bytes(b"png")
    (root / "README.md").write_text("![A check](docs/check.png) and [all](CONTRIBUTING.md) ![gone](docs/none.png)\n")
    (root / "CONTRIBUTING.md").write_text("x")
    release(tmp_path / "out", root)
    assert (tmp_path / "out/docs/check.png").read_bytes() == b"png"
    assert not (tmp_path / "out/CONTRIBUTING.md").exists()


@pytest.mark.parametrize("text", ["a\n# >>> not in the student bundle\nb", "# <<< not in the student bundle\nb"])
def test_a_mark_without_a_partner_is_said(text):
    with pytest.raises(UserError, match="partner"):
        without_marked(text, "Makefile")
