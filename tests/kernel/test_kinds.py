"""One table says all of a kind of finding: what it has forgotten is an error with a sentence."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from gemmlab.kernel.kinds import KINDS, FindingKind, read_kinds
from gemmlab.kernel.verdict import Finding

RACE = {name: value for name, value in asdict(KINDS["race"]).items() if name != "name"}


def test_an_entry_is_read_as_it_stands():
    assert read_kinds({"race": RACE}) == {"race": KINDS["race"]}


@pytest.mark.parametrize("forgotten", RACE)
def test_a_forgotten_field_is_named(forgotten):
    entry = {name: value for name, value in RACE.items() if name != forgotten}
    with pytest.raises(ValueError, match=f"the finding kind 'new' does not say its {forgotten}$"):
        read_kinds({"new": entry})


def test_a_field_too_many_is_named():
    with pytest.raises(ValueError, match="the finding kind 'new' says colour, which no kind has"):
        read_kinds({"new": {**RACE, "colour": "red"}})


def test_a_severity_is_one_of_two():
    with pytest.raises(ValueError, match="the severity of the finding kind 'new' is neither error nor warning"):
        read_kinds({"new": {**RACE, "severity": "grave"}})


def test_two_kinds_at_one_place_of_a_report_are_named():
    with pytest.raises(ValueError, match="the finding kinds 'race' and 'new' have the same order|'new' and 'race'"):
        read_kinds({"race": RACE, "new": RACE})


def test_a_kind_that_is_not_in_the_table_says_where_the_table_is():
    with pytest.raises(ValueError, match="gemmlab/kernel/kinds.py has no finding kind 'deadlock'; it has race, "):
        Finding("deadlock", "Nothing moves.")


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_words_of_a_kind(kind: FindingKind):
    assert Finding(kind.name, "A fault.").severity == kind.severity
    assert kind.words and kind.title and kind.title_as_warning and kind.title != kind.title_as_warning
    assert kind.meaning[0].isupper() and kind.meaning[-1] not in ".,;"
    assert kind.veto or not kind.vetoed_if


@pytest.mark.parametrize(
    ("name", "named", "fails"),
    [
        ("race", [], True),
        ("counter", [], False),
        ("counter", ["a race", "more memory traffic than needed"], True),
        ("wrong_result", ["a wrong result"], False),
    ],
)
def test_what_fails_a_lesson(name, named, fails):
    assert KINDS[name].vetoes(named) is fails
