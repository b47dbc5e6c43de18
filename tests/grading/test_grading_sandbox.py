"""The sandbox attacked from inside, on this machine and on ones that lack walls; hostile kernels; hostile children."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from student_kernels import StudentKernel, student_kernel, student_kernels

from gemmlab.check.check import check_source
from gemmlab.compiler.cache import folder as cache_folder
from gemmlab.course.lesson import load
from gemmlab.errors import UserError
from grading.marking.judge import judge
from grading.marking.sentences import HOLDS_ALWAYS
from grading.model import HiddenCase, Job
from grading.sandbox import attacks, level, wire, worker
from grading.sandbox.worker import Worker

ROOT = Path(__file__).resolve().parents[2]
LESSON = load("02")
KERNEL = replace(LESSON.kernel, rules=())  # a naive kernel may pass here
CASES = (
    HiddenCase("whole tiles", "ordinary", (32, 16, 32), "random", 1),
    HiddenCase("ragged", "boundary", (19, 33, 7), "structured", 2),
)
HEAD = 'extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)'
STUDENTS = student_kernels("02_tiled_fma")


def kernel(body: str, before: str = "") -> Job:
    return Job(KERNEL, f"{before}\n{HEAD}\n{{\n{body}\n}}\n", CASES)


RIGHT = Job(KERNEL, KERNEL.solution, CASES)


@pytest.fixture(scope="module")
def place():
    worker = Worker().greet()
    yield worker
    worker.close()


@pytest.fixture
def attacked(place: Worker):
    """Runs a job and gives what was judged. Afterwards a right kernel must still pass, as if nothing had been."""
    yield lambda job: judge(job, place.run(job))
    again = judge(RIGHT, place.run(RIGHT))
    assert again.status == "passed" and again.holds == HOLDS_ALWAYS()


# ---- the walls


def python(code: str, **more) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more.pop("env", {})}
    return subprocess.run(
        [more.pop("program", sys.executable), "-c", code], env=environment, capture_output=True, text=True, timeout=300,
        **more,
    )  # fmt: skip


def attacks_behind(wall: str) -> set[str]:
    """The attacks that get through where only this wall stands, given as Python."""
    with level._targets() as (targets, decoy):
        code = (
            "import json, sys\nfrom grading.sandbox import attacks, landlock, linux, sandbox, seccomp\n"
            f"attacks.LINGER = 1\nlinux.forbid_new_privileges()\n{wall}\n"
            f"print(json.dumps(attacks.try_all(**{targets!r})))"
        )
        done = python(code)
        assert done.returncode == 0, done.stderr
        found = set(json.loads(done.stdout))
        time.sleep(0.1)
        return found if level._was_hit(decoy) else found - {"signal a process outside"}


def test_every_attack_succeeds_where_there_is_no_wall():
    assert attacks_behind("") == {name for names in level._BREACHES.values() for name in names}


def test_landlock_alone_keeps_the_files():
    found = attacks_behind("landlock.restrict([sys.prefix])")
    assert not found & set(level._BREACHES["files"]) and "send by UDP" in found


def test_seccomp_alone_keeps_network_and_processes():
    found = attacks_behind("seccomp.restrict()")
    assert not found & {*level._BREACHES["network"], *level._BREACHES["processes"]} and "read a file" in found


def test_limits_alone_keep_memory_and_file_sizes():
    assert not attacks_behind("sandbox._limit()") & {"take more memory than allowed", "write a file"}


def expected_missing(walls: tuple[str, ...]) -> tuple[str, ...]:
    """What cannot be kept by these walls, by sandbox.py's own account."""
    needed = {
        "files": {"Landlock", "own root"},
        "network": {"namespaces", "seccomp"},
        "processes": {"namespaces", "seccomp"},
        "limits": {"limits"},
    }
    return tuple(name for name, either in needed.items() if not either & set(walls))


def test_the_level_of_this_machine_is_what_its_walls_promise(place: Worker):
    found = level.level_of(place)
    assert found.missing == expected_missing(found.walls)
    assert os.geteuid() != 0 or "Landlock" not in found.walls or found.user or not os.access(sys.prefix, os.R_OK)


@pytest.mark.parametrize("lacking", [["unshare"], ["landlock_create_ruleset", "unshare"]], ids="+".join)
def test_a_machine_that_lacks_walls_says_so_and_refuses(lacking: list[str]):
    """A filter in front of the whole program stands in for a container or kernel that does not allow these calls."""
    code = (
        "from gemmlab.errors import UserError\n"
        "from grading.sandbox.level import level\nfrom grading.sandbox import linux, seccomp\n"
        f"linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)\nseccomp.refuse({lacking})\n"
        "found = level()\nprint(found)\nfound.check(insecure=True)\nprint(','.join(found.walls))\n"
        "try: found.check(insecure=False)\nexcept UserError as error: print('refused:', error)\nelse: print('accepted')"
    )
    done = python(code)
    assert done.returncode == 0, done.stderr
    *text, walls, verdict = done.stdout.splitlines()
    missing = expected_missing(tuple(walls.split(",")))
    assert not {"namespaces", "own root"} & set(walls.split(","))
    assert verdict.startswith("refused:") == bool(missing)
    assert all(name in verdict for name in missing)
    assert ("NOT" in "".join(text)) == bool(missing)


def test_as_another_user_than_root():
    """The same from an ordinary account, with a cache of its own."""
    from gemmlab.emulator.store import code_folder
    from gemmlab.emulator.warm import compiled_interpreter

    if os.geteuid() != 0:
        pytest.skip("not run: the tests' user is not root, so that the other tests show it")
    account = {"user": 65534, "group": 65534, "extra_groups": []}
    try:
        python("", **account)
    except PermissionError:
        pytest.skip(f"not run: other users cannot use {sys.executable}")
    compiled_interpreter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:  # pytest's own are closed to others
        shutil.copytree(code_folder(), Path(home, "emulator", code_folder().name))
        for path in (Path(home), *Path(home).rglob("*")):
            os.chown(path, 65534, 65534)
        code = (
            "from grading.sandbox.level import level\n"
            "found = level(); print(','.join(found.missing)); print(*found.walls)"
        )
        done = python(code, **account, env={"GEMMLAB_CACHE_DIR": home})
    assert done.returncode == 0, done.stderr
    missing, walls = done.stdout.splitlines()
    assert expected_missing(tuple(walls.split(" "))) == tuple(filter(None, missing.split(",")))


def test_a_child_knows_neither_the_environment_nor_the_solution_nor_a_seed(place: Worker, monkeypatch):
    sent = []
    send = wire.send
    monkeypatch.setattr(wire, "send", lambda channel, message, *data, **more: (
        sent.append(json.dumps(message).encode() + b"".join(data)), send(channel, message, *data, **more)))  # fmt: skip
    monkeypatch.setenv("GRADING_PASSWORD", "hunter2")
    case = HiddenCase("x", "ordinary", (16, 16, 16), "random", 918273645)
    assert place.run(Job(KERNEL, f"{HEAD} {{}}", (case,))).cases
    everything = b"".join(sent)
    assert not [form for form in (b"918273645", (918273645).to_bytes(4, "little")) if form in everything]
    assert str(KERNEL.blanks[0].answer).encode() not in everything
    assert "GRADING_PASSWORD" not in worker._environment()


def test_nothing_is_written_into_the_caches(tmp_path: Path, monkeypatch):
    (tmp_path / "emulator").symlink_to(cache_folder().parent / "emulator")
    monkeypatch.setenv("GEMMLAB_CACHE_DIR", str(tmp_path))
    place = Worker().greet()
    try:
        before = sorted(path.name for path in (tmp_path / "compile").iterdir())
        assert judge(RIGHT, place.run(RIGHT)).status == "passed"
        assert before and before == sorted(path.name for path in (tmp_path / "compile").iterdir())
    finally:
        place.close()


def test_everything_ends_with_the_grader():
    code = (
        "import time\nfrom grading.sandbox.worker import Worker\n"
        "worker = Worker().greet(); channel = worker.open()\nprint(worker._process.pid, flush=True)\ntime.sleep(300)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    grader = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
    nursery = int(grader.stdout.readline())
    assert members(nursery)
    grader.kill()
    grader.communicate()
    assert eventually(lambda: not members(nursery))


def members(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def eventually(condition) -> bool:
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.05)
    return False


# ---- hostile kernels


@pytest.fixture
def hidden(tmp_path: Path) -> Path:
    path = tmp_path / "hidden.txt"
    path.write_text("the_hidden_words = 42\n")
    return path


@pytest.mark.parametrize(
    "before, body",
    [
        ('#include "{path}"', ""),
        ('#define P "{path}"\n#include P', ""),
        ("#define P <{path}>\n#include P", ""),
        ("", 'asm(".incbin \\"{path}\\"");'),
        ("", 'asm(".file 1 \\"{path}\\"");'),
        ('#line 1 "{path}"\n#error look', ""),
    ],
    ids="absolute macro angle incbin file line".split(),
)
def test_hidden_files_are_not_shown(attacked, hidden: Path, before: str, body: str):
    found = attacked(kernel(body.replace("{path}", str(hidden)), before.replace("{path}", str(hidden))))
    assert found.status == "compile_error" and found.note
    assert "the_hidden_words" not in found.note + str(found.log)


def test_whether_a_hidden_file_exists_is_not_told(attacked, place: Worker, hidden: Path):
    if "own root" not in place.walls:
        pytest.skip("not run: this machine does not let the sandbox have a file system of its own")
    found = attacked(kernel("", f"#define P <{hidden}>\n#if __has_include(P)\n#error yes\n#else\n#error no\n#endif"))
    assert "#error directive: no" in found.note


def test_host_code_is_never_run(attacked, tmp_path: Path):
    trace = tmp_path / "trace"
    command = f'std::system("touch {trace}")'
    host = f"struct Early {{ Early() {{ {command}; }} }} early;\nint fork();\nint main() {{ for (;;) fork(); }}\n"
    host += f"static int late = {command};\n__attribute__((constructor)) void first() {{ {command}; }}\n"
    found = attacked(Job(KERNEL, f"#include <cstdlib>\n{host}{KERNEL.solution}", CASES))
    assert found.status in ("passed", "compile_error") and not trace.exists()


@pytest.mark.parametrize("body", ['for (;;) asm volatile("");', "for (;;) __syncthreads();", "while (C[0] != 1.0f) ;"])
def test_endless_loops_end(attacked, monkeypatch, body: str):
    found = attacked(kernel(body))
    assert found.status in ("timeout", "failed") and not any(mark.ok for mark in found.cases)
    assert found.cases[0].message and "not run" in found.cases[1].message


def test_a_compiler_that_never_ends_is_stopped(attacked, monkeypatch):
    monkeypatch.setattr(worker, "COMPILE_SECONDS", 2)
    bomb = "".join(f"#define A{n + 1} {','.join([f'A{n}'] * 10)}\n" for n in range(9))
    found = attacked(kernel("int y[] = {A9};", f"#define A0 1\n{bomb}"))
    assert found.status == "timeout" and "too long" in found.note


def test_a_compiler_that_crashes_is_no_pass(attacked):
    found = attacked(kernel(f"C[0] = {'(' * 50_000}1{')' * 50_000};"))
    assert found.status == "compile_error" and found.note


@pytest.mark.parametrize(
    "before, body",
    [
        ("", "volatile float x[1 << 26]; x[K] = 1; C[0] = x[M];"),
        ("__device__ float x[1 << 29];", "x[threadIdx.x] = 1; C[0] = x[0];"),
        ("__device__ float x[1 << 26] = {1};", "C[0] = x[0];"),
    ],
    ids="local global initialised".split(),
)
def test_memory_has_an_end(attacked, monkeypatch, before: str, body: str):
    monkeypatch.setattr(worker, "COMPILE_SECONDS", 4)
    found = attacked(kernel(body, before))
    assert found.status != "passed" and not any(mark.ok for mark in found.cases)


def test_giant_messages_are_cut(attacked):
    found = attacked(kernel("", "#error " + "<script>" * 50_000))
    assert found.status == "compile_error" and len(found.note) < 1000


@pytest.mark.parametrize(
    "store",
    ["__int_as_float(0x7fffffff)", "__int_as_float(0x7f800000)", "0", "1e30f", "C[row * N + col]", "M == 32 ? acc : 0"],
    ids="nan infinity zero huge stale hard_coded".split(),
)
def test_what_is_no_product_does_not_pass(attacked, store: str):
    body = """const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float acc = 0.0f;
    if (row < M && col < N) {
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = STORED;
    }"""
    assert attacked(kernel(body.replace("STORED", "acc"))).status == "passed"
    assert attacked(kernel(body.replace("STORED", store))).status == "failed"


def test_nothing_lives_on_in_the_next_child(place: Worker):
    """A __device__ variable holds what a kernel left there, if anything does."""
    body = "if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0) C[0] = counter++;"
    counting = kernel(body, "__device__ float counter = 7;")
    first, second = (place.run(counting).cases[0] for _ in range(2))
    assert first.C == second.C and struct.unpack("f", first.C[:4]) == (7.0,)


@pytest.mark.parametrize("one", STUDENTS, ids=lambda one: one.path.stem)
def test_the_sandbox_finds_what_the_check_finds(place: Worker, one: StudentKernel):
    """Shut off from all files, a child misses no module, and no finding."""
    source = one.text
    outside = check_source(source, one.path.name, KERNEL.launch, KERNEL.cases, "emulator")
    cases = tuple(HiddenCase("x", "ordinary", case.shape, case.inputs, case.seed) for case in KERNEL.cases)
    execution = place.run(Job(KERNEL, source, cases))
    inside = {one["kind"] for result in execution.cases for one in result.findings if one["severity"] == "error"}
    expected = {one.kind for one in outside.findings if one.is_error}
    assert not execution.problem and inside | {"wrong_result"} == expected | {"wrong_result"}
    assert (judge(Job(KERNEL, source, cases), execution).status == "passed") == outside.passed


@pytest.mark.parametrize("number", ["02", "05", "07", "08", "09"])
def test_every_kind_of_rule_is_counted_behind_the_walls(place: Worker, number: str):
    asked = load(number).kernel
    case = HiddenCase("x", "ordinary", (64, 64, 16), "random", 1)
    right, naive = asked.solution, student_kernel(f"{asked.name}/naive").text
    assert place.run(Job(asked, right, (case,))).rules == ()
    assert 0 in place.run(Job(asked, naive, (case,))).rules


@pytest.mark.parametrize(
    "name",
    [
        "07_vector_and_banks/aligned_rows_only",
        "07_vector_and_banks/no_pad",
        "07_vector_and_banks/wide_of_four_reads",
        "08_double_buffer/waits_at_once",
        "08_double_buffer/wide_ordinary_store",
    ],
)
def test_a_kernel_without_the_lessons_idea_fails_behind_the_walls(place: Worker, name: str):
    one = student_kernel(name)
    case = HiddenCase("x", "ordinary", (64, 64, 16), "random", 1)
    job = Job(one.kernel, one.text, (case,))
    found = judge(job, place.run(job))
    assert found.status == "failed" and found.cases[0].ok
    assert [case.message for case in found.cases if not case.ok][0] in {rule.says for rule in one.kernel.rules}


def test_a_lessons_rules_on_memory_traffic_are_kept(place: Worker):
    coalesced = load("01").kernel
    case = HiddenCase("x", "ordinary", (64, 64, 16), "random", 1)
    swapped = coalesced.solution.replace("threadIdx.x", "swap").replace("threadIdx.y", "threadIdx.x")
    job = Job(coalesced, coalesced.solution, (case,))
    assert coalesced.rules and judge(job, place.run(job)).status == "passed"
    job = Job(coalesced, swapped.replace("swap", "threadIdx.y"), (case,))
    found = judge(job, place.run(job))
    assert found.status == "failed" and found.cases[0].ok
    assert [case.message for case in found.cases if not case.ok][0] == coalesced.rules[0].says


# ---- hostile children


def talk_with(*answers: bytes) -> worker.Execution:
    """What the grader makes of a child that sends these bytes, whatever it is asked, and then hangs up."""
    ours, theirs = socket.socketpair()

    def play() -> None:
        with theirs:
            for answer in answers:
                try:
                    wire.receive(theirs, 1 << 30)
                    theirs.sendall(answer)
                except (wire.Closed, OSError):
                    return

    child = threading.Thread(target=play)
    child.start()
    with ours:
        execution = worker._Talk(ours).execute(RIGHT)
    child.join()
    return execution


def message(data: object, *more: bytes) -> bytes:
    text = json.dumps(data).encode()
    return wire._HEAD.pack(len(text), sum(map(len, more))) + text + b"".join(more)


COMPILED = message({"errors": []})


@pytest.mark.parametrize(
    "answer, problem",
    [
        (b"", "crash"),
        (b"garbage that is no header", "output"),
        (wire._HEAD.pack(1 << 31, 0), "output"),
        (wire._HEAD.pack(2, 1 << 31) + b"{}", "output"),
        (wire._HEAD.pack(100_000, 0) + b"[" * 100_000, "output"),
        (wire._HEAD.pack(6000, 0) + b'{"n":' + b"9" * 5994 + b"}", "output"),
        (message(["not", "an", "object"]), "output"),
        (message({"problem": "memory"}), "memory"),
        (message({"problem": "passed", "ok": True}), "launch_error"),
        (message({"findings": []}, b"\0" * 17), "output"),
        (message({"findings": []}, b"\0" * (5 * 32 * 16 + 1)), "output"),
        (message({"findings": [[["race"]]], "seconds": "long"}), "launch_error"),
    ],
    ids="nothing garbage json_size data_size depth digits list memory verdict short long findings".split(),
)
def test_a_child_that_misbehaves_fails_and_no_more(answer: bytes, problem: str):
    execution = talk_with(COMPILED, answer)
    found = judge(RIGHT, execution)
    assert found.status in ("failed", "timeout") and not any(mark.ok for mark in found.cases)
    assert problem in (execution.cases[0].problem, found.cases[0].finding)
    if problem not in ("memory", "launch_error"):
        assert judge(RIGHT, talk_with(answer)).status == "compile_error"


def test_a_child_that_says_that_all_is_well_is_not_believed():
    M, N, _ = CASES[0].shape
    right = message({"findings": [], "verdict": "passed", "ok": True, "max_error": 0}, b"\0" * 4 * M * N, b"\1" * M * N)
    found = judge(RIGHT, talk_with(COMPILED, right, right))
    assert found.status == "failed" and found.cases[0].finding == "wrong_result"


def test_a_child_that_trickles_is_stopped(monkeypatch):
    monkeypatch.setattr(worker, "COMPILE_SECONDS", 0.3)
    ours, theirs = socket.socketpair()
    stop = threading.Event()

    def trickle() -> None:
        with theirs:
            while not stop.wait(0.05):
                theirs.send(b"\0")

    child = threading.Thread(target=trickle)
    child.start()
    with ours:
        assert worker._Talk(ours).execute(RIGHT).problem in ("timeout", "output")
        stop.set()
        child.join()


def test_a_child_killed_from_outside_is_a_crash(place: Worker, monkeypatch):
    """As by the kernel's own killer of processes when memory runs out."""
    ask = worker._Talk._ask

    def killed(self, request, data, most, seconds):
        if request["do"] == "run":
            for process in members(place._process.pid):
                if process not in before:
                    os.kill(process, signal.SIGKILL)
        return ask(self, request, data, most, seconds)

    before = members(place._process.pid)
    monkeypatch.setattr(worker._Talk, "_ask", killed)
    execution = place.run(RIGHT)
    assert [result.problem for result in execution.cases] == ["crash", "not run"]
    monkeypatch.undo()
    assert judge(RIGHT, place.run(RIGHT)).status == "passed"


def test_a_nursery_that_is_gone_is_not_the_students_fault():
    place = Worker().greet()
    place.kill()
    with pytest.raises(worker.WorkerLost):
        place.run(RIGHT)
    place.close()


def test_without_a_compiler_the_reason_is_told(monkeypatch):
    monkeypatch.setattr(worker, "_environment", lambda: {"PYTHONPATH": f"{ROOT}", "GEMMLAB_NOTHING": "1"})
    monkeypatch.setattr(worker, "NURSERY", ("/bin/false",))
    with pytest.raises(UserError, match="sandbox cannot be started"):
        Worker().greet()


def test_the_attacks_are_those_that_the_level_knows():
    assert attacks.LINGER > level.PROBE_SECONDS
