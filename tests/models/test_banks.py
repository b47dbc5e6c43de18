"""Banks: what is worked out for a request is what the emulator counts for the kernel that makes it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from student_kernels import student_kernel

from gemmlab.course.lesson import load
from gemmlab.cuda.sizes import Sizes, sizes_of, with_sizes
from gemmlab.errors import UserError
from gemmlab.models.autotune import launch_spec
from gemmlab.models.banks import BankRequest, request
from gemmlab.pictures.warps.banks import bank_picture, describe_banks
from gemmlab.trials.counts import tally

SIZES = Sizes(128, 64, 16, 8, 8)
SWIZZLE = "c * 128 + (r ^ 8 * (c / 4 % 4))"
STORES = 4 * 4 * 4  # four times four stores by each of the four warps, for one K tile
ONE_TILE = (128, 64, 16)


@pytest.mark.parametrize("pad", [0, 4, 8, 12, 16])
def test_the_store_to_As_has_as_many_wavefronts_as_the_emulator_counts(pad):
    lesson = load("07")
    source = lesson.solution.replace("#define PAD 4", f"#define PAD {pad}")
    counted = tally(lesson.kernel, source, ONE_TILE, "sm_80")
    assert counted.conflicts == STORES * (request(f"c * {128 + pad} + r", SIZES).wavefronts - 1)


def test_padding_by_4_does_not_remove_the_conflict_and_a_swizzle_does():
    wavefronts = [request(f"c * {row} + r", SIZES).wavefronts for row in (128, 129, 130, 132, 136)]
    assert wavefronts == [4, 2, 1, 2, 4]
    assert request(SWIZZLE, SIZES).wavefronts == 1
    lesson = load("07")
    source = student_kernel("07_vector_and_banks/right_swizzle").text
    assert tally(lesson.kernel, source, ONE_TILE, "sm_80").conflicts == 0


def test_a_patch_of_8x8_in_one_piece_conflicts_and_pieces_of_4x4_do_not():
    whole, pieces = load("06"), load("07")
    sizes = sizes_of(pieces.starter)
    launched = replace(whole.kernel, launched_by=launch_spec(sizes))
    read = tally(launched, with_sizes(whole.solution, sizes), ONE_TILE, "sm_80")
    spread = tally(pieces.kernel, pieces.solution, ONE_TILE, "sm_80")
    stores = STORES * (request("c * 132 + r", SIZES).wavefronts - 1)
    assert read.conflicts > 0 == spread.conflicts - stores
    assert [request(word, SIZES, 4).degree for word in ("tx * 8", "tx * 4", "ty * 4")] == [2, 1, 1]


def test_lanes_that_want_one_word_are_served_together():
    assert request("0", SIZES).wavefronts == 1
    assert request("tx", SIZES).in_banks(range(32))[3] == {3: [3, 11, 19, 27]}
    assert request("32 * (8 * ty + tx)", SIZES).wavefronts == 32


def test_wide_requests_go_in_groups():
    wide = BankRequest(tuple(range(0, 128, 4)), 4)
    assert [len(group) for group in wide.groups] == [8] * 4 and wide.wavefronts == 4 and wide.degree == 1


@pytest.mark.parametrize(
    ("expression", "width", "words"),
    [
        ("c * row", 1, "cannot read 'c \\* row'"),
        ("tx - 4", 1, "is negative for some thread"),
        ("tx", 3, "1, 2 or 4 floats at once"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(expression, width, words):
    with pytest.raises(UserError, match=words):
        request(expression, SIZES, width)


def test_the_picture_says_what_it_shows():
    requests = {word: request(word, SIZES) for word in ("c * 128 + r", SWIZZLE)}
    picture = bank_picture(requests)
    assert picture.png() and picture.alt == describe_banks(requests)
    assert "c * 128 + r: 8 of 32 banks are in use, bank 0 has 4 words, a 4-way conflict." in picture.alt
    assert f"{SWIZZLE}: 32 of 32 banks are in use, no bank has more than one word, no conflict." in picture.alt
