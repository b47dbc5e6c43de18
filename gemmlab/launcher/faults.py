"""What ends the reading of a launcher: code that is not understood, and code that goes wrong."""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.kernel.verdict import Finding


class LauncherError(UserError):
    """A launcher that is not there, or cannot be read. `problem` leaves out what the command line offers instead;
    `line` is that of the file, where one is known."""

    def __init__(self, problem: str, advice: str = "", line: int | None = None) -> None:
        self.problem, self.line = problem, line
        super().__init__(f"{problem}; {advice}" if advice else problem)

    @property
    def finding(self) -> Finding:
        """The same of a lesson's file, whose launcher has to be readable."""
        return Finding("launch_error", f"{self.problem[0].upper()}{self.problem[1:]}.", line=self.line)


class NotRead(Exception):
    """This reader does not understand something. `what` goes on from 'in line 12, ...'."""

    def __init__(self, line: int, what: str) -> None:
        self.line, self.what = line, what
        super().__init__(f"in line {line}, {what}")


class HostFault(Exception):
    """The launcher does something wrong. `kind` is that of a Finding, the message a whole sentence."""

    def __init__(self, kind: str, line: int, message: str) -> None:
        self.kind, self.line, self.message = kind, line, message
        super().__init__(message)
