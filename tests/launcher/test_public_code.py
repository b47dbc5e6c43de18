"""Files as public repositories write them, run from the command line as they are, each with its verdict and words.

The first line of a file says how it is run, the second what is found: 'passed', 'passed, warned | words', or the kinds
of the errors, with words that one of the findings must hold.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from gemmlab import cli

FOLDER = Path(__file__).parents[1] / "kernels_public"
FILES = sorted(FOLDER.glob("*.cu"))
SHAPES = ("35,25,45", "64,48,32", "1,17,3")


@pytest.fixture
def run(capsys):
    """Run a file; its exit code and the JSON object."""

    def called(path, *options):
        with pytest.raises(SystemExit) as ended:
            cli.main(["run", str(path), *options, "--backend", "emulator", "--json"])
        return ended.value.code, json.loads(capsys.readouterr().out)

    return called


def header(path):
    """How a file is run, what is expected, and the words."""
    how, expect = (line.split(": ", 1)[1] for line in path.read_text().splitlines()[:2])
    expect, _, words = expect.partition(" | ")
    options = shlex.split(how)
    shapes = () if "--shape" in options else [word for shape in SHAPES for word in ("--shape", shape)]
    return [*options, *shapes], expect.split(", "), words


def test_the_folder_holds_what_it_should():
    right = [path for path in FILES if path.stem.startswith("ok_")]
    assert len(FILES) >= 40 and len(FILES) - len(right) >= 10
    assert all((header(path)[1][0] == "passed") == (path in right) for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_public_file(path, run):
    options, expect, words = header(path)
    code, verdict = run(path, *options)
    errors = {finding["kind"] for finding in verdict["findings"] if finding["severity"] == "error"}
    assert any(words in finding["message"] for finding in verdict["findings"]) or not words, verdict["findings"]
    if expect[0] == "passed":
        assert code == 0 and verdict["status"] == "passed", verdict["findings"]
        assert bool(verdict["findings"]) == (expect[1:] == ["warned"]), verdict["findings"]
    else:
        assert code == 1 and verdict["status"] != "passed" and errors >= set(expect), verdict["findings"]


@pytest.mark.parametrize(
    "options, says",
    [
        (["--args", "A,B,N"], "must name A, B and C once each"),
        (["--args", "A,A,B,C"], "must name A, B and C once each"),
        (["--args", "A,B,C,D"], "'D' is not known here"),
        (["--args", "A,B,C,1.0,M"], "takes (const float* a, const float* b, float* c, int n); give 4 arguments"),
        (["--args", "A,B,C,N", "-D", "2=3"], "cannot read -D '2=3'"),
    ],
)
def test_arguments_that_do_not_fit(run, options, says):
    launch = ["--kernel", "matrixMul", "--block", "16,16", "--grid", "4,4", "--shape", "32,32,32"]
    code, verdict = run(FOLDER / "ok_square_n_alone.cu", *launch, *options)
    assert code == 2 and says in verdict["findings"][0]["message"]


@pytest.mark.parametrize("args, says", [("A,B,C", "gives it 3 values"), ("A,B,M,N,K,C", "M does not fit")])
def test_arguments_that_do_not_fit_a_launcher(run, args, says):
    path = FOLDER / "ok_kernel_table.cu"
    code, verdict = run(path, "--launcher", "run_kernel_2", "--args", args, "--shape", "32,32,32")
    assert code == 2 and says in verdict["findings"][0]["message"]


def test_files_that_include_each_other_end(tmp_path, run):
    (tmp_path / "a.cu").write_text('#include "a.cu"\n__global__ void gemm() {}\n')
    code, verdict = run(tmp_path / "a.cu", "--block", "1", "--grid", "1", "--shape", "1,1,1")
    assert code == 2 and "do two files include each other?" in verdict["findings"][0]["message"]


def test_a_profile_takes_the_same_options(capsys):
    path = FOLDER / "ok_header_beside.cu"
    with pytest.raises(SystemExit) as ended:
        cli.main(["profile", str(path), "--launcher", "sgemm", "--shape", "32,32,32", "--json"])
    profile = json.loads(capsys.readouterr().out)
    assert ended.value.code == 0 and profile["status"] == "passed"
    assert any("return row < rows" in line["source"] and line["global_load_requests"] for line in profile["lines"])
