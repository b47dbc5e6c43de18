"""How blocks come to the SMs, what those at the edges do, and that the path of a warp has the loads of every turn."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from gemmlab.course.lesson import find_root
from gemmlab.kernel.counters import LineCounters, Touched
from gemmlab.kernel.launch import cdiv
from gemmlab.model import flow, grid, sass
from gemmlab.model.cubin import machine_code
from gemmlab.model.sample import Edges, _usual, sampled
from gemmlab.trials.candidate import Candidate

sys.path.append(str(find_root() / "tools"))
from model_kernels import published  # noqa: E402  a tool is no module of a package

KERNELS = {kernel.name: kernel.candidate for kernel in published()}
ALIKE = grid.pace([1.0, 4.0], [100.0, 100.0], 4)  # a block takes as long beside three others
IN_TURN = grid.pace([0.0, 4.0], [0.0, 400.0], 4)  # blocks of an SM share what decides


def block_of(name: str, shape: tuple[int, int, int]):
    one: Candidate = KERNELS[name]
    program, (launch,) = one.compiled("sm_90"), one.launches(shape)
    return program, launch, sampled(program, launch, launch, shape)


def cycles(width, pace=ALIKE, slots: int = 4, sms: int = 2) -> float:
    width = np.array(width, float)
    return grid.dealt(width, np.ones(len(width)), pace, slots, sms).cycles


def test_a_round_takes_as_long_as_its_simulation():
    assert cycles(np.ones(8)) == pytest.approx(100, rel=grid.SPREAD)
    assert cycles(np.ones(9)) == pytest.approx(200, rel=grid.SPREAD)
    assert cycles(np.ones(16), IN_TURN) == pytest.approx(800, rel=grid.SPREAD)


def test_blocks_with_few_warps_leave_their_sm_to_others():
    """Two of eight blocks have an eighth of the warps; where all share what decides, their SMs are done early."""
    full, ragged = np.ones(8), np.array([1, 1, 1, 1, 1, 1, 1 / 8, 1 / 8])
    assert cycles(full, IN_TURN) == pytest.approx(400, rel=grid.SPREAD)
    assert cycles(ragged, IN_TURN) == pytest.approx(3.125 * 100, rel=grid.SPREAD)
    assert cycles(ragged, ALIKE) == pytest.approx(100, rel=grid.SPREAD)  # where latency decides, they take as long


def test_an_sm_without_blocks_is_idle():
    dealt = grid.dealt(np.ones(1), np.ones(1), ALIKE, 4, 2)
    assert dealt.used == pytest.approx(0.5) and dealt.blocks == 1


def test_rounds_that_are_not_followed_count_as_well(monkeypatch):
    whole = cycles(np.ones(804), IN_TURN)
    monkeypatch.setattr(grid, "_MOST", 100)
    assert cycles(np.ones(804), IN_TURN) == pytest.approx(whole, rel=grid.SPREAD)


def test_edges_lie_at_the_ends_of_rows_and_columns():
    width, work = Edges((3, 2, 2), 4, right=0.5, bottom=0.25, corner=0.125, last_layer=0.5).sizes()
    assert width.reshape(2, 2, 3)[0].tolist() == [[1, 1, 0.5], [0.25, 0.25, 0.25]]
    assert work.reshape(2, 2, 3)[:, 1].tolist() == [[1, 1, 0.5], [0.5, 0.5, 0.25]]  # half of what one warp does


def test_blocks_at_the_edge_are_counted_apart_where_the_shape_is_ragged():
    """Blocks of 8×32: the last one of a column has 9 rows of 32, in 3 warps of 8; that of a row 1 column, in all."""
    _, _, even = block_of("block_8x32", (64, 64, 128))
    _, _, ragged = block_of("block_8x32", (73, 33, 128))
    assert even.edges is None and ragged.edges is not None
    assert ragged.edges.bottom == pytest.approx(3 / 8, abs=0.04) and ragged.edges.right == pytest.approx(1, abs=0.05)


def test_a_request_that_was_cut_off_is_none_to_go_by():
    """K = 33 in tiles of 16: the last request of A had one word of each of its rows."""
    _, _, block = block_of("row_of_16", (64, 64, 33))
    touched = [one for one in block.touched.values() if one.array == "A"]
    assert touched and all(one.words > 16 and one.in_a_bank >= 2 for one in touched)


def test_a_whole_request_stays_as_it_is():
    last, counted = Touched("A", 32, 1, 128), LineCounters(global_load_requests=4, global_load_bytes=512)
    assert _usual(last, counted, 1) == last
    cut_off = _usual(Touched("A", 2, 1, 8), counted, 2)
    assert cut_off == replace(last, words=32, in_a_bank=2, bytes=8)


@pytest.mark.parametrize("name", ["persistent_32x64", "vector_loads_32x128"])
def test_each_turn_of_a_loop_over_tiles_loads_them(name: str):
    """The loop that fills a tile is entered in each turn, and not once for all turns together."""
    shape = (128, 128, 512)
    program, launch, block = block_of(name, shape)
    found = machine_code(program.machine_code, program.symbol(launch.kernel))
    assert found
    code, warps = sass.instructions(found), cdiv(launch.block[0] * launch.block[1], 32)
    flows = flow.solved(code, {line: counted.instructions / warps for line, counted in block.lines.items()})
    whole = [code[flows.blocks[n].start : flows.blocks[n].end] for n in flow.path(flows, 4000)]
    ran = [one for part in whole for one in part]
    kinds = "".join("L" if one.base == sass.LDG else "M" for one in ran if one.base == sass.LDG or one.unit == sass.FMA)
    turns = [len(part) for part in kinds.split("L") if len(part) > 1]
    assert len(turns) > 2 and max(turns[:-1]) <= 2 * min(turns[:-1])
