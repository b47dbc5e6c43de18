"""Source files read as the compiler will count their lines; files written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from gemmlab.errors import UserError

MAX_SOURCE_BYTES = 1 << 18
_DRAFT = ".draft"


def forget_drafts(folder: Path) -> None:
    """Delete the drafts in a folder that a killed program left. No other program may be writing there."""
    for draft in folder.glob(f".*{_DRAFT}"):
        draft.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """All of the file or nothing: write a draft beside it, bring it to the disk, then rename. Text as UTF-8, with line
    feeds."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_DRAFT}")
    try:
        with open(temporary, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def normalize(text: str) -> str:
    """The text with line feeds only and no byte order mark, as the compiler will count its lines."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def read_source(path: Path) -> str:
    """The normalized text of a kernel file. Raises UserError where it cannot be read, is too large or is not UTF-8."""
    try:
        if not path.is_file():
            raise UserError(f"there is no file {path}; give the path of a .cu file")
        if path.stat().st_size > MAX_SOURCE_BYTES:
            raise UserError(f"{path} is larger than {MAX_SOURCE_BYTES >> 10} KiB, which is no kernel file")
        return normalize(path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
