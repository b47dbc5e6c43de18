"""The pictures: what is drawn, and that each says in words what it shows."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from rich.text import Text

from gemmlab.cuda.sizes import Sizes
from gemmlab.errors import UserError
from gemmlab.kernel.elements import FLOAT16
from gemmlab.kernel.tolerance import make_inputs
from gemmlab.markdown import escape, plain
from gemmlab.models.ceilings import Ceilings, Point
from gemmlab.models.ladder import Forecast, Rung
from gemmlab.models.simulator import steps, traffic_naive, traffic_tiled
from gemmlab.notebook.verbs.tiles.step import StepPictures
from gemmlab.pictures.output import Markdown, Report
from gemmlab.pictures.speed.ladder import ladder
from gemmlab.pictures.speed.prediction import lines_table, prediction_text, reasons_picture
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


def test_what_is_predicted_is_never_taken_for_what_was_measured_or_recorded():
    predicted = Forecast(18000.0, 16000.0, 20500.0, 12.0, "shared")
    rungs = [
        Rung("04_ragged_edges", "passed", 7600.0, 33000.0, 0.23, "NVIDIA H200", 7656.0, predicted),
        Rung("05_register_1d", "passed", recorded=18301.0, forecast=predicted),
        Rung("11_tensor_cores", "passed", forecast=Forecast(unknown="It multiplies on tensor cores.")),
        Rung("12_fused_epilogue", "open", remark="no ring, for it was recorded at other shapes."),
    ]
    picture = ladder(rungs, "recorded on a GPU", "predicted for an NVIDIA H200")
    (axes,) = picture.figure.axes
    marks = [line for line in axes.lines if line.get_marker() in ("o", "D")]
    assert {line.get_fillstyle() for line in marks} == {"none"}
    assert [(line.get_marker(), line.get_xdata()[0]) for line in marks] == [
        ("o", 7656.0), ("D", 18000.0), ("o", 18301.0), ("D", 18000.0),
    ]  # fmt: skip
    assert {line.get_color() for line in marks if line.get_marker() == "D"}.isdisjoint(
        line.get_color() for line in marks if line.get_marker() == "o"
    )
    assert axes.get_xlim()[1] > 33000
    written = texts(picture.figure)
    assert "your kernel, measured" in written and "your kernel, predicted: nothing was timed" in written
    assert "the solved kernel, recorded" in written and "11_tensor_cores: no prediction. It multiplies" in written
    assert "public cases passed, 7,600 GFLOPS, 23 % of cuBLAS" in written  # and not the predicted one beside it
    assert "public cases passed, predicted 18,000 GFLOPS ± 12 %" in written and "passed, no prediction" in written
    alone = (
        "GFLOPS of your kernels, predicted for an NVIDIA H200, nothing was timed: 04_ragged_edges 18,000, from 16,000"
    )
    assert alone in picture.alt and "05_register_1d 18,000, from 16,000 to 20,500 (shared decides)." in picture.alt
    assert "11_tensor_cores: no prediction. It multiplies on tensor cores." in picture.alt
    assert "12_fused_epilogue: no ring, for it was recorded at other shapes." in picture.alt


_LINES = {2: {"issue": 0.29, "shared": 0.6, "memory": 0.001}, 1: {"memory": 0.1}, 3: {"issue": 0.009}}


def said(ms: float | None = 0.29, unknown: str | None = None) -> SimpleNamespace:
    """What a model says of a kernel of three lines."""
    reasons = (
        SimpleNamespace(name="issue", cycles=7.1e5, share=0.71, what="instructions that the schedulers issue."),
        SimpleNamespace(name="shared", cycles=5.4e5, share=0.54, what="wavefronts of shared memory"),
    )
    return SimpleNamespace(
        shape=(1024, 512, 256),
        gpu="NVIDIA-H200",
        ms=ms,
        low_ms=ms and 0.9 * ms,
        high_ms=ms and 1.1 * ms,
        gflops=ms and 7405.0,
        percent=ms and 10.0,
        unknown=unknown,
        bottleneck="issue" if ms else None,
        reasons=reasons if ms else (),
        lines=_LINES if ms else {},
        summary=lambda: "issue 71 %, shared 54 %: issue decides",
    )


def test_the_reasons_are_drawn_with_the_one_that_decides_filled():
    picture = reasons_picture(said())
    bars = picture.figure.axes[0].patches
    assert [round(bar.get_width()) for bar in bars] == [71, 54]
    assert [bar.get_facecolor()[:3] == bar.get_edgecolor()[:3] for bar in bars] == [True, False]
    assert "nothing was timed. issue decides. issue 71 %: instructions that the schedulers issue." in picture.alt
    text = prediction_text(said()).replace("\\", "")
    assert (
        "Predicted for an NVIDIA H200 at M, N, K = 1024, 512, 256: 0.29 ms, perhaps 0.261 to 0.319 ms (± 10 %)" in text
    )
    assert "Nothing was timed. Why: issue 71 %, shared 54 %: issue decides." in text


def test_the_lines_have_their_part_of_the_time():
    rows = lines_table("load(a | b);\nmultiply();\nstore();", said()).splitlines()
    assert rows[0] == "| line | predicted | of the warps' time | on |"
    assert rows[2:] == [
        r"| 1 | `load(a \| b);` | 10 % | waiting for global memory 10 % |",
        "| 2 | `multiply();` | 89 % | waiting for shared memory 60 %, issuing 29 % |",
    ]


def test_where_the_model_does_not_know_there_is_a_sentence_and_no_number():
    unknown = said(None, "It multiplies on tensor cores.")
    assert prediction_text(unknown) == "No time is predicted for an NVIDIA H200\\. It multiplies on tensor cores\\."
    assert reasons_picture(unknown) is None and lines_table("a();", unknown) == ""


def test_matrices_of_another_type_have_columns_of_their_own():
    table = traffic_table((1024, 1024, 1024), 32, Sizes(64, 64, 32), FLOAT16)
    assert "| naive float16 | 64×64 float16 |" in table and "| 4.29 GB | 67.11 MB |" in table
    assert "| intensity | 0.5 FLOP/B | 32 FLOP/B |" in table and "shared" not in table
    alt = intensities((1024, 1024, 1024), 32, None, Sizes(64, 64, 32), element=FLOAT16).alt
    assert "naive float16: 0.5 FLOP/B" in alt and "tiled" not in alt


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
