"""The emulator's machine code on disk: the same sources find it from anywhere, what is in use stays, and whatever
happens to a disk or a process on the way costs time at most."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from filelock import FileLock

from gemmlab.emulator import native, shipped, store, warm
from gemmlab.emulator.executor import EmulatorExecutor
from gemmlab.emulator.machine.state import FIELD_COUNT
from gemmlab.kernel.executor import Outcome
from gemmlab.kernel.launch import LaunchSpec

CODE = b"machine code"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch):
    """The sources at another place, an empty cache, and a compiler that needs no time."""
    shutil.copytree(store._MACHINE, tmp_path / "clone" / "machine")
    monkeypatch.setenv("GEMMLAB_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("GEMMLAB_SHARED_DIR", raising=False)
    monkeypatch.setattr(store, "_MACHINE", tmp_path / "clone" / "machine")
    monkeypatch.setattr(native, "load", lambda code: code)
    made: list[bytes] = []

    def make() -> bytes:
        made.append(CODE)
        return CODE

    monkeypatch.setattr(warm, "_machine_code", make)
    _forget()
    yield tmp_path, made
    _forget()


def _forget() -> None:
    for cached in (store.sources_digest, store._digest, warm.compiled_interpreter):
        cached.cache_clear()


def test_a_clone_finds_the_same_code(elsewhere, monkeypatch):
    clone = store.code_folder().name
    for path in store.compiled_sources()[:-2]:
        os.utime(path, (1, 1))
    _forget()
    assert store.code_folder().name == clone
    monkeypatch.undo()
    _forget()
    assert store.code_folder().name == clone


def test_another_text_is_other_code_and_has_none_that_the_course_brings(elsewhere):
    before = store.code_folder()
    assert shipped.is_fresh() and shipped.read()
    path = elsewhere[0] / "clone" / "machine" / "memory" / "loads.py"
    path.write_text(path.read_text() + "\n")
    _forget()
    assert store.code_folder() != before
    assert not shipped.is_fresh() and shipped.read() is None


def versions(count: int, age: float) -> list[Path]:
    """Machine code of other sources, last used so many seconds ago; the first is the one used last."""
    now = time.time()
    made = []
    for number in range(count):
        folder = store.code_folder().with_name(f"version-{age}-{number}")
        folder.mkdir(parents=True)
        (folder / store.CODE).write_text("code")
        os.utime(folder / store.CODE, (now - age - number,) * 2)
        made.append(folder)
    return made


def test_what_is_in_use_stays_however_much_there_is(elsewhere):
    store.keep(CODE)
    used, old = versions(12, age=60), versions(3, age=2 * 24 * 3600)
    store.forget_unused()
    assert all(folder.exists() for folder in used) and not any(folder.exists() for folder in old)
    assert store.load() == CODE


def test_a_few_stay_however_old_they_are(elsewhere):
    store.keep(CODE)
    old = versions(9, age=90 * 24 * 3600)
    store.forget_unused()
    assert [folder.exists() for folder in old] == [True] * 7 + [False] * 2


def test_a_clock_that_ran_backwards_takes_nothing_away(elsewhere):
    store.keep(CODE)
    future = versions(12, age=-30 * 24 * 3600)
    os.utime(store.code_folder() / store.CODE, (time.time() + 10**7,) * 2)
    store.forget_unused()
    assert all(folder.exists() for folder in future) and warm.compiled_interpreter() == CODE


def test_use_is_noted(elsewhere):
    store.keep(CODE)
    os.utime(store.code_folder() / store.CODE, (1, 1))
    assert warm.compiled_interpreter() == CODE
    assert time.time() - (store.code_folder() / store.CODE).stat().st_mtime < 60


def test_a_shared_folder_is_looked_at_first_and_nothing_is_written(elsewhere, monkeypatch):
    tmp_path, made = elsewhere
    store.keep(CODE)
    (tmp_path / "cache").rename(tmp_path / "shared")
    assert not store.is_ready()
    monkeypatch.setenv("GEMMLAB_SHARED_DIR", str(tmp_path / "shared"))
    monkeypatch.setattr(os, "utime", _refuse)  # as a file system that is mounted for reading does
    assert store.is_ready() and warm.compiled_interpreter() == CODE
    assert not made and not (tmp_path / "cache").exists()


def _refuse(*_args: object, **_more: object) -> None:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


@pytest.mark.parametrize("damage", [lambda code: code[:-1], lambda code: b"", lambda code: code.replace(b"m", b"n")])
def test_damaged_code_is_never_used_but_made_anew(elsewhere, damage):
    store.keep(CODE)
    path = store.code_folder() / store.CODE
    path.write_bytes(damage(path.read_bytes()))
    assert store.load() is None
    assert warm.compiled_interpreter() == CODE and store.load() == CODE


def test_one_compiles_and_others_wait_and_say_what_for(elsewhere):
    _tmp_path, made = elsewhere
    store.code_folder().mkdir(parents=True)
    said = []

    def wait() -> None:
        with warm.told(said.append, every=0.02):
            warm.compiled_interpreter()

    with FileLock(store.code_folder() / "compiling.lock"):
        warm._say("It is done elsewhere")
        waiting = threading.Thread(target=wait)
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive() and not made
        store.keep(CODE)
    waiting.join(10)
    assert not made and warm.compiled_interpreter() == CODE
    assert said[0] == "It is done elsewhere (0 s so far)." and said[-1] == ""


def test_a_killed_compile_costs_nothing_but_its_time(elsewhere):
    store.code_folder().mkdir(parents=True)
    script = (
        "import sys, time; from filelock import FileLock; from gemmlab.emulator import warm\n"
        f"with FileLock({str(store.code_folder() / 'compiling.lock')!r}): print('locked', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "locked\n"
        warm._say("It is on its way")
        assert warm.is_being_made() and warm.progress() == "It is on its way"
        process.send_signal(signal.SIGKILL)
    assert not warm.is_being_made() and warm.progress() is None
    assert warm.compiled_interpreter() == CODE and store.load() == CODE


def test_a_folder_that_cannot_be_written_is_told_and_no_hindrance(elsewhere, capsys):
    (elsewhere[0] / "cache").write_text("a file")
    assert warm.compiled_interpreter() == CODE
    said = capsys.readouterr().err
    assert "cannot be kept in" in said and "Set GEMMLAB_CACHE_DIR to a folder that you may write" in said
    assert warm.progress() is None and not warm.is_being_made()


def test_a_full_disk_is_told_and_leaves_no_half_of_a_file(elsewhere, capsys, monkeypatch):
    def full(*_args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert warm.compiled_interpreter() == CODE
    assert os.strerror(errno.ENOSPC) in capsys.readouterr().err
    assert {path.name for path in store.code_folder().iterdir()} <= {"compiling.lock"}


def test_nothing_is_started_beside_where_it_would_be_in_vain(elsewhere, monkeypatch):
    started = []
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **more: started.append(args))
    with FileLock(_made(store.code_folder()) / "compiling.lock"):
        warm.start_beside()
    assert not started
    warm.start_beside()
    assert len(started) == 1
    store.keep(CODE)
    warm.start_beside()
    assert len(started) == 1
    shutil.rmtree(elsewhere[0] / "cache")
    (elsewhere[0] / "cache").write_text("a file")
    warm.start_beside()
    assert len(started) == 1


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def test_the_time_of_a_launch_does_not_run_while_the_code_is_made(monkeypatch):
    """Each step of a plan gets what the steps before it left of the seconds."""
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(warm, "compiled_interpreter", lambda: clock.__setitem__(0, 1000.0))
    left = []
    executor = EmulatorExecutor(seconds=60)
    monkeypatch.setattr(executor, "_launch", lambda *args: left.append(args[-1].seconds) or Outcome(None, []))
    executor._run(None, LaunchSpec.parse("1", "1").at(1, 1, 1), SimpleNamespace(written=None), (1, 1, 1), None)
    assert left == [60.0]


# ---- what the course brings


def test_code_that_cannot_be_read_counts_as_missing(tmp_path, monkeypatch):
    whole = shipped.PATH.read_bytes()
    monkeypatch.setattr(shipped, "PATH", tmp_path / "bitcode")
    assert shipped.read() is None and shipped.header() == {}
    for damaged in (b"", b"{}", whole[:-9], whole[:300], whole.replace(b"sources", b"origins", 1)):
        shipped.PATH.write_bytes(damaged)
        assert shipped.read() is None


def test_an_older_llvm_falls_back_to_the_sources(monkeypatch):
    real = shipped.read()
    monkeypatch.setattr(shipped, "read", lambda: b"BC of another time")
    monkeypatch.setattr(shipped, "from_sources", lambda: real)
    monkeypatch.setattr(warm, "_say", lambda words: None)
    assert warm._machine_code().startswith((b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\x64\x86"))


def test_an_empty_cache_is_filled_beside_other_work(tmp_path, monkeypatch):
    """From the command that `make lab` gives to code that runs."""
    monkeypatch.setenv("GEMMLAB_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("GEMMLAB_SHARED_DIR", raising=False)
    subprocess.run([sys.executable, "-m", "gemmlab.emulator.warm", "--beside"], check=True, timeout=300)
    for _ in range(6000):
        if store.is_ready():
            break
        time.sleep(0.1)
    no_launch = np.zeros(FIELD_COUNT, np.int64)
    assert native.load(store.load())(no_launch.ctypes.data, np.zeros(0, np.int64)) == 0


def test_what_the_course_brings_is_what_its_sources_give():
    """Nobody can read it, so it is made once more."""
    said, here = shipped.header(), shipped.made_with()
    if {name: said[name] for name in here} != here:
        pytest.skip(f"not run: gemmlab/emulator/interpreter.bitcode was made with other versions than {here}")
    code = "import sys; from gemmlab.emulator import shipped; sys.stdout.buffer.write(shipped.from_sources())"
    assert subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE).stdout == shipped.read()
