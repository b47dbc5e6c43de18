"""Constants of a GPU and times with cold caches, with tests/fake_gpu for CuPy: what is measured, kept, refused."""

import json
from pathlib import Path

import pytest

from gemmlab.course.lesson import find_root
from gemmlab.errors import UserError
from gemmlab.gpu import GpuInfo, bench, constants
from gemmlab.gpu.child.request import request_of
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.plan import Plan, launches_of, refused
from gemmlab.kernel.program import Program
from gemmlab.records import machines

M, N, K = SHAPE = (5, 7, 3)
LAUNCH = Launch((16, 16, 1), (1, 1, 1))
RIGHT = "at(C, M * N)[:] = (at(A, M * K).reshape(M, K) @ at(B, K * N).reshape(K, N)).reshape(-1)"


@pytest.fixture
def one_bench(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1].joinpath("fake_gpu")))
    monkeypatch.setattr(constants, "_MEMORY", 2**20)
    with bench.Bench() as opened:
        yield opened


def test_constants_are_measured_and_kept_with_their_meanings(one_bench, tmp_path, monkeypatch):
    monkeypatch.setattr("gemmlab.gpu.device", lambda: GpuInfo("Fake GPU", "sm_90", "1.2", "12.9", "14"))
    told = []
    path = machines.write_constants(one_bench, tmp_path / "machines" / "x.json", "c0ffee", told.append)
    data = json.loads(path.read_text())
    assert data["machine"].keys() >= {"gpu", "arch", "driver", "date", "commit"}
    assert data["meanings"].keys() == constants.MEANINGS.keys() >= data["constants"].keys()
    assert (data["constants"]["sms"], data["constants"]["sm_clock_mhz"]) == (2, 1500)
    assert len(data["constants"]) > 20 and min(data["constants"].values()) > -1e3  # the fake's times are of no meaning
    assert sum(name in line for name in constants.MEANINGS for line in told) >= len(constants.MEANINGS)


def test_a_launch_that_is_measured_is_one_that_an_h200_takes():
    asked = []

    class Asked:
        arch, sms, l2_bytes = "sm_90", 132, 60 * 2**20

        def spans(self, program: Program, plan: Plan, repeats: int, cold: bool = False):
            assert not refused(plan, program) and launches_of(plan)[0].grid[0] >= 1
            asked.append(plan)
            return [1.0 * len(asked)], 1980.0  # each round takes a millisecond more, whatever it is

    def refuse(line):
        pytest.fail(line)

    found = constants.measure_constants(Asked(), refuse)
    assert found["fma_latency"] == pytest.approx(1980e3 / (576 - 64) / 64, rel=1e-3)
    assert found["l2_rate"] / found["async_copy_an_sm"] == pytest.approx(132, rel=1e-3)


def cold(one_bench, *lines):
    text = "\n    ".join(("def gemm(at, A, B, C, M, N, K):", *lines))
    program = Program("", "kernel.cu", "sm_90", "", text.encode())
    request = request_of(program, LAUNCH, SHAPE, SHAPE)
    return one_bench.cold(request, program.machine_code, seconds=0.01, fewest=3, most=5)


def test_times_with_cold_caches_are_as_many_as_asked_for(one_bench):
    ms, clock = cold(one_bench, "time.sleep(0.001)", RIGHT)
    assert 3 <= len(ms) <= 5 and min(ms) >= 1 and clock == 1500
    assert len(cold(one_bench, RIGHT)[0]) == 5
    assert len(cold(one_bench, "time.sleep(0.02)", RIGHT)[0]) == 3


@pytest.mark.parametrize("fault", ["at(C, 2)[0] += 1", "at(C, 1)[0] = np.nan"])
def test_a_kernel_that_is_wrong_has_no_cold_time(one_bench, fault):
    with pytest.raises(UserError, match="1 elements of C are wrong"):
        cold(one_bench, RIGHT, fault)


def test_without_a_gpu_or_a_commit_there_are_no_constants(monkeypatch, tmp_path):
    monkeypatch.setattr("gemmlab.gpu.available", lambda: None)
    with pytest.raises(UserError, match="nvidia-smi finds none"):
        machines.record_constants(find_root())
    monkeypatch.setattr("gemmlab.gpu.available", lambda: "Fake GPU")
    with pytest.raises(UserError, match="--commit"):
        machines.record_constants(tmp_path)


def test_a_constant_that_cannot_be_measured_is_left_out_and_told():
    class Broken:
        arch, sms, l2_bytes = "sm_90", 132, 60 * 2**20

        def spans(self, program: Program, plan: Plan, repeats: int, cold: bool = False):
            (launch,) = launches_of(plan)[-1:]
            if launch.kernel == "rate_atomic":
                raise UserError("it failed")
            rounds = max(argument.value for argument in launch.arguments or () if hasattr(argument, "value"))
            return [0.0 if launch.kernel == "chain_fma" else float(rounds + launch.grid[0])], 1980.0

    told = []
    found = constants.measure_constants(Broken(), told.append)
    assert "atomic_rate" not in found and "fma_latency" not in found and found["imad_latency"] > 0
    assert "atomic_rate is not measured: it failed" in told
    assert "fma_latency is not measured: 576 rounds took no longer than 64" in told
