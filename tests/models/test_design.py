"""Tile sizes under the roof, and occupancy: the figures, and what the sliders do."""

from __future__ import annotations

import pytest
from cell_outputs import in_page, said

from gemmlab.course import lesson as lessons
from gemmlab.errors import UserError
from gemmlab.kernel.limits import occupancy
from gemmlab.models.ceilings import Ceilings, Point
from gemmlab.models.design import Design, intensity_of, points
from gemmlab.panels.design_controls import DesignControls
from gemmlab.panels.occupancy_controls import OccupancyControls
from gemmlab.pictures.speed.occupancy import BlockUse, describe_occupancy, occupancy_picture
from gemmlab.trials.variant import compiled

SHAPE = (1024, 1024, 1024)
EXAMPLE = Ceilings(20_000, 900, "an example")


@pytest.mark.parametrize("TILE", [8, 16, 32, 64, 128])
def test_the_intensity_is_a_quarter_of_the_tile(TILE):
    assert [point.intensity for point in points(Design(TILE), SHAPE)] == [0.25, TILE / 4]


def test_a_design_that_no_gpu_takes_says_why():
    assert "4,096 threads are more than the 1,024 of a block" in Design(64).misfit
    assert Design(64, 4, 4).misfit == "" and Design(64, 4, 4).threads == 256
    assert "0.5 reads from shared memory" in Design(64, 4, 4).words(SHAPE).replace("\n", " ")
    with pytest.raises(UserError, match="TILE is one of 8, 16"):
        Design(17)


@pytest.mark.parametrize(("lesson", "sizes"), [("02", (16,)), ("06", (64, 4, 4))])
def test_a_design_takes_the_shared_memory_that_the_lessons_kernel_takes(lesson, sizes):
    kernel = lessons.load(lesson).kernel
    resources = compiled(kernel, kernel.solution).resources[kernel.launch.kernel]
    assert Design(*sizes).shared_bytes == resources.shared_bytes


def test_square_tiles_grow_with_both_sides():
    assert [Design(TILE).shared_bytes for TILE in (16, 32)] == [2048, 8192]
    assert "32 k deep: 8,192 bytes" in Design(32).words(SHAPE)
    assert "131,072 bytes of shared memory" in Design(128).words(SHAPE)
    assert Design(128, 8, 8).shared_bytes == 16384


def test_kernels_of_the_lessons_have_their_places_on_the_roof():
    found = {name: intensity_of(lessons.load(name).starter, SHAPE) for name in ("01", "02", "06")}
    assert found == {"01": 0.25, "02": 4, "06": 16}


def test_the_sliders_move_the_point_and_the_roof(outputs):
    controls = DesignControls(Design(16), SHAPE, EXAMPLE, [Point("lesson 02", 4, 3000)])
    controls.show()
    assert "TILE = 16: 4 FLOP/B, 3,600 GFLOPS if nothing is cached" in outputs[1].alt
    assert "measured 3,000 GFLOPS" in outputs[1].alt
    controls.sizes[0].value = 64
    assert "TILE = 64: 16 FLOP/B, 14,400 GFLOPS if" in outputs[1].alt and "an example" in outputs[1].alt
    assert "No GPU takes it" in in_page(controls) and "No GPU takes it" in said(outputs)
    controls.gbs.value = 450
    assert "7,200 GFLOPS if nothing is cached" in outputs[1].alt and "set by hand, not measured" in outputs[1].alt


def test_occupancy_is_drawn_as_it_is_computed():
    picture = occupancy_picture(BlockUse(256, 64, 17_000), "sm_90", "your kernel")
    assert "4 blocks an SM, 32 warps, 50 % occupancy; limited by registers" in picture.alt
    mesh = picture.figure.axes[0].collections[0].get_array()
    assert mesh[0, 0] == 100 and mesh[-1, -1] == 100 * occupancy(256, 248, 227 * 1024 // 4096 * 4096, "sm_90").fraction
    assert picture.figure.axes[1].get_ylabel() == "occupancy (% of the SM's warps)"
    assert "does not fit an SM: registers" in describe_occupancy(BlockUse(1024, 128, 0), "sm_90")


def test_the_cross_is_the_students_kernel_until_a_slider_moves(outputs):
    controls = OccupancyControls(BlockUse(256, 32, 2048), "sm_90", "your kernel")
    controls.show()
    assert "your kernel with 256 threads" in outputs[1].alt and "100 % occupancy" in outputs[1].alt
    controls.registers.value = 128
    assert "this block with 256 threads, 128 registers" in outputs[1].alt and "25 % occupancy" in outputs[1].alt
