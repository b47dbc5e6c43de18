"""Writing files so that a stopped program leaves the old file or the new one, never half of one."""

from __future__ import annotations

import os
from pathlib import Path

_DRAFT = ".draft"


def forget_drafts(folder: Path) -> None:
    """Delete the drafts in a folder that a killed program left. No other program may be writing there."""
    for draft in folder.glob(f".*{_DRAFT}"):
        draft.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """All of the file or nothing: write a draft beside it, bring it to the disk, then rename. UTF-8, line feeds."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_DRAFT}")
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
