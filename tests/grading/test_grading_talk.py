"""A child that was taken over may answer anything: that costs nobody else anything, and wins nothing."""

from __future__ import annotations

import json
import socket
import sys
import threading
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from hypothesis import given, settings
from hypothesis import strategies as st

from gemmlab.course.lesson import load
from gemmlab.kernel.verdict import FINDING_KINDS
from grading import reports
from grading.intake.splice import splice
from grading.marking import score
from grading.marking.judge import judge
from grading.model import Attempt, HiddenCase, Judged, Submission
from grading.sandbox import wire, worker

LESSON = load("01")
KERNEL = LESSON.kernel
CASES = tuple(HiddenCase(f"kind {n}", "ordinary" if n else "boundary", (3 + n, 5, 4), "random", n) for n in range(3))
SUBMITTED = Submission("ann", LESSON.name, KERNEL.solution)
SPLICED = splice(SUBMITTED, KERNEL)

texts = st.sampled_from(["", "race", "error", "warning", "timeout", "memory", "crash", "<b>\x1b[2J", "\ud800", "\0"])
numbers = st.sampled_from([0, 1, -1, 7, 10**400, 1e308, float("inf"), float("nan"), True])
values = st.recursive(
    st.none() | texts | numbers,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["kind", "line", "message"]), inner),
    max_leaves=6,
)
findings = st.lists(
    st.fixed_dictionaries({}, optional={
        "kind": st.sampled_from(FINDING_KINDS) | values, "line": values, "message": values, "severity": values,
    }),
    max_size=3,
)  # fmt: skip
answers = st.fixed_dictionaries({}, optional={
    "errors": values | findings, "findings": values | findings, "symbols": values, "seconds": values, "problem": values,
    "detail": values, "broken": values, "status": values,
})  # fmt: skip
sizes = st.sampled_from(["none", "right", "right", "right", "one", "more"])
replies = st.lists(st.tuples(answers, sizes, st.binary(min_size=4, max_size=4)), min_size=1, max_size=8)


def answer(channel: socket.socket, script: list[tuple[dict, str, bytes]], compiles: bool) -> None:
    """What the script says, again and again. The channel closes when the grader has enough of it."""
    try:
        for number in range(50):
            request, _ = wire.receive(channel, 1 << 20, 5)
            message, size, letters = script[number % len(script)]
            if compiles and request["do"] == "compile":
                message = {"errors": []}
            M, N, _ = request.get("shape", (0, 0, 0))
            data = letters * (5 * M * N)
            data = data[: {"none": 0, "right": 5 * M * N, "one": 1, "more": 5 * M * N + 1}[size]]
            wire.send(channel, message, data)
    except (wire.Closed, wire.BadMessage, TimeoutError):
        pass
    finally:
        channel.close()


def talk(script: list[tuple[dict, str, bytes]], compiles: bool, arch: str | None = None) -> Judged:
    ours, theirs = socket.socketpair()
    child = threading.Thread(target=answer, args=(theirs, script, compiles))
    child.start()
    try:
        job = worker.Job(KERNEL, SPLICED.source, CASES, arch)
        return judge(job, worker._Talk(ours).execute(job))
    finally:
        ours.close()
        child.join()


@settings(max_examples=60)
@given(replies, st.booleans(), st.sampled_from([None, "sm_90"]))
def test_whatever_it_answers_is_judged_and_no_pass(script, compiles, arch):
    judged = talk(script, compiles, arch)
    assert judged.status in ("failed", "compile_error", "timeout")
    assert Judged.from_json(json.loads(json.dumps(judged.to_json()))).status == judged.status
    words = [judged.note, *(case.message for case in judged.cases)]
    assert all(len(text.encode()) < 1500 and "\x1b" not in text for text in words)


@settings(max_examples=10)
@given(replies)
def test_what_it_says_goes_into_the_reports_whole(tmp_path_factory, script):
    judged = talk(script, compiles=False)
    out: Path = tmp_path_factory.mktemp("report")
    graded = score.grade(SUBMITTED, LESSON, [Attempt(KERNEL, SPLICED, "key", judged)], score.read_hand_marks(out))
    audit = {"student": "ann", "origin": "o", "kernel": KERNEL.name, "key": "key", "status": judged.status,
             "seconds": judged.seconds, "log": list(judged.log)}  # fmt: skip
    reports.write(out, [graded], [audit])
    assert graded.total == 0
    assert "<b>" not in (out / "feedback/ann.html").read_text("utf-8").partition("<body")[2].replace("<b>ann", "")
