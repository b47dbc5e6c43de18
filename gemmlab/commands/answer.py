"""What a command prints: a verdict, or why there is none, as text or as one JSON object."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from gemmlab.errors import UserError

if TYPE_CHECKING:
    from gemmlab.kernel.verdict import Verdict


def give_verdict(verdict: Verdict, source: str, public: bool, as_json: bool) -> NoReturn:
    """Print the verdict on a kernel of that source and end with its exit code."""
    if as_json:
        print_json(verdict.to_json())
    else:
        from gemmlab.text.sentences import SEE_ORDER
        from gemmlab.text.verdict import print_verdict

        print_verdict(verdict, source, public)
        if verdict.has_race and not verdict.order:
            print(SEE_ORDER())
    raise typer.Exit(0 if verdict.passed else 1)


@contextmanager
def waiting() -> Iterator[None]:
    """Work that may have to wait for the emulator's machine code, and then says so."""
    from gemmlab.emulator import warm

    with warm.told(warm.on_standard_error()):
        yield


def print_json(value: dict) -> None:
    print(json.dumps(_strict(value), allow_nan=False))


def _strict(value: Any) -> Any:
    """The value in what JSON knows: NaN and infinity become null, NumPy's numbers plain ones."""
    if isinstance(value, dict):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def refuse_request(error: UserError, as_json: bool) -> int:
    """Say why there is no verdict: what was asked cannot be done."""
    from gemmlab.check.check import KernelFileError

    return refuse(str(error), "compile_error" if isinstance(error, KernelFileError) else "failed", 2, as_json)


def refuse_usage(message: str, as_json: bool) -> int:
    """The message is empty where the help has been printed instead."""
    return refuse(f"{message.rstrip('.')}; see gemmlab --help", "failed", 2, as_json) if message else 2


def refuse(sentence: str, status: str, code: int, as_json: bool) -> int:
    """Say why there is no verdict, in one sentence."""
    from gemmlab.kernel.verdict import Finding, Verdict

    print(f"gemmlab: {sentence}", file=sys.stderr)
    if as_json:
        kind = "compile_error" if status == "compile_error" else "launch_error"
        print_json(Verdict(status, (Finding(kind, sentence),), backend=None).to_json())
    return code
