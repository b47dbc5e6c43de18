"""The first grading on a machine that never ran the emulator: it is compiled, however long that takes, and says so."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path

import pytest
from rich.console import Console

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from gemmlab.compiler import cache
from gemmlab.course.lesson import find_root
from gemmlab.emulator import store, warm
from gemmlab.errors import UserError
from grading import progress
from grading.progress import Progress
from grading.sandbox import nursery, worker
from grading.sandbox.worker import Worker

HELLO = {"walls": ["limits"], "user": None}


@pytest.fixture
def cold(tmp_path: Path, monkeypatch) -> Path:
    """An empty cache: nothing of the emulator is on disk."""
    monkeypatch.setenv("GEMMLAB_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(store, "code_folder", lambda: cache.folder().parent / "emulator" / "these-sources")
    return tmp_path


def stand_in(folder: Path, *messages: object, ending: str = "control.recv(16)") -> tuple[str, ...]:
    """The command of a nursery that says just this; a string among the messages is a path that it waits for first."""
    script = folder / "nursery.py"
    script.write_text(
        "import json, os, socket, sys, time\n"
        "control = socket.socket(fileno=int(sys.argv[1]))\n"
        f"for message in {messages!r}:\n"
        "    while isinstance(message, str) and not os.path.exists(message): time.sleep(0.01)\n"
        "    if not isinstance(message, str): control.send(json.dumps(message).encode())\n"
        f"{ending}\n"
    )
    return (sys.executable, str(script))


def test_a_cold_nursery_tells_that_it_compiles_and_when_it_is_done(cold: Path, monkeypatch):
    compiled = []
    monkeypatch.setattr(warm, "compiled_interpreter", lambda: compiled.append(True))
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        nursery.compile_emulator(theirs)
        assert [json.loads(ours.recv(1 << 16)) for _ in range(2)] == [{"compiling": True}, {"compiling": False}]
    assert compiled == [True] and not store.is_ready()


def test_a_warm_nursery_says_nothing_of_it(cold: Path):
    store.code_folder().mkdir(parents=True)
    (store.code_folder() / store.CODE).touch()
    nursery.compile_emulator(None)


def test_no_clock_runs_while_the_emulator_is_compiled(tmp_path: Path, monkeypatch):
    bounds = []
    said = Worker._said
    monkeypatch.setattr(Worker, "_said", lambda self, seconds: bounds.append(seconds) or said(self, seconds))
    monkeypatch.setattr(worker, "NURSERY", stand_in(tmp_path, {"compiling": True}, {"compiling": False}, HELLO))
    place = Worker().greet()
    place.close()
    assert bounds == [worker.START_SECONDS, None, worker.START_SECONDS] and place.walls == ["limits"]


def test_a_nursery_that_ends_while_it_compiles_is_no_endless_wait(tmp_path: Path, monkeypatch):
    complaint = "sys.exit('LLVM is out of memory')"
    monkeypatch.setattr(worker, "NURSERY", stand_in(tmp_path, {"compiling": True}, ending=complaint))
    with pytest.raises(UserError, match="^the sandbox cannot be started: LLVM is out of memory$"):
        Worker().greet()


def test_a_nursery_that_does_not_get_on_is_told_in_a_sentence(tmp_path: Path, monkeypatch):
    never = str(tmp_path / "never")
    monkeypatch.setattr(worker, "START_SECONDS", 0.2)
    monkeypatch.setattr(worker, "NURSERY", stand_in(tmp_path, never))
    with pytest.raises(UserError, match="it was not ready 0.2 s after .* give the same command again"):
        Worker().greet()


class Slow(io.StringIO):
    """A console whose second line about the wait ends it."""

    def __init__(self, future: Future) -> None:
        super().__init__()
        self.future = future

    def write(self, text: str) -> int:
        written = super().write(text)
        if self.getvalue().count("so far") == 2 and not self.future.done():
            self.future.set_result("level")
        return written


def lines_of_a_slow_start(monkeypatch) -> list[str]:
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    future: Future = Future()
    console = Slow(future)
    Progress(Console(file=console, width=200)).start(future)
    assert future.result(timeout=0) == "level"
    return console.getvalue().splitlines()


def test_the_instructor_sees_that_the_emulator_is_compiled(cold: Path, monkeypatch):
    first, *others = lines_of_a_slow_start(monkeypatch)
    assert first.startswith("Compiling the emulator first. This happens once")
    assert len(others) == 2 and all(line.startswith("Still compiling the emulator: ") for line in others)


def test_the_instructor_sees_that_the_sandbox_starts(cold: Path, monkeypatch):
    store.code_folder().mkdir(parents=True)
    (store.code_folder() / store.CODE).touch()
    lines = lines_of_a_slow_start(monkeypatch)
    assert len(lines) == 2 and all(line.startswith("Still starting the sandbox: ") for line in lines)


# ---- behind the walls nothing can be imported any more

_LATER = """
import sys
from pathlib import Path
from grading.sandbox import child
from grading_imports import imports_of, is_module
child.prepare()
loaded = dict(sys.modules)
ours = [loaded[name].__file__ for name in sorted(loaded) if name.startswith(("gemmlab.", "grading."))]
found = {name for path in ours if path for name in imports_of(Path(path))}
there = {name for name in found if hasattr(loaded.get(name.rpartition(".")[0]), name.rpartition(".")[2])}
print(len(ours), *sorted(name for name in found - set(loaded) - there if is_module(name)))
"""


def test_a_child_needs_no_module_that_is_not_there(tmp_path: Path):
    """What a function of a loaded module imports when it is called is loaded as well; a GPU is none of a child's."""
    done = subprocess.run(
        [sys.executable, "-c", _LATER], capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(find_root()), str(find_root() / "tests/support")])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    count, *later = done.stdout.split()
    assert int(count) > 100
    assert [name for name in later if not name.startswith(("gemmlab.gpu", "cupy"))] == []


@pytest.mark.parametrize("command", [["-m", "grading", "level"], ["-m", "grading.level"]], ids="command module".split())
def test_either_way_to_ask_for_the_level_gives_it(command: list[str]):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Sandbox: keeps ") and "Children are" in done.stdout
