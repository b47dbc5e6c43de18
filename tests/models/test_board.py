"""The board's shapes and score, and what bounds a product at each of them."""

from __future__ import annotations

import pytest

from gemmlab.errors import UserError
from gemmlab.models.board import SHAPES, bound, named, score
from gemmlab.models.ceilings import Ceilings

EVEN = dict.fromkeys(SHAPES, 1.0)
LARGE, *_, DECODE = SHAPES


def test_the_board_has_every_kind_of_shape():
    assert len(SHAPES) == 7
    assert {(4096,) * 3, (2048,) * 3, (1024,) * 3, (1024, 1024, 512), (1001, 777, 513), (256, 256, 8192)} <= {*SHAPES}
    assert DECODE[0] == 1 and named(DECODE) == "1×11008×4096"


def test_a_score_is_the_geometric_mean():
    assert score(EVEN) == 1.0
    assert score(EVEN | {LARGE: 0.5}) == pytest.approx(0.5 ** (1 / 7)) == pytest.approx(score(EVEN | {DECODE: 0.5}))
    assert score(EVEN | {LARGE: 0.5, DECODE: 2.0}) == pytest.approx(1.0)


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("nan"), float("inf")])
def test_what_is_no_speed_has_no_score(ratio):
    with pytest.raises(UserError, match="positive number"):
        score(EVEN | {DECODE: ratio})


def test_a_shape_left_out_leaves_no_score():
    with pytest.raises(UserError, match="without a time at 256×256×8192"):
        score({shape: 9.0 for shape in SHAPES if shape[2] != 8192})


def test_the_roofline_of_a_shape():
    ceilings = Ceilings(gflops=1000, gbs=100, source="an example")
    cube, row = bound((64, 64, 64), ceilings), bound((1, 64, 64), ceilings)
    assert cube.intensity == pytest.approx(2 * 64 / 12) and row.intensity < 0.5
    assert (cube.limit, row.limit) == ("arithmetic", "memory")
    assert cube.least_ms == pytest.approx(2 * 64**3 / 1e12 * 1e3) and row.least_ms == row.memory_ms > row.arithmetic_ms
