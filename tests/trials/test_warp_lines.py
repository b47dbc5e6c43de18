"""The requests of a warp, line by line: they must cost what the emulator counts for the same lines."""

from __future__ import annotations

from math import prod

import pytest

from gemmlab.check.profile import profile_source
from gemmlab.course import lesson as lessons
from gemmlab.errors import UserError
from gemmlab.pictures.warps.warp_lines import line_picture, lines_table
from gemmlab.trials.warp_view import AFTER, BEFORE, warp_view_of

SHAPE = (128, 128, 32)


def view_of(name: str, **bodies: str):
    lesson = lessons.load(name)
    return warp_view_of(lesson.kernel, lesson.solution, bodies, SHAPE)


@pytest.mark.parametrize("name", ["01", "03", "05", "06", "07", "08"])
def test_the_lines_cost_what_the_emulator_counts(name):
    lesson = lessons.load(name)
    counted = profile_source(lesson.solution, "kernel.cu", lesson.launch, SHAPE).counters.lines
    view, launch = view_of(name), lesson.launch.at(*SHAPE)
    costs: dict[tuple, int] = {}
    for warp in range(prod(launch.block) // 32):
        for line in view.lines(BEFORE, warp):
            key = line.line, line.is_global, line.is_store
            costs[key] = costs.get(key, 0) + sum(line.costs) * prod(launch.grid)
    for (line, is_global, is_store), cost in costs.items():
        counts = counted[line]
        sectors = counts.global_store_sectors if is_store else counts.global_load_sectors
        wavefronts = counts.shared_store_wavefronts if is_store else counts.shared_load_wavefronts
        assert cost == (sectors if is_global else wavefronts), (line, is_global, is_store)


def test_a_change_is_drawn_beside_the_kernel():
    view = view_of("07", pad="#define PAD 0")
    stores = [place for place, line in enumerate(view.lines(BEFORE, 0)) if line.array == "As" and line.is_store]
    picture = line_picture(view.versions(stores[0], 0), 0)
    assert "your kernel, line" in picture.alt and "a 2-way conflict" in picture.alt
    assert "with the change, line" in picture.alt and "a 4-way conflict" in picture.alt
    assert len(picture.figure.axes) == 2
    table = lines_table(view.source, *view.both(0))
    assert "after the change" in table and "As\\[" not in table and "`As[a_col + 0][r] = v.x;`" in table
    assert view.lines(AFTER, 0)


def test_a_request_further_down_the_matrix_is_seen():
    view = view_of("01")
    stores = [place for place, line in enumerate(view.lines(BEFORE, 7)) if line.array == "C"]
    picture = line_picture(view.versions(stores[0], 7), 0)
    assert (picture.figure.axes[0].images[0].get_array() == 2).sum() == 32


def test_a_line_is_named_by_its_number_or_by_a_part_of_its_text():
    view = view_of("03")
    number = view.lines(BEFORE, 0)[view.find("Bs[ty][tx] =", 0)].line
    assert "Bs[ty][tx] =" in view.source.split("\n")[number - 1]
    assert view.lines(BEFORE, 0)[view.find(number, 0)].line == number
    with pytest.raises(UserError, match="line Cs asks nothing of memory"):
        view.find("Cs", 0)


def test_a_line_or_a_warp_that_is_not_there_is_refused():
    with pytest.raises(UserError, match="line 1 asks nothing of memory; these do: "):
        view_of("03").find(1, 0)
    with pytest.raises(UserError, match="a block has the warps 0 to 7"):
        view_of("03").find(None, 8)
