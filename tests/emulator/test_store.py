"""The emulator's machine code on disk: the same sources find it from anywhere, and what is in use stays."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock

from gemmlab.emulator import store, warm
from gemmlab.errors import UserError


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch):
    """The sources at another place, and an empty cache."""
    shutil.copytree(store._MACHINE, tmp_path / "clone" / "machine")
    monkeypatch.setenv("GEMMLAB_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(store, "_MACHINE", tmp_path / "clone" / "machine")
    store._digest.cache_clear()
    warm.compiled_interpreter.cache_clear()
    yield tmp_path
    store._digest.cache_clear()
    warm.compiled_interpreter.cache_clear()


def test_a_clone_finds_the_same_code(elsewhere: Path, monkeypatch):
    clone = store.code_folder().name
    for path in store.compiled_sources()[:-1]:
        os.utime(path, (1, 1))
    store._digest.cache_clear()
    assert store.code_folder().name == clone
    monkeypatch.undo()
    store._digest.cache_clear()
    assert store.code_folder().name == clone


def test_another_text_is_other_code(elsewhere: Path):
    before = store.code_folder()
    path = elsewhere / "clone" / "machine" / "memory" / "loads.py"
    path.write_text(path.read_text() + "\n")
    store._digest.cache_clear()
    assert store.code_folder() != before


def versions(count: int, age: float) -> list[Path]:
    """Machine code of other sources, last used so many seconds ago; the first is the one used last."""
    now = time.time()
    made = []
    for number in range(count):
        folder = store.code_folder().with_name(f"version-{age}-{number}")
        folder.mkdir(parents=True)
        (folder / "code").write_text("code")
        (folder / "ready").touch()
        os.utime(folder / "ready", (now - age - number,) * 2)
        made.append(folder)
    return made


def test_what_is_in_use_stays_however_much_there_is(elsewhere: Path):
    store.code_folder().mkdir(parents=True)
    used, old = versions(12, age=60), versions(3, age=2 * 24 * 3600)
    store.forget_unused()
    assert all(folder.exists() for folder in used) and not any(folder.exists() for folder in old)
    assert store.code_folder().exists()


def test_a_few_stay_however_old_they_are(elsewhere: Path):
    store.code_folder().mkdir(parents=True)
    old = versions(9, age=90 * 24 * 3600)
    store.forget_unused()
    assert [folder.exists() for folder in old] == [True] * 7 + [False] * 2


def test_use_is_noted(elsewhere: Path, monkeypatch):
    store.code_folder().mkdir(parents=True)
    store.mark_ready()
    os.utime(store.code_folder() / "ready", (1, 1))
    blocks = SimpleNamespace(run_blocks="machine code")
    monkeypatch.setitem(sys.modules, "gemmlab.emulator.machine.blocks", blocks)
    assert warm.compiled_interpreter() == "machine code"
    assert time.time() - (store.code_folder() / "ready").stat().st_mtime < 60


def test_one_compiles_and_others_wait(elsewhere: Path, monkeypatch):
    done: list[str] = []
    monkeypatch.setattr(warm, "_run_blocks", lambda: done.append("ours"))
    store.code_folder().mkdir(parents=True)
    with FileLock(store.code_folder() / "compiling.lock"):
        waiting = threading.Thread(target=warm.compiled_interpreter)
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive() and not done
        done.append("theirs")
    waiting.join(10)
    assert done == ["theirs", "ours"]


def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(elsewhere: Path, monkeypatch):
    (elsewhere / "cache").write_text("a file")
    with pytest.raises(UserError, match="cannot be kept in .*set GEMMLAB_CACHE_DIR to a folder that you may write"):
        warm.compiled_interpreter()
