"""Batches: reports from good and bad submissions, kept results, interruptions, Dask, the secret.

A run that is killed at any point is in test_grading_class.py.
"""

from __future__ import annotations

import csv
import io
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import Future
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

import grading_stand_ins as stand_ins
from rich.console import Console
from student_kernels import student_kernel

from gemmlab.course.lesson import load
from gemmlab.errors import UserError
from grading.marking import secret
from grading.model import Judged
from grading.progress import Progress
from grading.sandbox import engine, worker
from grading.state import State, open_state

HERE = Path(__file__).resolve().parents[1]
KERNEL = load("02").kernel
CLASS = {
    "right": KERNEL.solution,
    "copied": KERNEL.solution,
    "open": KERNEL.starter,
    "race": student_kernel("02_tiled_fma/no_second_barrier").text,
    "wrong": student_kernel("02_tiled_fma/plus_for_times").text,
    "broken": "this is no CUDA",
    "endless": KERNEL.solution.replace("acc += As", 'for (;;) asm volatile(""); acc += As'),
    "crash": KERNEL.solution + f"__device__ int deep = {'(' * 50_000}1{')' * 50_000};\n",
}
STATUS = {
    "right": "passed", "copied": "passed", "open": "unattempted", "race": "failed", "wrong": "failed",
    "broken": "compile_error", "endless": "timeout", "crash": "compile_error",
}  # fmt: skip


TIMED = ("times.html", "audit.jsonl")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    return stand_ins.run_module(monkeypatch.setattr)


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    folder = tmp_path / "submissions"
    folder.mkdir()
    for student, text in CLASS.items():
        (folder / f"{student}.cu").write_text(text)
    return folder


@pytest.fixture
def secret_file(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("correct horse battery staple")
    path.chmod(0o600)
    return path


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that are executed, in order."""
    sources, execute = [], engine.execute

    def noted(job: worker.Job, insecure: bool) -> worker.Execution:
        sources.append(job.source)
        return execute(job, insecure)

    monkeypatch.setattr(engine, "execute", noted)
    return sources


def quiet() -> Progress:
    return Progress(Console(file=io.StringIO()))


def keep_only(handed_in: Path, *students: str) -> None:
    for path in handed_in.iterdir():
        if path.stem not in students:
            path.unlink()


def files(out: Path) -> dict[str, bytes]:
    """All reports but those that tell how long it took."""
    paths = [path for path in sorted(out.rglob("*")) if path.is_file() and path.parent.name != "state"]
    return {str(path.relative_to(out)): path.read_bytes() for path in paths if path.name not in TIMED}


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The reports of one run that nothing interrupted."""
    folder, out = tmp_path_factory.mktemp("submissions"), tmp_path_factory.mktemp("out")
    for student, text in CLASS.items():
        (folder / f"{student}.cu").write_text(text)
    path = tmp_path_factory.mktemp("secret") / "secret"
    path.write_text("correct horse battery staple")
    path.chmod(0o600)
    subprocess.run(command(folder, out, path), check=True, capture_output=True, timeout=600)
    return files(out)


def command(folder: Path, out: Path, secret_file: Path, *more: str) -> list[str]:
    return [sys.executable, str(HERE / "support/grading_stand_ins.py"), str(folder), str(out), str(secret_file), *more]


# ---- one run


def test_each_gets_what_is_due_and_nobody_ends_the_batch(reference):
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(reference["grades.csv"].decode()))}
    assert {student: row["status"] for student, row in rows.items()} == STATUS
    assert rows["right"]["total"] == rows["copied"]["total"] == "3"
    assert {student for student, row in rows.items() if row["total"] == "0"} >= {"open", "wrong", "broken", "crash"}
    assert {student for student, row in rows.items() if row["veto"]} == {"race"}


def test_equal_kernels_are_executed_once(run, handed_in, secret_file, tmp_path, executed):
    keep_only(handed_in, "right", "copied", "race", "broken")
    graded = run.grade(handed_in, tmp_path / "out", run.Options(secret_file=secret_file), quiet())
    assert len(executed) == len(set(executed)) == 3
    right, copied = (next(one for one in graded if one.student == name) for name in ("right", "copied"))
    assert right.key == copied.key and right.total == copied.total == 3


def test_hand_marks_are_merged_without_a_sandbox(run, handed_in, secret_file, tmp_path, monkeypatch, reference):
    out = tmp_path / "out"
    subprocess.run(command(handed_in, out, secret_file), check=True, capture_output=True, timeout=600)
    assert files(out) == reference
    monkeypatch.setattr(engine, "open_executor", None)
    marks = {"explanation": 0.5, "q1": 2, "q2": 2, "q3": 2}
    rows = [f"right,{KERNEL.name},{item},{value}" for item, value in marks.items()]
    (out / "hand_marks.csv").write_text("\n".join(["student,lesson,item,marks", *rows]))
    graded = run.grade(handed_in, out, run.Options(secret_file=secret_file), quiet())
    assert {one.student: one.total for one in graded}["right"] == 9.5
    assert {one.student: one.hand for one in graded}["copied"] is None


def test_what_changed_is_executed_again_and_nothing_else(run, handed_in, secret_file, tmp_path, executed):
    keep_only(handed_in, "right", "broken", "open")
    options, out = run.Options(secret_file=secret_file), tmp_path / "out"
    run.grade(handed_in, out, options, quiet())
    (handed_in / "broken.cu").write_text(CLASS["wrong"])
    executed.clear()
    graded = run.grade(handed_in, out, options, quiet())
    assert executed == [CLASS["wrong"]]
    assert {one.student: one.status for one in graded}["broken"] == "failed"
    secret_file.write_text("another secret, other cases")
    executed.clear()
    run.grade(handed_in, out, options, quiet())
    assert len(executed) == 2


def test_a_line_for_each_and_tricks_of_the_terminal_are_taken_out(run, handed_in, secret_file, tmp_path):
    keep_only(handed_in)
    (handed_in / "\x1b[2J[red]eve.cu").write_text(CLASS["open"])
    console = Console(file=io.StringIO(), width=200)
    run.grade(handed_in, tmp_path / "out", run.Options(secret_file=secret_file), Progress(console))
    assert console.file.getvalue().splitlines()[-1] == "1/1  [2J[red]eve, lesson 02: nothing to execute"


def test_no_submissions_is_said(run, secret_file, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="no submissions"):
        run.grade(tmp_path / "empty", tmp_path / "out", run.Options(secret_file=secret_file), quiet())


def test_an_unknown_backend_is_said(run, handed_in, secret_file, tmp_path):
    with pytest.raises(UserError, match="unknown backend"):
        run.grade(handed_in, tmp_path / "out", run.Options(secret_file=secret_file, backend="tpu"), quiet())


def test_an_unsafe_machine_is_refused_before_anything_is_executed(run, handed_in, secret_file, tmp_path, monkeypatch):
    from grading.sandbox.level import Level

    breached = Level(("limits",), None, ("read a file",))
    monkeypatch.setattr(engine, "level_of", lambda worker: breached)
    monkeypatch.setattr(engine, "_pool", engine._Pool())
    monkeypatch.setattr(worker.Worker, "run", None)
    with pytest.raises(UserError, match="--insecure"):
        run.grade(handed_in, tmp_path / "out", run.Options(secret_file=secret_file), quiet())
    assert not list((tmp_path / "out").glob("*.csv"))


# ---- interruptions


def heed_ctrl_c() -> None:
    """Whatever a shell that runs the tests in the background, without job control, made of the signal."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_ends_at_once_and_the_next_run_goes_on(handed_in, secret_file, tmp_path, reference):
    out = tmp_path / "out"
    process = subprocess.Popen(
        command(handed_in, out, secret_file), start_new_session=True, stderr=subprocess.PIPE, preexec_fn=heed_ctrl_c
    )
    while not list(out.glob("state/*.json")):
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode != 0 and not files(out)
    subprocess.run(command(handed_in, out, secret_file), check=True, capture_output=True, timeout=600)
    assert files(out) == reference


def test_a_lost_worker_costs_nobody_marks(run, handed_in, secret_file, tmp_path, monkeypatch):
    run_job, lost = worker.Worker.run, []

    def run_once_lost(self, job):
        if len(lost) < 2:
            lost.append(job)
            self.kill()
        return run_job(self, job)

    keep_only(handed_in, "right", "broken")
    monkeypatch.setattr(worker.Worker, "run", run_once_lost)
    graded = run.grade(handed_in, tmp_path / "out", run.Options(secret_file=secret_file, jobs=1), quiet())
    assert len(lost) == 2
    assert {one.student: one.status for one in graded} == {"broken": "compile_error", "right": "passed"}


def test_a_machine_that_only_loses_workers_gives_no_reports(run, handed_in, secret_file, tmp_path, monkeypatch):
    def lose(self, job):
        raise worker.WorkerLost("gone")

    monkeypatch.setattr(worker.Worker, "run", lose)
    with pytest.raises(UserError, match="give the same command again"):
        run.grade(handed_in, tmp_path / "out", run.Options(secret_file=secret_file, jobs=1), quiet())
    assert not files(tmp_path / "out")


def test_what_dask_says_of_its_own_dead_is_told(run):
    future: Future = Future()
    future.set_exception(RuntimeError("KilledWorker"))
    with pytest.raises(UserError, match="KilledWorker"):
        run._outcome(future)


# ---- state


def test_state_keeps_results_and_forgives_broken_files(tmp_path):
    judged = Judged("compile_error", note="no", log=("a", "b"), seconds=1.5)
    with open_state(tmp_path / "state") as state:
        state.put("key", judged)
    with open_state(tmp_path / "state") as state:
        assert state.get("key") == judged and state.get("other") is None
        for broken in ("", "{", "[]", '{"cases": 3}', '{"cases": [{"x": 1}], "log": []}'):
            (tmp_path / "state/key.json").write_text(broken)
            assert state.get("key") is None


def test_two_runs_at_once_are_refused(tmp_path):
    with open_state(tmp_path / "state"):
        with pytest.raises(UserError, match="another run"):
            with open_state(tmp_path / "state"):
                pass
    with open_state(tmp_path / "state") as state:
        assert isinstance(state, State)


def test_an_unwritable_folder_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write"):
        with open_state(tmp_path / "file" / "state"):
            pass


# ---- the secret


def test_the_first_secret_is_made_and_kept(tmp_path, monkeypatch):
    path = tmp_path / "config" / "grading-secret"
    monkeypatch.setattr(secret, "default_path", lambda: path)
    first = secret.load()
    assert first == secret.load() and len(first) == 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [path.name for path in path.parent.iterdir()] == ["grading-secret"]


@pytest.mark.parametrize(
    "text, mode, words",
    [("long enough by far", 0o644, "chmod 600"), ("short", 0o600, "shorter"), (None, 0, "cannot read")],
)
def test_a_bad_secret_is_refused(tmp_path, text, mode, words):
    path = tmp_path / "secret"
    if text:
        path.write_text(text)
        path.chmod(mode)
    with pytest.raises(UserError, match=words):
        secret.load(path)


def test_what_is_derived_depends_on_all_and_tells_nothing_of_the_secret():
    one = secret.derive(b"secret", "cases", 1)
    assert one == secret.derive(b"secret", "cases", 1) and len(one) == 32
    others = {
        secret.derive(b"secret", "cases", 2),
        secret.derive(b"other", "cases", 1),
        secret.derive(b"secret", "cases1"),
    }
    assert len(others) == 3 and one not in others


# ---- Dask


def test_a_dask_cluster_gives_the_same_reports(handed_in, secret_file, tmp_path, reference):
    distributed = pytest.importorskip("distributed", reason="not run: Dask is not installed")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster:
        out = tmp_path / "out"
        done = subprocess.run(
            command(handed_in, out, secret_file, cluster.scheduler_address), capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr
        assert files(out) == reference


def test_no_dask_scheduler_is_said(run, handed_in, secret_file, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="not run: Dask is not installed")
    client = distributed.Client
    monkeypatch.setattr(distributed, "Client", lambda address, timeout: client(address, timeout=1))
    options = run.Options(secret_file=secret_file, dask="tcp://127.0.0.1:9")
    with pytest.raises(UserError, match="no Dask scheduler"):
        run.grade(handed_in, tmp_path / "out", options, quiet())
