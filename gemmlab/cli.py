"""The command line: `gemmlab check`, `run`, `profile`, `record`, `doctor`, `course`, each in a file of its own.

Exit codes: 0 passed (for `doctor`: ready), 1 not passed, 2 what was asked cannot be done, 3 a fault inside gemmlab.
With `--json` one JSON object is printed in every case. Where something was asked that cannot be done its status is
'compile_error' if the kernel's file cannot be read, else 'failed', and its only finding says what to do.
"""

from __future__ import annotations

import io
import os
import sys

import typer

from gemmlab.commands.answer import refuse, refuse_request, refuse_usage
from gemmlab.commands.check import check
from gemmlab.commands.course import course
from gemmlab.commands.doctor import doctor
from gemmlab.commands.profile import profile
from gemmlab.commands.record import record
from gemmlab.commands.run import run
from gemmlab.errors import UserError

COMMANDS = (check, run, profile, record, doctor, course)

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Check CUDA matrix multiplication kernels, with or without a GPU.",
)
for command in COMMANDS:
    app.command()(command)


def main(arguments: list[str] | None = None) -> None:
    """The console script. Ends the process with one of the exit codes of this module, never with a traceback."""
    arguments = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has gone; the flush at exit must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    as_json = "--json" in arguments
    try:
        return app(args=arguments, prog_name="gemmlab", standalone_mode=False) or 0
    except UserError as error:
        return refuse_request(error, as_json)
    except typer.Abort:
        return 130
    except BrokenPipeError:
        raise
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's error about the command line, whose class moved between versions
            return refuse_usage(error.format_message(), as_json)
        if os.environ.get("GEMMLAB_DEBUG"):
            raise
        sentence = f"gemmlab itself failed ({type(error).__name__}: {error}); set GEMMLAB_DEBUG=1 to see where"
        return refuse(sentence, "failed", 3, as_json)


if __name__ == "__main__":
    main()
