"""The verbs of an open lesson: where they stand, how they are found, and what a wrong name or argument gets."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from gemmlab import notebook
from gemmlab.notebook import lookup, registry
from gemmlab.notebook.lesson import NoSuchVerb


@pytest.fixture
def lesson(shown) -> notebook.OpenLesson:
    return notebook.open("02")


@pytest.mark.parametrize("name", lookup.verbs())
def test_a_verb_has_a_file_of_its_name_and_says_what_it_does(name, lesson):
    verb = lookup.verbs()[name]
    assert Path(inspect.getfile(verb)).stem == name
    first = next(iter(inspect.signature(verb).parameters))
    assert first == "desk" and name in dir(lesson)
    bound = getattr(lesson, name)
    assert bound.__doc__ and bound.__name__ == name
    assert "desk" not in inspect.signature(bound).parameters, "what the student writes, and no more"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("chek", "no verb 'chek'. Did you mean lesson.check?"),
        ("recorded", "lesson.recorded_races"),
        ("zzz", "It has attention, banks, board, check"),
    ],
)
def test_an_unknown_verb_names_the_near_ones(lesson, name, words):
    with pytest.raises(NoSuchVerb) as caught:
        getattr(lesson, name)
    assert words in str(caught.value) and caught.value._render_traceback_() == [str(caught.value)]


def test_what_a_notebook_asks_of_every_object_is_no_verb(lesson):
    assert not hasattr(lesson, "_repr_html_") and not hasattr(lesson, "_ipython_display_")


def test_arguments_that_do_not_fit_are_one_sentence(lesson, shown):
    lesson.tiles((48, 64, 80), thred=(5, 9))
    lesson.progress(1)
    assert "lesson.tiles does not fit" in shown[0].lower() and "It takes: shape, place, thread" in shown[0]
    assert "It takes: nothing" in shown[1]


def test_two_verbs_of_one_name_are_refused(monkeypatch):
    monkeypatch.setattr(registry, "FOUND", {})

    def check(desk):
        """One."""

    registry.verb(check)
    check.__module__ = "elsewhere"
    monkeypatch.setitem(registry.FOUND, "check", check)

    def other(desk):
        """Two."""

    other.__name__ = "check"
    with pytest.raises(ValueError, match="two verbs are called check: in elsewhere and in"):
        registry.verb(other)
