"""What the HTML pages share: templates that escape all that is put into them, and how marks are written."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

_TEMPLATES = Path(__file__).resolve().parent / "templates"
_OURS = '<svg xmlns="http://www.w3.org/2000/svg"'
STATUS_WORDS = {
    "passed": "right",
    "failed": "wrong",
    "compile_error": "does not compile",
    "timeout": "does not come to an end",
    "unattempted": "not attempted",
    "unreadable": "could not be read",
}
RESULT_WORDS = {"passed": "passed", "failed": "not passed", "open": "not decided yet"}
FINDING_WORDS = {"counter": "memory traffic", "barrier_divergence": "barrier not reached by all", "": "stopped"}


def render(template: str, **values: object) -> str:
    """The page. Every value is escaped; templates alone say what is HTML."""
    return _environment().get_template(template).render(**values)


def marks(value: float | None) -> str:
    """Marks for reading, with two decimals at most; a dash where there are none yet."""
    return "–" if value is None else f"{round(value, 2):g}"


def finding_words(kind: str) -> str:
    """A kind of finding for reading."""
    return FINDING_WORDS.get(kind, kind.replace("_", " "))


def _picture(svg: str) -> Markup:
    """A picture that wrong_picture.py drew, which is the only HTML that results hold."""
    return Markup(svg if svg.startswith(_OURS) else "")


@cache
def _markdown() -> MarkdownIt:
    """Sets words, code, lists and tables. HTML, links and pictures are shown as they were typed."""
    return MarkdownIt("js-default", {"html": False}).disable(["image", "link", "autolink"])


def _blocks(text: str) -> Markup:
    return Markup(_markdown().render(text))


def _inline(text: str) -> Markup:
    return Markup(_markdown().renderInline(text))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        marks=marks,
        picture=_picture,
        markdown=_blocks,
        inline=_inline,
        finding=finding_words,
        status=STATUS_WORDS.__getitem__,
        result=RESULT_WORDS.__getitem__,
    )
    return environment
