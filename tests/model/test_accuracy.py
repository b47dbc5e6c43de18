"""How the tool compares the model's times with measured ones, and what the recorded table says of it."""

import json
import re
import sys

import pytest

from gemmlab.course.lesson import find_root
from gemmlab.model import costs, flow, grid

sys.path.append(str(find_root() / "tools"))
import validate_model as tool  # noqa: E402  a tool is no module of a package

TIMES = json.loads((tool.TIMES / "NVIDIA-H200.json").read_text(encoding="utf-8"))
TABLE = tool.RECORDED / "model-NVIDIA-H200.json"
recorded = pytest.mark.skipif(not TABLE.exists(), reason="no table is recorded")


def row(predicted, measured, shape=(8, 8, 8), half="blind", name="x"):
    error = predicted / measured - 1
    return {
        "name": name,
        "group": "ladder",
        "half": half,
        "shape": list(shape),
        "measured_ms": measured,
        "predicted_ms": predicted,
        "error": error,
    }


def test_errors_are_of_the_measured_time_and_ranks_within_a_shape():
    rows = [row(1.1, 1.0), row(1.5, 2.0), row(4.0, 4.0), row(9.0, 3.0, (4, 4, 4)), row(1.0, 5.0, (4, 4, 4))]
    found = tool.summary([*rows, {"name": "y", "unknown": "It spills."}])
    assert (found["times"], found["unknown"]) == (5, 1)
    assert found["median_error"] == 0.25 and found["within_30_percent"] == 0.6
    assert found["nine_in_ten_within"] == 2.0
    assert found["spearman"] == {"8×8×8": 1.0, "4×4×4": -1.0}


def test_equal_times_share_their_rank():
    assert tool._ranks([3.0, 1.0, 3.0, 2.0]) == [2.5, 0.0, 2.5, 1.0]


def test_halves_are_summed_up_apart():
    found = tool.summaries([row(1.0, 1.0, half="seen"), row(3.0, 2.0)])
    assert (found["seen"]["median_error"], found["blind"]["median_error"]) == (0.0, 0.5)


def test_every_time_was_taken_of_a_right_kernel_at_its_highest_clocks():
    assert TIMES["machine"].keys() >= {"gpu", "driver", "date", "commit", "nvrtc"}
    assert all(row["ms"] > 0 and row["launches"] >= 3 for row in TIMES["times"])
    assert len({tuple(row["shape"]) for row in TIMES["times"]}) >= 5
    assert len({row["name"] for row in TIMES["times"]}) >= 80


def test_new_times_join_those_of_the_same_driver_and_compiler(tmp_path, monkeypatch):
    def measured(commit, driver, *rows):
        machine = {"gpu": "A B", "arch": "sm_90", "driver": driver, "nvrtc": "12.9", "commit": commit}
        (tmp_path / "times.json").write_text(json.dumps({"machine": machine, "times": rows}))
        tool.keep(tmp_path)
        kept = json.loads((tmp_path / "A-B.json").read_text())["times"]
        return [(row["name"], row["ms"], row["commit"]) for row in kept]

    monkeypatch.setattr(tool, "TIMES", tmp_path)
    x, y = ({"name": name, "shape": [8, 8, 8], "ms": 1.0} for name in "xy")
    failed = {"name": "z", "shape": [8, 8, 8], "failed": "4 elements of C are wrong"}
    assert measured("first", "580", x, failed) == [("x", 1.0, "first")]
    assert measured("second", "580", y) == [("x", 1.0, "first"), ("y", 1.0, "second")]
    assert measured("third", "580", x | {"ms": 2.0}) == [("x", 2.0, "third"), ("y", 1.0, "second")]
    assert measured("fourth", "590", y) == [("y", 1.0, "fourth")]


@recorded
def test_the_recorded_table_is_of_these_times_and_adds_up():
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    measured = {(row["name"], *row["shape"]): row["ms"] for row in TIMES["times"]}
    assert all(row["measured_ms"] == measured[(row["name"], *row["shape"])] for row in table["rows"])
    assert table["summary"] == json.loads(json.dumps(tool.summaries(table["rows"])))
    assert TABLE.with_suffix(".md").read_text(encoding="utf-8") == tool.page(table)


@recorded
@pytest.mark.parametrize(
    "name, shape",
    [
        ("02_tiled_fma", [1024, 1024, 1024]),
        ("deep_tiles", [1024, 1024, 1024]),
        ("vector_loads_32x128", [512, 512, 4096]),  # whose loads the flow once left out
    ],
)
def test_the_model_of_today_is_that_of_the_table(name, shape):
    from model_kernels import model_kernels

    rows = json.loads(TABLE.read_text(encoding="utf-8"))["rows"]
    (then,) = (row for row in rows if row["name"] == name and row["shape"] == shape)
    (kernel,) = (kernel for kernel in model_kernels() if kernel.name == name)
    (now,) = tool._predict((kernel, [{"shape": shape, "ms": then["measured_ms"]}], "NVIDIA-H200"))
    assert now["predicted_ms"] == pytest.approx(then["predicted_ms"], rel=0.01)


@recorded
def test_kernels_that_nobody_looked_at_are_predicted_as_well_as_is_wanted():
    found = json.loads(TABLE.read_text(encoding="utf-8"))["summary"]["blind"]
    assert found["kernels"] >= 40 and len(found["spearman"]) >= 5 and not found["unknown"]
    assert found["median_error"] <= 0.12 and found["within_30_percent"] >= 0.9 and found["nine_in_ten_within"] <= 0.3
    assert min(found["spearman"].values()) >= 0.95


@recorded
@pytest.mark.parametrize("half", ["blind", "seen"])
def test_the_document_tells_the_halves_as_the_table_does(half):
    found = json.loads(TABLE.read_text(encoding="utf-8"))["summary"][half]
    errors = (f"{100 * found[name]:.1f} %" for name in ("median_error", "within_30_percent", "nine_in_ten_within"))
    ranks = found["spearman"].values()
    told = (find_root() / "docs" / "model.md").read_text(encoding="utf-8")
    assert f"| {half} | {' | '.join(errors)} | {min(ranks):.3f} to {max(ranks):.3f} |" in told


def test_the_document_tells_the_numbers_that_were_set_by_hand():
    told = " ".join((find_root() / "docs" / "model.md").read_text(encoding="utf-8").split())
    assert f"for {costs.QUEUE_CYCLES:.0f} cycles before" in told and f"up to {100 * grid.SPREAD:.0f} % earlier" in told
    assert costs.LATENCY_SPREAD == 1 / 4 and "up to a quarter below and above their means" in told
    assert costs.BANK_QUEUE == 1 and "a conflict of their banks is one cycle" in told
    assert f"a jump back counts as {flow.BACK} of them" in told


@recorded
def test_the_document_tells_how_kernels_on_tensor_cores_do():
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    errors = [row["error"] for row in table["rows"] if row["group"] == "tensor fresh"]
    assert max(errors) < 0 and min(errors) >= -0.3
    told = " ".join((find_root() / "docs" / "model.md").read_text(encoding="utf-8").split())
    median = 100 * table["summary"]["tensor fresh"]["median_error"]
    assert f"median error {median:.1f} %, all within 30 %, and all too short." in told


@recorded
def test_the_document_tells_the_kernels_that_are_furthest_off():
    rows = json.loads(TABLE.read_text(encoding="utf-8"))["rows"]
    worst = {}
    for row in sorted((row for row in rows if row["half"] == "blind"), key=lambda row: -abs(row["error"])):
        worst.setdefault(row["name"], row["error"])
    expected = [(name, f"{100 * error:+.0f}") for name, error in worst.items()][:3]
    told = (find_root() / "docs" / "model.md").read_text(encoding="utf-8").partition("## What was measured")[0]
    assert re.findall(r"`(\w+)`[^`]*?\(([+-]\d+) %\)", told) == expected
    earlier = ("8.9 %", "89.4 %", "31.0 %", "2026-11-30", "8.4 %", "94.4 %", "23.3 %")
    assert all(figure in told and figure in tool.EARLIER_BLIND for figure in earlier)
