"""A small local page for marking by hand: each answer beside its rubric, with a field for marks.

    http://127.0.0.1:PORT/TOKEN/LESSON/ITEM     the answers of all students
    POST http://127.0.0.1:PORT/TOKEN/mark       {"row", "marks", "comment"} -> {"problem"}

It reads and writes hand_marks.csv and nothing else, so that the file may be filled in by a spreadsheet as well. Only
this machine can reach it, and only who knows the token, which is new on every start: other pages in the same browser do
not.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

from gemmlab.errors import UserError
from grading.marking import hand_marks, rubric
from grading.marking.hand_marks import VETO, HandMarks
from grading.reports import sentences as say
from grading.reports.page import render

_MOST_BODY = 1 << 16
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class MarksServer(ThreadingHTTPServer):
    """Serves the marks of one folder of reports. Raises UserError where there is nothing to mark, or no such port."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.folder, self.token, self.lock = folder, secrets.token_urlsafe(24), threading.Lock()
        if not pages(hand_marks.read(folder)):
            raise UserError(say.NOTHING_TO_MARK(folder=folder, file=hand_marks.FILE_NAME))
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise UserError(say.NO_PORT(port=port, reason=error.strerror)) from None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{self.token}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that went away in the middle is no error; the page itself tells what was not saved."""

    def mark(self, row: str, marks: str, comment: str) -> str:
        """Put marks and comment into the row; returns what is wrong with them, or ''. KeyError for no such row."""
        with self.lock:
            hand = hand_marks.read(self.folder)
            found = [one for one in hand.rows if one["row"] == row and hand_marks.is_markable(one)]
            if not found:
                raise KeyError(row)
            for one in found:
                one["marks"], one["comment"] = marks.strip(), " ".join(comment.split())
                one["problem"] = hand.problem_of(one)
                one["answer_id"] = ""  # these marks are for the answer that stands here now
            hand_marks.save(self.folder, hand.rows)
            return found[0]["problem"]


@dataclass(frozen=True)
class ItemPage:
    """One page: an item of a lesson, with its rows. `unanswered` are those of students who wrote nothing."""

    lesson: str
    item: str
    rows: tuple[dict[str, str], ...]

    @property
    def path(self) -> str:
        return f"{self.lesson}/{self.item}"

    @property
    def is_veto(self) -> bool:
        return self.item == VETO

    @property
    def marked(self) -> int:
        return sum(bool(row["marks"] or (self.is_veto and row["comment"])) for row in self.rows)

    @property
    def steps(self) -> list[str]:
        """The marks that have a button."""
        return [] if self.is_veto else [f"{half / 2:g}" for half in range(int(2 * float(self.rows[0]["of"])) + 1)]

    @property
    def answered(self) -> list[dict[str, str]]:
        return [row for row in self.rows if row["answer"] or self.is_veto]

    @property
    def unanswered(self) -> list[dict[str, str]]:
        return [row for row in self.rows if not row["answer"] and not self.is_veto]


def pages(hand: HandMarks) -> list[ItemPage]:
    """The pages in the order of lessons and items. Rows that belong to nothing are on none."""
    found: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in hand.rows:
        if hand_marks.is_markable(row):
            found.setdefault((row["lesson"], row["item"]), []).append(row)
    return [ItemPage(*key, tuple(rows)) for key, rows in sorted(found.items())]


class _Handler(BaseHTTPRequestHandler):
    server: MarksServer
    timeout = 30

    def do_GET(self) -> None:
        path = self._path()
        if path is None:
            return self._answer(HTTPStatus.FORBIDDEN, b"use the address that the command printed")
        try:
            known = pages(hand_marks.read(self.server.folder))
        except UserError as error:
            return self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, str(error).encode())
        if not path and known:
            first = next((one for one in known if one.marked < len(one.rows) and not one.is_veto), known[0])
            return self._answer(HTTPStatus.FOUND, b"", Location=self.server.url + first.path)
        page = next((one for one in known if one.path == path), None)
        if page:
            return self._html(page, known)
        self._answer(HTTPStatus.NOT_FOUND, b"no such page")

    def do_POST(self) -> None:
        if self._path() != "mark" or self.headers.get_content_type() != "application/json":
            return self._answer(HTTPStatus.FORBIDDEN, b"use the page that the command opened")
        try:
            size = min(int(self.headers.get("Content-Length", 0)), _MOST_BODY)
            asked = json.loads(self.rfile.read(size))
            problem = self.server.mark(*(str(asked[name]) for name in ("row", "marks", "comment")))
        except (ValueError, KeyError, TypeError):
            return self._answer(HTTPStatus.BAD_REQUEST, b"no such row; load the page again")
        except (UserError, OSError) as error:
            return self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, str(error).encode())
        self._answer(HTTPStatus.OK, json.dumps({"problem": problem}).encode(), "application/json")

    def _path(self) -> str | None:
        """What follows the token; None where it is not ours, or a name of another host leads here."""
        host, port = map(str, self.server.server_address[:2])
        token, _, path = unquote(self.path.lstrip("/")).partition("/")
        ours = hmac.compare_digest(token.encode(), self.server.token.encode())
        return path if ours and self.headers.get("Host") in (f"{host}:{port}", f"localhost:{port}") else None

    def _html(self, page: ItemPage, known: list[ItemPage]) -> None:
        values = {"page": page, "pages": known, "rubric": rubric.load(page.lesson)}
        nonce = secrets.token_urlsafe(16)
        body = render("marks.html", nonce=nonce, root=f"/{self.server.token}/", **values)
        self._answer(HTTPStatus.OK, body.encode(), "text/html")

    def _answer(self, status: HTTPStatus, body: bytes, kind: str = "text/plain", **headers: str) -> None:
        self.send_response(status)
        for name, value in (_HEADERS | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """The terminal is for what the instructor should read."""
