"""The instructor's command line: `python -m grading grade`, `marks`, `leaderboard`, `release`, `nbgrader`, `level`.

Exit codes: 0 done, whatever the marks are; 2 what was asked cannot be done, and one sentence says what to do; 3 a fault
inside grading; 130 stopped by Ctrl-C, and the same command goes on where it stopped.
"""

from __future__ import annotations

import io
import os
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

from gemmlab.errors import UserError
from grading import sentences

_STOPPED = 130

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Grade submissions of the course. grading/README.md is the instructor's page.",
)


class Backend(str, Enum):
    emulator = "emulator"
    cuda = "cuda"


ReportArgument = Annotated[Path, typer.Argument(help="The folder that grade wrote its reports into.")]


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help="A folder or zip of notebooks and .cu files.")],
    out: Annotated[Path, typer.Option(help="The folder for the reports; the same one again goes on where it stopped.")],
    lesson: Annotated[Optional[str], typer.Option(help="Grade this lesson only, such as 04.")] = None,
    jobs: Annotated[Optional[int], typer.Option(min=1, help="Kernels at once; one a core if left out.")] = None,
    secret_file: Annotated[
        Optional[Path], typer.Option(help="Hidden cases are drawn from it; made in your configuration if left out.")
    ] = None,
    dask: Annotated[Optional[str], typer.Option(help="Address of a Dask scheduler, such as tcp://head:8786.")] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Grade though this machine gives no safe sandbox: only what you trust.")
    ] = False,
    backend: Annotated[
        Backend, typer.Option(help="cuda runs the kernels on the GPU and in the emulator.")
    ] = Backend.emulator,
) -> None:
    """Grade all that was handed in, and write the reports. Marks by hand in the folder are taken over."""
    from grading import run
    from grading.marking import score
    from grading.progress import Progress
    from grading.summary import print_summary

    score.read_hand_marks(out)  # a file that cannot be read is told about before a long night, not after it
    options = run.Options(lesson, jobs, secret_file, dask, insecure, backend.value)
    print_summary(run.grade(submissions, out, options, Progress()), out)


@app.command()
def marks(
    report: ReportArgument,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes one that is free.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Mark answers by hand: a local page that shows each beside its rubric, until Ctrl-C."""
    from grading.reports.marks_server import MarksServer

    with MarksServer(report, port) as server:
        print(sentences.MARKING_AT(url=server.url), flush=True)
        if browser:
            import webbrowser

            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


@app.command()
def release(out: Annotated[Path, typer.Option(help="A folder that is not there yet, or is empty.")]) -> None:
    """Write the bundle for students: the course without solutions, hidden cases and answers."""
    from grading.hand_out.release import release as write_bundle

    write_bundle(out)
    print(sentences.BUNDLE_DONE(folder=out))


@app.command()
def nbgrader(out: Annotated[Path, typer.Option(help="A folder that is not there yet, or is empty.")]) -> None:
    """Write the lessons as a course of nbgrader: its settings, and a source notebook for each lesson."""
    from grading.hand_out.nbgrader_export import export

    export(out)
    print(sentences.NBGRADER_DONE(folder=out))


@app.command()
def leaderboard(
    submissions: Annotated[Path, typer.Argument(help="A folder or zip of notebooks and .cu files.")],
    out: Annotated[Path, typer.Option(help="The folder for the leaderboard; the same one again goes on.")],
    jobs: Annotated[
        Optional[int], typer.Option(min=1, help="Kernels at once in the gate; one a core if left out.")
    ] = None,
    secret_file: Annotated[
        Optional[Path], typer.Option(help="Hidden cases are drawn from it; made in your configuration if left out.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Though this machine gives no safe sandbox: only what you trust.")
    ] = False,
    backend: Annotated[
        Optional[Backend], typer.Option(help="emulator ranks nothing; if left out, cuda where there is a GPU.")
    ] = None,
) -> None:
    """Rank the capstone's entries by their speed over cuBLAS. An entry that is wrong anywhere has no rank."""
    from gemmlab import gpu
    from grading import leaderboard as board
    from grading.progress import Progress
    from grading.run import Options

    chosen = backend.value if backend else "cuda" if gpu.available() else "emulator"
    options = Options(None, jobs, secret_file, None, insecure, chosen)
    print(board.summary(board.leaderboard(submissions, out, options, Progress()), out))


@app.command()
def level() -> None:
    """Attack the sandbox of this machine, and say what it holds."""
    from grading import run
    from grading.progress import Progress

    print(run.level(Progress()))


def main(arguments: list[str] | None = None) -> None:
    """Ends the process with one of the exit codes of this module, never with a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    try:
        code = app(args=arguments, prog_name="python -m grading", standalone_mode=False) or 0
        return _stopped() if code == _STOPPED else code  # what newer versions of typer make of Ctrl-C
    except UserError as error:
        return _refuse(str(error), 2)
    except (typer.Abort, KeyboardInterrupt):
        return _stopped()
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's error about the command line; empty where help was printed
            message = error.format_message().rstrip(".")
            return _refuse(sentences.BAD_COMMAND(message=message), 2) if message else 2
        if os.environ.get("GEMMLAB_DEBUG"):
            raise
        return _refuse(sentences.OWN_FAULT(kind=type(error).__name__, message=error), 3)


def _stopped() -> int:
    return _refuse(sentences.STOPPED(), _STOPPED)


def _refuse(sentence: str, code: int) -> int:
    print(sentences.REFUSED(sentence=sentence), file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
