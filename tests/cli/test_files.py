"""Files that are written whole, and what a killed program leaves of them."""

from __future__ import annotations

import os

import pytest

from gemmlab import files
from gemmlab.files import forget_drafts, write_whole


def test_a_file_is_replaced_and_no_draft_is_left(tmp_path):
    path = tmp_path / "a.txt"
    for text in ("one\n", "zwei äöü\n"):
        write_whole(path, text)
        assert path.read_bytes() == text.encode() and os.listdir(tmp_path) == ["a.txt"]


def test_one_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_whole(path, "before")

    def fail(descriptor):
        raise OSError("the disk is full")

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(OSError, match="full"):
        write_whole(path, "after")
    assert path.read_text() == "before" and os.listdir(tmp_path) == ["a.txt"]


def test_drafts_are_forgotten_and_other_files_are_not(tmp_path, monkeypatch):
    monkeypatch.setattr(files.os, "replace", lambda draft, path: None)
    monkeypatch.setattr(files.Path, "unlink", lambda path, missing_ok: None)
    write_whole(tmp_path / "a.txt", "half")
    monkeypatch.undo()
    kept = {"a.txt.4711", ".hidden", "my.draft"}
    for name in kept:
        (tmp_path / name).write_text("mine")
    assert len(os.listdir(tmp_path)) == 4
    forget_drafts(tmp_path)
    assert set(os.listdir(tmp_path)) == kept
