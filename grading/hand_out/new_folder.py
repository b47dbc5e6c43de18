"""Writing a folder so that a stopped program leaves all of it or nothing."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from gemmlab.errors import UserError
from grading.hand_out import sentences as say


def write_new_folder(out: Path, files: Mapping[str, bytes], check: Callable[[Path], None] = lambda draft: None) -> None:
    """Write the files, contents by path, into the folder `out`, which must be new or empty.

    `check` looks at the draft and may raise. Raises UserError where `out` holds something already or cannot be written.
    """
    try:
        _refuse_occupied(out)
        out.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
        try:
            _write(draft, files)
            check(draft)
            _put_in_place(draft, out)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise UserError(say.CANNOT_WRITE(folder=out, reason=error.strerror or error)) from None


def _refuse_occupied(out: Path) -> None:
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise UserError(say.NO_FOLDER(folder=out))
    if out.is_dir() and any(out.iterdir()):
        raise UserError(say.NOT_EMPTY(folder=out))


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for place, data in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _put_in_place(draft: Path, out: Path) -> None:
    draft.chmod(0o755)  # a temporary folder is closed to others
    if out.exists():
        out.rmdir()
    draft.rename(out)
