"""The instructor's secret. Hidden shapes and data are drawn from it, so that this public repository gives none away."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from pathlib import Path

from gemmlab.errors import UserError
from grading.marking import sentences as say

_BYTES = 32
_FEWEST_CHARACTERS = 16


def default_path() -> Path:
    """In the user's own configuration, away from reports that may be published: the next run has the same cases."""
    import platformdirs

    return Path(platformdirs.user_config_dir("gemmlab", appauthor=False), "grading-secret")


def load(path: Path | None = None) -> bytes:
    """The secret in that file, which the course's staff may share. The default one is made where there is none.

    Raises UserError where the file is missing, too short, or can be read by others.
    """
    if path is None:
        path = default_path()
        _make(path)
    try:
        text = path.read_bytes().strip()
        shared = path.stat().st_mode & 0o077
    except OSError as error:
        raise UserError(say.CANNOT_READ_SECRET(path=path, reason=error.strerror)) from None
    if shared:
        raise UserError(say.OPEN_SECRET(path=path))
    if len(text) < _FEWEST_CHARACTERS:
        raise UserError(say.SHORT_SECRET(path=path, fewest=_FEWEST_CHARACTERS))
    return text


def _make(path: Path) -> None:
    """Write a new secret, unless there is one. Of two programs that try at once, one wins and both use its file."""
    if path.exists():
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_hex(_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    except OSError as error:
        raise UserError(say.CANNOT_WRITE_SECRET(path=path, reason=error.strerror)) from None


def derive(secret: bytes, *context: object) -> bytes:
    """32 bytes that only the secret's owner can compute. `context` is what they are for, in JSON types."""
    return hmac.digest(secret, json.dumps(context, sort_keys=True).encode(), hashlib.sha256)
