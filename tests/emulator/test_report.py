"""One cause, one finding, the cause first: what a check finds in a kernel with one fault, and in which order."""

from __future__ import annotations

import pytest
from student_kernels import student_kernels

from gemmlab.check.check import check_kernel
from gemmlab.kernel.causes import causes_first, merge, without_followers
from gemmlab.kernel.verdict import Finding

FOUND = {
    "01_naive_mapping/no_guard": ["out_of_bounds", "out_of_bounds", "out_of_bounds", "wrong_result"],
    "02_tiled_fma/no_first_barrier": ["race", "wrong_result"],
    "02_tiled_fma/no_second_barrier": ["race", "wrong_result"],
    "03_two_barriers/barrier_for_some": ["barrier_divergence", "wrong_result"],
    "04_ragged_edges/store_without_n": ["out_of_bounds", "wrong_result"],
    "08_double_buffer/no_barrier": ["race", "wrong_result"],
    "08_double_buffer/waits_for_all_but_one": ["race", "wrong_result"],
}
STUDENTS = {one.name: one for one in student_kernels()}


@pytest.mark.parametrize("name", FOUND)
def test_one_cause_is_one_finding(name: str):
    one = STUDENTS[name]
    verdict = check_kernel(one.kernel, one.text, one.path.name, backend="emulator")
    assert [finding.kind for finding in verdict.findings] == FOUND[name]
    assert not verdict.findings[0].details.get("one_warp"), "two warps make the clearer example"


def finding(kind: str, severity: str = "", count: int = 1, **details: object) -> Finding:
    return Finding(kind, f"A {kind}.", severity, details=details, count=count)


OUTSIDE = finding("out_of_bounds", arrays=["C"], lines=[24])
OUTSIDE_TILE = finding("out_of_bounds", arrays=["As"], lines=[16], shared=True)
MISSED = finding("barrier_divergence", lines=[18])


@pytest.mark.parametrize(
    ("cause", "follower", "follows"),
    [
        (MISSED, finding("race", arrays=["As"], lines=[16], shared=True), True),
        (MISSED, finding("race", arrays=["As"], lines=[16], shared=True, no_barrier=True), False),
        (MISSED, finding("race", arrays=["C"], lines=[24]), False),
        (MISSED, finding("uninitialized", lines=[24], shared=True), True),
        (MISSED, finding("barrier_divergence", lines=[22], left=True), True),
        (finding("barrier_divergence", lines=[18], warp=True), finding("race", lines=[16], shared=True), False),
        (finding("misaligned", arrays=["A"], lines=[9]), finding("out_of_bounds", arrays=["A"], lines=[9]), True),
        (finding("race", arrays=["C"], lines=[9]), finding("race", "warning", arrays=["C"], lines=[9]), True),
    ],
)
def test_what_follows_from_another_fault_is_left_out(cause: Finding, follower: Finding, follows: bool):
    for findings in ([cause, follower], [follower, cause]):
        assert (follower not in without_followers(findings)) == follows and cause in without_followers(findings)


@pytest.mark.parametrize(
    ("overrun", "race", "follows"),
    [
        (OUTSIDE, finding("race", arrays=["C"], lines=[24]), True),
        (OUTSIDE, finding("race", arrays=["C"], lines=[30]), False),
        (OUTSIDE, finding("race", arrays=["As"], lines=[24]), False),
        (OUTSIDE_TILE, finding("race", arrays=["As"], lines=[16], shared=True), False),
    ],
)
def test_a_race_follows_an_overrun_only_where_c_ends_inside_of_a_tile(overrun: Finding, race: Finding, follows: bool):
    assert without_followers([overrun, race]) == [overrun, race]
    assert without_followers([overrun, race], at_edge=True) == ([overrun] if follows else [overrun, race])


def test_errors_come_before_warnings_and_causes_before_what_they_make():
    given = [
        finding("race", "warning"),
        finding("wrong_result"),
        finding("race", one_warp=True),
        finding("race"),
        OUTSIDE,
    ]
    told = causes_first(given)
    assert [one.kind for one in told] == ["out_of_bounds", "race", "race", "wrong_result", "race"]
    assert not told[1].details and told[2].details and not told[-1].is_error


def test_the_clearer_example_of_one_fault_stays():
    within = finding("race", place="race|RACE_RAW", one_warp=True, count=3)
    between = finding("race", place="race|RACE_RAW", count=4)
    for findings in ([within, between], [between, within]):
        (one,) = merge(findings)
        assert one.count == 7 and "one_warp" not in one.details


def test_faults_of_two_kernels_stay_apart():
    one, other = (finding("out_of_bounds", place="out_of_bounds|partial", kernel=name) for name in ("part", "reduce"))
    assert merge([one, other]) == [one, other]
