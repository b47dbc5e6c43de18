"""The command line: its exit codes, its JSON, its sentences. The executor is a stand-in that computes with NumPy."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from gemmlab import cli, doctor
from gemmlab.check import check
from gemmlab.kernel.executor import Outcome
from gemmlab.kernel.verdict import FINDING_KINDS, Finding
from gemmlab.text.verdict import printable

KERNEL = """\
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float acc = 0.0f;
    if (row >= M || col >= N) return;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
"""
LAUNCH = ["--block", "16,16", "--grid", "cdiv(N,16),cdiv(M,16)"]
SHAPE = ["--shape", "35,45,25"]


class Numpy:
    """An executor whose C is `change(A @ B)`."""

    name = "emulator"
    findings: list[Finding] = []

    @staticmethod
    def change(C):
        return C

    def run(self, program, launch, A, B, shape, **_):
        return Outcome(self.change(A.astype(np.float64) @ B).astype(np.float32), list(self.findings))


@pytest.fixture
def numpy_executor(monkeypatch):
    @contextlib.contextmanager
    def opened(backend):
        yield (Numpy(),)

    monkeypatch.setattr(check, "open_executors", opened)


@pytest.fixture
def kernel(tmp_path, numpy_executor):
    path = tmp_path / "kernel.cu"
    path.write_text(KERNEL)
    return path


@pytest.fixture
def call(capsys):
    """Run one command; gives its exit code, standard output and standard error."""

    def called(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return ended.value.code, out, err

    return called


@pytest.fixture
def call_json(call):
    """The same with --json; the standard output must be one strict JSON object that keeps the contract."""

    def called(*arguments):
        code, out, _ = call(*arguments, "--json")
        value = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
        assert value["status"] in ("passed", "failed", "compile_error", "unattempted", "timeout")
        assert (code == 0) == (value["status"] == "passed")
        for finding in value["findings"]:
            assert finding["kind"] in FINDING_KINDS and finding["severity"] in ("error", "warning")
            assert "line" in finding and finding["message"]
        for case in value["cases"]:
            assert len(case["shape"]) == 3 and isinstance(case["ok"], bool) and "max_error" in case
        return code, value

    return called


def test_run_passes(kernel, call):
    code, out, _ = call("run", kernel, *LAUNCH, *SHAPE, "--shape", "64,64,64")
    assert code == 0
    assert "cases passed (2 of 2)" in out and "all tests" not in out
    assert "Registers a thread" in out and "\x1b" not in out


def test_run_passes_as_json(kernel, call_json):
    code, value = call_json("run", kernel, *LAUNCH, *SHAPE)
    assert code == 0 and value["findings"] == []
    assert value["cases"] == [
        {"shape": [35, 45, 25], "ok": True, "max_error": pytest.approx(0, abs=1e-5), "inputs": "random"}
    ]
    assert value["backend"] == "emulator" and value["resources"]["registers"] > 0


@pytest.mark.parametrize("inputs", ["random", "integer", "ones", "structured"])
def test_run_takes_the_inputs(kernel, call_json, inputs):
    assert call_json("run", kernel, *LAUNCH, *SHAPE, "--inputs", inputs)[1]["cases"][0]["inputs"] == inputs


def test_nan_is_null_in_json(kernel, call_json, monkeypatch):
    monkeypatch.setattr(Numpy, "change", staticmethod(lambda C: C * np.nan))
    monkeypatch.setattr(Numpy, "findings", [Finding("race", "A race.", details={"at": (1, float("inf"))})])
    code, value = call_json("run", kernel, *LAUNCH, *SHAPE)
    assert code == 1 and value["cases"][0]["max_error"] is None
    assert value["findings"][0]["details"]["at"] == [1, None]


def test_a_failure_shows_the_line_and_the_pattern(kernel, call, monkeypatch):
    monkeypatch.setattr(Numpy, "change", staticmethod(lambda C: 2 * C))
    code, out, _ = call("run", kernel, *LAUNCH, *SHAPE)
    flat = " ".join(out.split())
    assert code == 1 and "failed (0 of 1 cases passed)" in flat and "exactly twice A times B" in flat
    assert "1575 of 1575 elements wrong" in flat


def test_a_finding_shows_the_students_line(kernel, call, monkeypatch):
    monkeypatch.setattr(
        Numpy, "findings", [Finding("out_of_bounds", "Outside [bold]A[/bold].", line=6, column=33, count=4)]
    )
    code, out, _ = call("run", kernel, *LAUNCH, *SHAPE)
    lines = out.splitlines()
    place = next(
        i for i, line in enumerate(lines) if line.startswith("error: out of bounds, line 6, column 33, 4 times")
    )
    assert lines[place + 1] == "Outside [bold]A[/bold]."
    assert lines[place + 3] == ">    6 | " + KERNEL.splitlines()[5]
    assert lines[place + 4].index("^") == lines[place + 3].index("acc +=")
    assert code == 1 and "right numbers, but a fault was found" in out


def test_a_syntax_error(kernel, call, call_json):
    kernel.write_text(KERNEL.replace("acc = 0.0f;", "acc = ;"))
    code, out, _ = call("run", kernel, *LAUNCH, *SHAPE)
    assert code == 1 and out.startswith("does not compile") and ">    4 |     float acc = ;" in out
    assert call_json("run", kernel, *LAUNCH, *SHAPE)[1]["status"] == "compile_error"


def test_an_open_blank(kernel, call, call_json):
    kernel.write_text(KERNEL.replace("float acc = 0.0f;", "// TODO start: the running sum\n    ______;"))
    code, out, _ = call("run", kernel, *LAUNCH, *SHAPE)
    assert code == 1 and out.startswith("not attempted") and "The blank 'start' in line 5" in out
    assert call_json("run", kernel, *LAUNCH, *SHAPE)[1]["status"] == "unattempted"


@pytest.fixture
def solved(course, numpy_executor):
    """The small course with its kernel solved."""
    from gemmlab.course.lesson import load

    lesson = load("02")
    lesson.kernel_path.write_text(lesson.solution)
    return lesson


@pytest.mark.parametrize("name", ["2", "02", "small", "02_small"])
def test_check_takes_a_lesson_by_any_name(solved, call, name):
    code, out, _ = call("check", name)
    assert code == 0 and "public cases passed (3 of 3)" in out


def test_check_takes_another_file(solved, kernel, call_json):
    kernel.write_text(solved.starter)
    code, value = call_json("check", "02", kernel)
    assert code == 1 and value["status"] == "unattempted" and len(value["findings"]) == 2


def test_check_of_a_lesson_whose_file_is_not_there(solved, call, call_json):
    solved.kernel_path.unlink()
    code, out, err = call("check", "02")
    assert code == 2 and out == "" and err.count("\n") == 1 and "02_small.cu" in err
    assert call_json("check", "02")[1]["status"] == "compile_error"


def test_check_of_an_unknown_lesson(solved, call, call_json):
    code, _, err = call("check", "77")
    assert code == 2 and "no lesson '77'" in err
    assert call_json("check", "77")[1]["status"] == "failed"


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ([*LAUNCH], "give at least one shape"),
        ([*SHAPE], "give the launch, for example --block"),
        ([*SHAPE, "--block", "16,16"], "give the launch"),
        ([*LAUNCH, "--shape", "64"], "cannot read the shape '64'"),
        ([*LAUNCH, "--shape", "64,64,x"], "three whole numbers"),
        ([*LAUNCH, "--shape", "1.5,1,1"], "three whole numbers"),
        ([*LAUNCH, "--shape", "9" * 5000 + ",1,1"], "GiB"),
        ([*LAUNCH, "--shape", "0,16,16"], "must be positive"),
        ([*LAUNCH, "--shape", "16,-16,16"], "must be positive"),
        ([*LAUNCH, "--shape", "1000000,1000000,16"], "GiB"),
        ([*SHAPE, "--block", "16,16", "--grid", "__import__('os').abort()"], "only integers"),
        ([*SHAPE, "--block", "16,16,1,1", "--grid", "1"], "4 dimensions"),
        ([*LAUNCH, *SHAPE, "--smem", "lots"], "'lots' is not known"),
        ([*LAUNCH, *SHAPE, "--inputs", "zeros"], "zeros"),
        ([*LAUNCH, *SHAPE, "--backend", "rocm"], "rocm"),
        ([*LAUNCH, *SHAPE, "--bogus"], "--bogus"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(kernel, call, call_json, arguments, sentence):
    code, out, err = call("run", kernel, *arguments)
    assert code == 2 and out == "" and sentence in err and err.count("\n") == 1
    assert sentence in call_json("run", kernel, *arguments)[1]["findings"][0]["message"]


@pytest.mark.parametrize("content", [None, b"", b"\n \n", b"\xff\xfe\x00", b"int x;\0", "folder"])
def test_a_file_that_is_no_kernel(tmp_path, call, call_json, content):
    path = tmp_path / "file.cu"
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    code, out, err = call("run", path, *LAUNCH, *SHAPE)
    assert code == 2 and out == "" and str(path) in err and err.count("\n") == 1
    assert call_json("run", path, *LAUNCH, *SHAPE)[1]["status"] == "compile_error"


def test_a_fault_inside_is_one_sentence(kernel, call, call_json, monkeypatch):
    monkeypatch.setattr(Numpy, "change", staticmethod(lambda C: C[:1]))
    code, out, err = call("run", kernel, *LAUNCH, *SHAPE)
    assert code == 3 and out == "" and err.count("\n") == 1 and "GEMMLAB_DEBUG=1" in err
    assert call_json("run", kernel, *LAUNCH, *SHAPE)[0] == 3
    monkeypatch.setenv("GEMMLAB_DEBUG", "1")
    with pytest.raises(ValueError, match="C is"):
        cli.main(["run", str(kernel), *LAUNCH, *SHAPE])


def test_doctor_lists_the_machine(call):
    code, out, _ = call("doctor")
    assert code == 0
    for name in ("Python", "platform", "CuPy", "compiler", "NVRTC", "CUDA headers", "emulator", "GPU", "JupyterLab"):
        assert name in out


def test_doctor_as_json(call):
    code, out, _ = call("doctor", "--json")
    value = json.loads(out)
    assert code == 0 and value["ready"] is True
    assert {item["name"] for item in value["items"]} >= {"compiler", "GPU"}
    assert all(set(item) == {"name", "ok", "text", "needed"} for item in value["items"])


def test_doctor_names_what_is_missing(call, monkeypatch):
    from gemmlab.compiler.nvrtc import client as nvrtc_client
    from gemmlab.errors import UserError

    def absent():
        raise UserError("there is no NVRTC")

    monkeypatch.setattr(nvrtc_client, "describe", absent)
    code, out, _ = call("doctor")
    assert code == 1 and "there is no NVRTC; install the course again" in " ".join(out.split())
    monkeypatch.setattr(sys, "platform", "darwin")
    compiler = next(item for item in doctor.examine() if item.name == "compiler")
    assert "no NVRTC for macOS" in compiler.text and "container" in compiler.text and "remote" in compiler.text


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from gemmlab import cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "heavy = {'numpy', 'numba', 'cupy', 'matplotlib', 'ipywidgets', 'tree_sitter'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "check" in done.stdout and "run" in done.stdout and "doctor" in done.stdout


def test_any_encoding_of_the_terminal_will_do(tmp_path):
    path = tmp_path / "ﬁle.cu"
    command = [sys.executable, "-m", "gemmlab.cli", "run", str(path)]
    environment = {"PYTHONIOENCODING": "ascii", "PATH": "", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 2 and b"there is no file" in done.stderr and b"Traceback" not in done.stderr


def test_source_cannot_steer_the_terminal():
    assert printable("\tx\x1b[31m\u202e") == "    x\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}"


def test_a_reader_that_goes_away_is_no_fault(tmp_path):
    command = [sys.executable, "-m", "gemmlab.cli", "run", str(tmp_path / "none.cu"), "--json"]
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(write)
    assert b"Traceback" not in done.stderr and b"Broken" not in done.stderr
