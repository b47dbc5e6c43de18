"""`make lab`: what it does at the first start, and what it does without a network at the second."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gemmlab.course.lesson import find_root

ROOT = find_root()


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with an environment that was installed just now."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    for name in ("bin/python", "installed-base", "installed-gpu"):
        (tmp_path / ".venv" / name).touch()
    return tmp_path


def commands(course: Path) -> str:
    """What `make lab` would do, without doing it."""
    done = subprocess.run(["make", "--dry-run", "lab"], cwd=course, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_second_start_asks_for_nothing_from_the_network(course):
    assert "pip" not in commands(course) and "-m jupyterlab" in commands(course)


def test_what_is_to_be_installed_is_looked_for_only_when_it_changed(course):
    for stamp in (course / ".venv").glob("installed-*"):
        os.utime(stamp, (1, 1))
    assert "-m pip install" in commands(course)


def test_jupyterlab_does_not_wait_for_the_emulator(course):
    *_, warm, lab = (line for line in commands(course).splitlines() if "-m gemmlab" in line or "-m jupyterlab" in line)
    assert warm.endswith("-m gemmlab.emulator.warm --beside") and "-m jupyterlab" in lab
