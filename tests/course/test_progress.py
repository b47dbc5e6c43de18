"""The progress file: what is written is read again, two notebooks lose nothing, and damage is set aside and told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gemmlab.course import progress
from gemmlab.course.progress import Progress
from gemmlab.errors import UserError

WRITER = """
import sys
from pathlib import Path
from gemmlab.course.progress import Progress
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    Progress(path).record("02", "attempt", writer=name, number=number)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "progress.json"


def test_entries_are_read_again_in_order_and_by_what_they_hold(path):
    Progress(path).record("02", "prediction", id="bytes", value=8.59)
    Progress(path).record("02", "prediction", id="bytes", value=8.6)
    Progress(path).record("03", "attempt", status="passed")
    log = Progress(path)
    assert [entry["value"] for entry in log.entries("02", "prediction", id="bytes")] == [8.59, 8.6]
    assert log.last("02", "prediction")["value"] == 8.6
    assert log.last("02", "attempt") is None and log.last("03", "attempt", status="failed") is None
    assert len(log.entries()) == 3 and all("T" in entry["time"] for entry in log.entries())


def test_lists_and_other_alphabets_survive(path):
    Progress(path).record("02", "timing", shape=[64, 64, 64], gpu="Grafikkarte µ 漢")
    assert Progress(path).last("02", "timing", shape=[64, 64, 64])["gpu"] == "Grafikkarte µ 漢"


def test_without_a_path_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = Progress(None)
    log.record("02", "attempt", status="failed")
    assert log.last("02", "attempt")["status"] == "failed"
    assert list(tmp_path.iterdir()) == []


def test_processes_that_write_at_once_lose_no_entry(path):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name, "15"], env={**os.environ}) for name in "abc"
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    entries = Progress(path).entries()
    assert len(entries) == 45
    for name in "abc":
        assert [entry["number"] for entry in entries if entry["writer"] == name] == list(range(15))


BAD_ENTRIES = [f'{{"version": 1, "entries": [{entry}]}}' for entry in ("1", '{"time": 3}')]
DAMAGED = ["", "{", "[]", "null", '{"version": 1}', *BAD_ENTRIES]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_file_is_kept_aside_and_told_once(path, text):
    path.write_text(text)
    log = Progress(path)
    assert log.entries() == []
    assert len(log.notices) == 1 and "progress.json.damaged-1" in log.notices[0]
    assert path.with_name("progress.json.damaged-1").read_text() == text
    log.record("02", "attempt", status="failed")
    assert len(log.notices) == 1 and len(Progress(path).entries()) == 1


def test_a_file_that_is_no_text_is_kept_aside_when_something_is_added(path):
    path.write_bytes(b"\xff\xfe\x00")
    log = Progress(path)
    log.record("02", "attempt", status="passed")
    assert len(log.notices) == 1
    assert path.with_name("progress.json.damaged-1").read_bytes() == b"\xff\xfe\x00"
    assert Progress(path).last("02", "attempt")["status"] == "passed"


def test_a_second_damage_does_not_overwrite_the_first(path):
    for text in ("one", "two"):
        path.write_text(text)
        Progress(path).entries()
    assert path.with_name("progress.json.damaged-1").read_text() == "one"
    assert path.with_name("progress.json.damaged-2").read_text() == "two"


def test_what_a_newer_course_wrote_is_left_alone(path):
    text = json.dumps({"version": 2, "entries": []})
    path.write_text(text)
    for use in (Progress(path).entries, lambda: Progress(path).record("02", "attempt")):
        with pytest.raises(UserError, match="newer version"):
            use()
    assert path.read_text() == text


def test_where_it_cannot_be_saved_one_sentence_says_so(tmp_path):
    (tmp_path / "folder").write_text("a file where a folder should be")
    log = Progress(tmp_path / "folder" / "progress.json")
    with pytest.raises(UserError, match="your progress cannot be saved"):
        log.record("02", "attempt", status="passed")


def test_a_lock_that_another_holds_is_waited_for_and_then_told(path, monkeypatch):
    monkeypatch.setattr(progress, "LOCK_SECONDS", 0.05)
    first, second = Progress(path), Progress(path)
    with progress._locked(path):
        with pytest.raises(UserError, match="held by another program"):
            first.record("02", "attempt", status="failed")
    assert first.entries() != [], "kept in memory"
    second.record("02", "attempt", status="passed")
    first.record("02", "attempt", status="passed")
    assert [entry["status"] for entry in Progress(path).entries()] == ["passed", "failed", "passed"]


def test_a_stop_while_writing_leaves_the_old_file(path, monkeypatch):
    Progress(path).record("02", "attempt", status="failed")
    before = path.read_text()

    def stop(*paths):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        Progress(path).record("02", "attempt", status="passed")
    monkeypatch.undo()
    assert path.read_text() == before
    assert sorted(file.name for file in path.parent.iterdir()) == ["progress.json", "progress.json.lock"]
