"""A notebook that was opened alone: an empty folder, the wheel and one .ipynb, and a Python without the course."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import nbformat
import pytest

from gemmlab.course.lesson import find_root, load_all

ROOT = find_root()
NAME = "02_tiled_fma"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    assert build(ROOT, out) == ""
    (built,) = out.glob("*.whl")
    return built


def build(root: Path, out: Path) -> str:
    """Builds a wheel of the course. Returns what went wrong."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


@pytest.fixture
def python(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A Python of its own, and an environment in which it has all packages of this one but the course's."""
    site = tmp_path / "site"
    site.mkdir()
    for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for path in Path(folder).iterdir():
            if "gemmlab" not in path.name:
                (site / path.name).symlink_to(path)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GEMMLAB_RO")}
    kept.pop("GEMMLAB_WORK", None)
    kept |= {
        "PYTHONPATH": str(site),
        "CUDA_VISIBLE_DEVICES": "-1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_COMPILE": "1",
    }
    return tmp_path / "venv/bin/python", kept


def execute(notebook: Path, python: tuple[Path, dict[str, str]]) -> list[tuple[str, str]]:
    """Runs all cells. Returns source and outputs of each that holds code."""
    program, environment = python
    subprocess.run(
        [program, "-c", "from nbclient.cli import main; main()", "--inplace", "--allow-errors", notebook.name],
        cwd=notebook.parent, env=environment, check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    cells = nbformat.read(notebook, as_version=4).cells
    return [(cell.source, str(cell.outputs)) for cell in cells if cell.cell_type == "code"]


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for an empty environment is made of links")
def test_all_cells_run(wheel, python, tmp_path):
    here = tmp_path / "content"
    here.mkdir()
    shutil.copy(ROOT / "lessons" / f"{NAME}.ipynb", here)
    shutil.copy(wheel, here)
    said = execute(here / f"{NAME}.ipynb", python)
    assert [text for text in said if "'error'" in text[1]] == []
    assert "runs in `gemm-course/lessons` from here on" in said[1][1]
    (check,) = [outputs for source, outputs in said if source == "lesson.check()"]
    assert "not attempted" in check and f"kernels/{NAME}.cu" in check
    assert sorted(path.name for path in here.iterdir()) == [f"{NAME}.ipynb", "gemm-course", wheel.name]
    assert (here / "gemm-course/kernels" / f"{NAME}.cu").is_file()


def test_without_the_wheel_it_is_asked_for(tmp_path, monkeypatch):
    first = next(
        cell for cell in nbformat.read(ROOT / f"lessons/{NAME}.ipynb", as_version=4).cells if cell.cell_type == "code"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(AssertionError, match="Put the course's wheel"):
        exec(first.source.replace("%pip", "raise RuntimeError #"), {})


def test_a_wheel_brings_the_lessons_along(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name.removeprefix("gemmlab/handed_out/") for name in archive.namelist() if "/handed_out/" in name}
    for lesson in load_all():
        assert {f"lessons/{lesson.name}.ipynb", f"lessons/.specs/{lesson.name}.md"} <= held
        for kernel in lesson.kernels:
            assert {f"kernels/{kernel.name}.cu", f"lessons/.starters/{kernel.name}.cu"} <= held
    assert {name.partition("/")[0] for name in held} == {"lessons", "kernels"}


def test_no_wheel_is_made_of_somebodys_work(tmp_path):
    root = tmp_path / "clone"
    ignored = shutil.ignore_patterns("__pycache__", ".work")
    for folder in ("lessons", "kernels", "gemmlab"):
        shutil.copytree(ROOT / folder, root / folder, ignore=ignored)
    shutil.copytree(ROOT / "solutions", root / "solutions", ignore=shutil.ignore_patterns("*.ipynb", ".work"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, root / name)
    path = root / "lessons" / f"{NAME}.ipynb"
    path.write_text(path.read_text("utf-8").replace("______;", "acc += 1;"), "utf-8")
    assert f"lessons/{NAME}.ipynb is not as it was built" in build(root, tmp_path / "out")
