"""The face of the course in a notebook: what a lesson's cells call. Every verb shows its result in the cell.

from gemmlab import notebook
lesson = notebook.open("02")
lesson.check()
"""

from __future__ import annotations

import inspect
from functools import wraps
from types import MethodType

from gemmlab.course import lesson as lessons
from gemmlab.course.lesson import Lesson
from gemmlab.errors import UserError
from gemmlab.markdown import sentence
from gemmlab.notebook import waiting
from gemmlab.notebook.cells import in_notebook, watch
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.folder import settle
from gemmlab.notebook.lookup import near, verbs
from gemmlab.notebook.registry import Verb
from gemmlab.pictures.output import Markdown, show


class _Sentence(UserError):
    """A UserError that a notebook shows as its sentence alone, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class CannotOpen(_Sentence):
    """There is no such lesson, or it cannot be read."""


class NoSuchVerb(_Sentence, AttributeError):
    """An open lesson has no verb of that name."""


def open(which: str) -> OpenLesson:
    """The lesson called '02', 'tiled_fma' or '02_tiled_fma'. A notebook runs in lessons/ from here on."""
    try:
        if in_notebook():
            settle()
        opened = OpenLesson(lessons.load(which))
    except UserError as error:
        raise CannotOpen(str(error)) from None
    if not opened.desk.solved:
        watch(opened.lesson)
        waiting.begin(opened.desk)
    return opened


class OpenLesson:
    """A lesson at work on the student's file. Its verbs are the functions in gemmlab/notebook/verbs.

    In a solved notebook it shows what a student has to earn, keeps no progress, and draws without widgets.
    """

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.desk = Desk(lesson)

    def __getattr__(self, name: str) -> MethodType:
        """The verb of that name. NoSuchVerb, with the names that are near, where there is none."""
        found = None if name.startswith("_") else verbs().get(name)
        if found is None:
            raise NoSuchVerb(_unknown(name))
        return MethodType(_told(found), self)

    def __dir__(self) -> list[str]:
        """The verbs: what the Tab key offers."""
        return ["lesson", *verbs()]


def _unknown(name: str) -> str:
    alike = near(name)
    if alike:
        return f"A lesson has no verb '{name}'. Did you mean {' or '.join(f'lesson.{other}' for other in alike)}?"
    return f"A lesson has no verb '{name}'. It has {', '.join(verbs())}."


def _told(verb: Verb) -> Verb:
    """Show a UserError as its sentence instead of raising it, and then what there is to say of the progress file."""

    @wraps(verb)
    def shown(opened: OpenLesson, *args: object, **kwargs: object) -> None:
        desk = opened.desk
        try:
            _require_fit(verb, args, kwargs)
            with waiting.told(desk):
                verb(desk, *args, **kwargs)
        except UserError as error:
            show(Markdown(sentence(str(error))))
        except KeyboardInterrupt:
            show(Markdown("Stopped: this cell did not end, and says nothing."))
        while desk.notices:
            show(Markdown(sentence(desk.notices.pop(0))))

    return shown


def _require_fit(verb: Verb, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """UserError where the verb does not take such arguments."""
    signature = inspect.signature(verb)
    try:
        signature.bind(None, *args, **kwargs)
    except TypeError as reason:
        own = ", ".join(str(parameter).split(":")[0] for parameter in [*signature.parameters.values()][1:])
        raise UserError(f"lesson.{verb.__name__} does not fit: {reason}. It takes: {own or 'nothing'}") from None
