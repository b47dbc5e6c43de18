"""The pictures: what is drawn, and that each says in words what it shows."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from rich.text import Text

from gemmlab.errors import UserError
from gemmlab.kernel.tolerance import make_inputs
from gemmlab.markdown import escape, plain
from gemmlab.models.ceilings import Ceilings, Point
from gemmlab.models.simulator import steps, traffic_naive, traffic_tiled
from gemmlab.notebook.verbs.tiles.step import StepPictures
from gemmlab.pictures.output import Markdown, Report
from gemmlab.pictures.speed.ladder import Rung, ladder
from gemmlab.pictures.speed.profile import intensities, scaled, traffic_table
from gemmlab.pictures.speed.roofline import roofline
from gemmlab.pictures.tiles.step import step_picture
from gemmlab.pictures.tiles.tiles import tile_picture
from gemmlab.pictures.tiles.wrong import wrong_elements

RAGGED = (35, 45, 25)
PNG = b"\x89PNG\r\n\x1a\n"


def texts(figure) -> str:
    """All that is written in a figure."""
    import matplotlib.text

    return "\n".join(text.get_text() for text in figure.findobj(matplotlib.text.Text))


def patches(picture, color: str, axes: int = 0):
    """(x, y, width, height) of the filled rectangles of that colour."""
    from matplotlib.colors import to_rgba

    found = [patch for patch in picture.figure.axes[axes].patches if patch.get_fill()]
    return [
        (*patch.get_xy(), patch.get_width(), patch.get_height())
        for patch in found
        if patch.get_facecolor() == to_rgba(color)
    ]


def test_importing_the_face_of_the_notebook_draws_nothing_in():
    heavy = "{'matplotlib', 'numba', 'cupy', 'ipywidgets'}"
    code = f"import sys, gemmlab.notebook; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_picture_is_a_png_with_the_same_bytes_and_its_words():
    picture = tile_picture((48, 64, 80), 16, (1, 2, 2), (5, 9))
    data, metadata = picture._repr_mimebundle_()
    assert picture.png().startswith(PNG) and picture.png() == picture.png()
    assert data["text/plain"] == picture.alt == metadata["image/png"]["alt"]
    assert picture.figure.get_facecolor() == (1, 1, 1, 1), "opaque, for dark notebooks"


def test_the_tiles_of_a_step_lie_where_the_kernel_reads():
    picture = tile_picture(RAGGED, 16, (2, 1, 1), (1, 3))
    (A,), (B,), (C,) = (patches(picture, color) for color in ("#0072B2", "#E69F00", "#009E73"))
    assert A[2:] == (9, 3) and B[2:] == (16, 9) and C[2:] == (16, 3)
    assert C[0] == B[0] and C[1] == A[1], "C's tile lies right of A's and under B's"
    assert A[0] == 16, "k runs along A"
    assert "rows 32 to 34 and columns 16 to 31" in picture.alt and "k = 16 to 24" in picture.alt
    assert "C[33][19]" in picture.alt and "outside the matrices hold 0" in picture.alt


def test_whole_tiles_speak_of_no_zero_fill():
    picture = tile_picture((32, 32, 32), 16, (0, 0, 0))
    assert "hold 0" not in picture.alt and "filled with 0" not in texts(picture.figure)


@pytest.mark.parametrize("place", [(3, 0, 0), (0, 3, 0), (0, 0, 2)])
def test_a_tile_that_is_not_there_is_refused(place):
    with pytest.raises(UserError, match="is none of them"):
        tile_picture(RAGGED, 16, place)


def test_a_step_shows_its_values_and_hides_the_zero_fill():
    A, B = make_inputs("integer", RAGGED, 2)
    first, second = list(steps(A, B, 16))[16:18]
    picture = step_picture(second, first.acc, RAGGED)
    Bs, As = (np.ma.filled(axes.images[0].get_array(), np.nan) for axes in picture.figure.axes[2:4])
    assert np.array_equal(As[:3, :9], A[32:, 16:]) and np.isnan(As[3:]).all() and np.isnan(As[:, 9:]).all()
    assert np.array_equal(Bs[:9, :13], B[16:, 32:]) and np.isnan(Bs[9:]).all()
    whole = A.astype(int) @ B.astype(int)
    assert second.acc[0, 0] == whole[32, 32]
    assert f"goes from {first.acc[0, 0]:g} to {whole[32, 32]}" in picture.alt
    assert "229 of 256 slots of As and 139 of 256 slots of Bs" in picture.alt


def test_the_steps_run_through_all_blocks_and_start_each_at_zero():
    pictures = StepPictures(RAGGED, 16)
    assert len(pictures) == 18
    assert "goes from 0 to" in pictures[16].alt and "goes from 0 to" not in pictures[17].alt
    with pytest.raises(UserError, match="too large to step through"):
        StepPictures((1024, 1024, 1024), 16)


def test_wrong_elements_are_drawn_in_place_and_their_tiles_named():
    wrong = np.zeros((35, 45), bool)
    wrong[:, 32:] = True
    picture = wrong_elements(wrong, RAGGED, (16, 16))
    cells = picture.figure.axes[0].images[1].get_array()
    assert np.array_equal(cells[..., 3] > 0, wrong)
    assert "455 of 1,575 elements are wrong, in 3 of 9 tiles" in picture.alt and "(0, 2), (1, 2), (2, 2)" in picture.alt


def test_one_wrong_element_of_a_large_matrix_is_still_seen():
    wrong = np.zeros((600, 1000), bool)
    wrong[333, 444] = True
    picture = wrong_elements(wrong, (600, 1000, 8), (16, 16))
    tiles, cells = (image.get_array() for image in picture.figure.axes[0].images)
    assert (cells[..., 3] > 0).sum() == 1 and cells[333 // 4, 444 // 4, 3] == 1
    assert len(np.unique(tiles.reshape(-1, 4), axis=0)) == 2
    assert "1 of 600,000 elements is wrong" in picture.alt and "(20, 27)" in picture.alt


def test_all_wrong_and_none_wrong():
    ends = {True: "15 of 15 elements are wrong, in every tile.", False: "0 of 15 elements are wrong."}
    for wrong, end in ends.items():
        assert wrong_elements(np.full((3, 5), wrong), (3, 5, 7), (2, 4)).alt.endswith(end)


def test_tiles_need_not_be_square():
    wrong = np.zeros((8, 8), bool)
    wrong[3, 5] = True
    assert "in tiles of 2×4" in wrong_elements(wrong, (8, 8, 8), (2, 4)).alt
    assert wrong_elements(wrong, (8, 8, 8), (2, 4)).alt.endswith("1 of 8 tiles (tile row, tile column): (1, 1).")


POINTS = [Point("naive", 0.25), Point("tiled", 4.0)]
H200 = Ceilings(61700.0, 4090.0, "recorded on an NVIDIA H200; not this machine")


def test_a_roofline_without_ceilings_has_no_speeds():
    picture = roofline(POINTS)
    assert "No ceilings were measured here" in texts(picture.figure) and "GFLOPS" not in texts(picture.figure)
    assert "GFLOPS" not in picture.alt
    assert picture.figure.axes[0].get_yticks().size == 0


def test_a_roofline_names_where_its_ceilings_come_from():
    picture = roofline(POINTS, H200)
    assert H200.source in texts(picture.figure) and H200.source in picture.alt
    assert H200.ridge == pytest.approx(15.0856, rel=1e-4)
    assert "4 FLOP/B, 16,360 GFLOPS if nothing is cached" in picture.alt and "measured" not in picture.alt


def test_above_the_ridge_the_arithmetic_is_the_limit():
    assert H200.attainable(100.0) == 61700.0 and H200.attainable(1.0) == 4090.0


def test_a_measured_point_is_filled_and_a_bound_is_open():
    picture = roofline([POINTS[0], Point("tiled", 4.0, 6100.0)], H200)
    fills = [line.get_fillstyle() for line in picture.figure.axes[0].lines if line.get_marker() in "os"]
    assert fills == ["none", "full"]
    assert "tiled: 4 FLOP/B, measured 6,100 GFLOPS" in picture.alt


def test_a_ladder_without_times_says_so():
    picture = ladder([Rung("02_tiled_fma", "passed"), Rung("03_two_barriers", "open")])
    assert "No kernel was timed yet" in picture.alt and "GFLOPS" not in texts(picture.figure)
    assert "02_tiled_fma: public cases passed; 03_two_barriers: not attempted" in picture.alt


def test_a_ladder_shows_each_speed_beside_cublas():
    rung = Rung("02_tiled_fma", "passed", 6100.0, 51400.0, 0.12, "NVIDIA H200")
    picture = ladder([Rung("01_naive_mapping", "tried"), rung])
    (bar,) = picture.figure.axes[0].containers
    assert bar[0].get_width() == 6100.0 and picture.figure.axes[0].lines[0].get_xdata()[0] == 51400.0
    assert "6,100 GFLOPS, 12 % of cuBLAS" in picture.alt and "Measured on NVIDIA H200" in picture.alt


def test_the_table_holds_the_sums_of_the_lesson():
    table = traffic_table((1024, 1024, 1024), 16)
    assert "| read from global memory | 8.59 GB | 536.87 MB |" in table
    assert "| intensity | 0.25 FLOP/B | 4 FLOP/B |" in table


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (536870912, "536.87 MB"), (3e13, "30 TB")]
)
def test_sizes_are_written_by_powers_of_1000(number, text):
    assert scaled(number, "B") == text


def test_numbers_for_reading():
    numbers = {0.25: "0.25", 4.0: "4", 8.589934592: "8.59", 1234.5: "1,234.5", 0.0123: "0.0123"}
    assert [plain(number) for number in numbers] == list(numbers.values())


def test_the_intensities_are_those_of_the_simulator():
    alt = intensities((1024, 1024, 1024), 16, None).alt
    for traffic in (traffic_naive(1024, 1024, 1024), traffic_tiled(1024, 1024, 1024, 16)):
        assert f"{traffic.intensity:g} FLOP/B" in alt


def test_a_report_is_text_and_html_of_the_same_words():
    data = Report(Text("line <31> & more", style="bold red"))._repr_mimebundle_()
    assert data["text/plain"] == "line <31> & more"
    assert "line &lt;31&gt; &amp; more" in data["text/html"] and "font-weight: bold" in data["text/html"]


def test_long_lines_of_a_report_are_broken_by_the_browser():
    sentence = "word " * 60 + "end"
    data = Report(Text(sentence))._repr_mimebundle_()
    assert sentence in data["text/html"] and "white-space: pre-wrap" in data["text/html"]
    assert max(map(len, data["text/plain"].split("\n"))) <= 110 and data["text/plain"].split() == sentence.split()


def test_markdown_keeps_what_looks_like_markup():
    data = Markdown(escape("A[row * K + k] is <b>, `x_y_z`"))._repr_mimebundle_()
    from markdown_it import MarkdownIt

    assert MarkdownIt().render(data["text/markdown"]).strip() == "<p>A[row * K + k] is &lt;b&gt;, `x_y_z`</p>"


def test_tiles_of_one_element_are_the_naive_multiplication():
    table = traffic_table((8, 8, 8), 1)
    assert "| naive |" in table and "tiled" not in table and "shared" not in table
    assert intensities((8, 8, 8), 1, None).alt.count("FLOP/B") == 1
    assert "tiled, T = 4" in traffic_table((8, 8, 8), 4)
