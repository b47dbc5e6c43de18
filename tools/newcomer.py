"""Plays a newcomer: an empty folder, empty caches, and the way from `git clone` to JupyterLab's page, to the first
verdict and to the first grade. Prints the seconds and the seconds of processor time of each step, with those of
processes that go on in the background. It needs Linux, and no GPU takes part.

    python3 tools/newcomer.py                                  # this clone's last commit
    python3 tools/newcomer.py ADDRESS --pip-cache ~/.cache/pip  # downloads are not measured again
    python3 tools/newcomer.py --wheelhouse DIR                  # installs from this folder alone, without a network
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LESSON = "02_tiled_fma"
LONGEST_STEP = 3600  # seconds
_TICKS = os.sysconf("SC_CLK_TCK")
_PR_SET_CHILD_SUBREAPER = 36


class StepFailed(Exception):
    """A step did not come to its end. The text is the end of what it said."""


@dataclass
class Clock:
    """Where the time goes: a row for each step, with its own seconds and the processor's seconds."""

    rows: list[tuple[str, float, float]] = field(default_factory=list)
    wall: float = field(default_factory=time.perf_counter)
    processor: float = field(default_factory=lambda: processor_seconds())

    def stop(self, step: str) -> None:
        wall, processor = time.perf_counter(), processor_seconds()
        self.rows.append((step, wall - self.wall, processor - self.processor))
        self.wall, self.processor = wall, processor

    def table(self) -> str:
        lines = [f"{'step':<46}{'s':>8}{'from start':>12}{'processor s':>13}{'from start':>12}"]
        wall = processor = 0.0
        for step, seconds, worked in self.rows:
            wall, processor = wall + seconds, processor + worked
            lines.append(f"{step:<46}{seconds:>8.1f}{wall:>12.1f}{worked:>13.1f}{processor:>12.1f}")
        installed, verdict = self.rows[1], self.rows[3]
        between = [row for row in self.rows if row in (self.rows[2], verdict)]
        lines.append(
            f"From '{installed[0]}' to '{verdict[0]}': {sum(row[1] for row in between):.1f} s, "
            f"{sum(row[2] for row in between):.1f} s of processor time"
        )
        return "\n".join(lines)


def adopt_orphans() -> None:
    """Processes that detach themselves become children of this one, so that what they use is counted and they end."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def processor_seconds() -> float:
    """What all descendants have used so far: those that ended and those that run."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime + sum(used for _, used in descendants())


def descendants() -> Iterator[tuple[int, float]]:
    """Process id and seconds of processor time, its ended children's among them, of each descendant that runs."""
    parents, used = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            pid = int(path.parent.name)
            parents[pid], used[pid] = int(fields[1]), sum(map(int, fields[11:15])) / _TICKS
    for pid in parents:
        above = parents[pid]
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid():
            yield pid, used[pid]


@dataclass(frozen=True)
class Newcomer:
    """The folder that everything lies in, and the environment of whatever is started."""

    folder: Path
    environment: dict[str, str]

    @property
    def course(self) -> Path:
        return self.folder / "course"

    def start(self, name: str, *command: str | Path, cwd: Path | None = None) -> subprocess.Popen[bytes]:
        with open(self.log(name), "wb") as log:
            return subprocess.Popen(
                [str(part) for part in command],
                cwd=cwd or self.course,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def do(self, name: str, *command: str | Path, cwd: Path | None = None) -> None:
        """Run it to its end. Raises StepFailed where its exit code is not 0."""
        code = self.start(name, *command, cwd=cwd).wait(LONGEST_STEP)
        if code:
            raise StepFailed(f"'{name}' ended with {code}:\n{self.said(name)}")

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def said(self, name: str) -> str:
        return self.log(name).read_text("utf-8", "replace")[-3000:]


def newcomer_in(folder: Path, pip_cache: Path | None, wheelhouse: Path | None) -> Newcomer:
    """Somebody who has nothing yet: every cache and every setting of Jupyter and the course lies in the folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GEMMLAB_", "VIRTUAL_ENV"))}
    own = {
        name: str(folder / "home" / name.lower())
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "IPYTHONDIR", "MPLCONFIGDIR")
        + ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "PIP_CACHE_DIR")
    }
    own["CUDA_VISIBLE_DEVICES"] = "-1"
    if pip_cache:
        own["PIP_CACHE_DIR"] = str(pip_cache.resolve())
    if wheelhouse:
        own |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheelhouse.resolve())}
    return Newcomer(folder, kept | own)


def play(newcomer: Newcomer, address: str, python: str) -> Clock:
    """All steps, one after another. The server of the page runs on until the last of them, as a newcomer's does."""
    clock = Clock()
    newcomer.do("clone", "git", "clone", "--quiet", address, newcomer.course, cwd=newcomer.folder)
    clock.stop("git clone")
    newcomer.do("install", "make", ".venv/installed-base", f"PYTHON={python}")
    clock.stop("pip install")
    server = newcomer.start("lab", "make", "lab", f"PORT={free_port()}", "BROWSER=no", f"PYTHON={python}")
    wait_for_page(newcomer, server)
    clock.stop("make lab: JupyterLab's page")
    own = newcomer.course / ".venv" / "bin"
    solved = newcomer.course / "solutions" / f"{LESSON}.cu"
    newcomer.do("check", own / "gemmlab", "check", LESSON[:2], solved, "--backend", "emulator")
    clock.stop(f"gemmlab check {LESSON[:2]}: the first verdict")
    newcomer.do("check again", own / "gemmlab", "check", LESSON[:2], solved, "--backend", "emulator")
    clock.stop("gemmlab check once more")
    grade(newcomer, solved)
    clock.stop("python -m grading grade: the first grade")
    return clock


def grade(newcomer: Newcomer, solved: Path) -> None:
    """One student's submission, with a secret of its own. Raises StepFailed where it did not pass."""
    handed_in = newcomer.folder / "handed-in"
    handed_in.mkdir()
    shutil.copy(solved, handed_in / f"ada_{LESSON}.cu")
    secret = newcomer.folder / "secret"
    secret.write_text("a newcomer's secret, long enough\n" * 4)
    secret.chmod(0o600)
    report = newcomer.folder / "report"
    python = newcomer.course / ".venv" / "bin" / "python"
    newcomer.do(
        "grade", python, "-m", "grading", "grade", handed_in, "--out", report, "--lesson", LESSON[:2],
        "--secret-file", secret,
    )  # fmt: skip
    rows = (report / "grades.csv").read_text("utf-8")
    if "passed" not in rows:
        raise StepFailed(f"the solution got no 'passed':\n{rows}\n{newcomer.said('grade')}")


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def wait_for_page(newcomer: Newcomer, server: subprocess.Popen[bytes]) -> None:
    """Until JupyterLab's page is served, at the address that the server prints."""
    deadline = time.monotonic() + LONGEST_STEP
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise StepFailed(f"'make lab' ended with {server.returncode}:\n{newcomer.said('lab')}")
        if (address := _address(newcomer.said("lab"))) and _shows_lab(address):
            return
        time.sleep(0.2)
    raise StepFailed(f"no page came:\n{newcomer.said('lab')}")


def _address(text: str) -> str | None:
    words = (word.strip() for word in text.split())
    return next((word for word in words if word.startswith("http://127.0.0.1:") and "token=" in word), None)


def _shows_lab(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=30) as page:
            return b"jupyter-config-data" in page.read()
    except (urllib.error.URLError, OSError):
        return False


def end_all() -> None:
    """End whatever still runs, those that detached themselves too, and wait for it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + 10
        while (running := [pid for pid, _ in descendants()]) and time.monotonic() < until:
            for pid in running:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            time.sleep(0.1)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", nargs="?", default=str(ROOT), help="what git clones (default: this clone)")
    parser.add_argument("--pip-cache", type=Path, help="a cache of pip's that is filled already")
    parser.add_argument("--wheelhouse", type=Path, help="a folder of wheels to install from, without a network")
    parser.add_argument("--python", default=sys.executable, help="the Python of the new environment")
    parser.add_argument("--folder", type=Path, help="where to play (default: a temporary folder, deleted at the end)")
    options = parser.parse_args(arguments)
    adopt_orphans()
    with contextlib.ExitStack() as stack:
        folder = options.folder
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="newcomer-")))
        elif folder.exists() and any(folder.iterdir()):
            parser.error(f"{folder} is not empty")
        folder.mkdir(parents=True, exist_ok=True)
        stack.callback(end_all)
        try:
            newcomer = newcomer_in(folder.resolve(), options.pip_cache, options.wheelhouse)
            clock = play(newcomer, options.address, options.python)
        except StepFailed as reason:
            print(reason, file=sys.stderr)
            return 1
        print(clock.table())
        return 0


if __name__ == "__main__":
    sys.exit(main())
