"""What ends the reading of a launcher: code that is not understood, and code that goes wrong."""

from __future__ import annotations


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
