"""Timing beside cuBLAS, ceilings and the record, with tests/fake_gpu for CuPy: what is measured and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gemmlab.course.lesson import find_root, load_all
from gemmlab.errors import UserError
from gemmlab.gpu import bench, roofline
from gemmlab.kernel.counters import LineCounters
from gemmlab.kernel.elements import BFLOAT16, FLOAT16, TF32
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.layout import COURSE
from gemmlab.kernel.program import Program
from gemmlab.models.ceilings import ceilings_of, intensities
from gemmlab.pictures.speed.roofline import hierarchy
from gemmlab.records import ceilings, record
from gemmlab.records.results import all_results
from gemmlab.trials.numbers import compiled, variant

M, N, K = SHAPE = (5, 7, 3)
RIGHT = "at(C, M * N)[:] = (at(A, M * K).reshape(M, K) @ at(B, K * N).reshape(K, N)).reshape(-1)"
LAUNCH = Launch((16, 16, 1), (1, 1, 1))
QUICK = {"seconds": 0.01, "warm_up": 0.01}


@pytest.fixture(autouse=True)
def fake_gpu(monkeypatch, tmp_path):
    """A machine with one GPU, as the fake CuPy and an nvidia-smi tell it."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1].joinpath("fake_gpu")))
    tool = tmp_path / "bin" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho 'Fake GPU, 1.2'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent), prepend=":")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(roofline, "_COPY_BYTES", 2**20)  # what a GPU copies in a moment takes NumPy a second


@pytest.fixture
def one_bench():
    with bench.Bench() as opened:
        yield opened


def python_kernel(*lines):
    return Program("", "kernel.cu", "sm_90", "", "\n    ".join(("def gemm(at, A, B, C, M, N, K):", *lines)).encode())


def test_a_timing_has_cold_and_warm_figures_and_says_what_cublas_computes_in(one_bench):
    timing = one_bench.time(python_kernel("time.sleep(0.001)", RIGHT), LAUNCH, SHAPE, **QUICK)
    assert timing.kernel_ms >= 1 and timing.gflops == pytest.approx(2e-6 * M * N * K / timing.kernel_ms)
    assert 0 < timing.warm.ratio < 1 and 0 < timing.spread[0] <= timing.ratio <= timing.spread[1]
    assert timing.sm_clock_mhz == 1500
    assert timing.math_mode == "float32, TF32 off"


@pytest.mark.parametrize(
    "element, mode",
    [(FLOAT16, "float16, sums in float32"), (BFLOAT16, "bfloat16, sums in float32"), (TF32, "TF32 on")],
    ids=lambda value: getattr(value, "name", None),
)
def test_cublas_gets_matrices_of_the_same_element(one_bench, element, mode):
    """The kernel has them as cuBLAS has: what it computes is right in its own type."""
    launch = Launch((16, 16, 1), (1, 1, 1), layout=replace(COURSE, element=element))
    halves = (
        "import ctypes",
        "read = lambda p, n: np.frombuffer((ctypes.c_uint16 * n).from_address(p), np.uint16)",
        "value = lambda x: x.view(np.float16).astype('f4') if HALF else (x.astype('u4') << 16).view('f4')",
        "a, b = value(read(A, M * K)).reshape(M, K), value(read(B, K * N)).reshape(K, N)",
        "at(C, M * N)[:] = (a @ b).reshape(-1)",
    )
    lines = [line.replace("HALF", str(element is FLOAT16)) for line in halves] if element.size == 2 else [RIGHT]
    assert one_bench.time(python_kernel(*lines), launch, SHAPE, **QUICK).math_mode == mode


def test_the_part_that_is_done_is_told(one_bench):
    parts = []
    one_bench.time(python_kernel(RIGHT), LAUNCH, SHAPE, **QUICK, progress=parts.append)
    assert parts == sorted(parts) and 0 <= parts[0] < 0.5 <= parts[-1] < 1


@pytest.mark.parametrize("fault", ["at(C, 1)[0] += 1", "at(C, 1)[0] = np.nan", "pass"])
def test_a_kernel_that_is_wrong_has_no_speed(one_bench, fault):
    lines = [RIGHT, fault] if fault != "pass" else ["pass"]
    with pytest.raises(UserError, match="was wrong in .* of .* timed launches"):
        one_bench.time(python_kernel(*lines), LAUNCH, SHAPE, **QUICK)


def test_a_kernel_that_is_wrong_once_has_no_speed(one_bench):
    once = "globals().__setitem__('n', globals().get('n', 0) + 1); at(C, 1)[0] += 1 if n == 40 else 0"
    with pytest.raises(UserError, match="was wrong in 1 of"):
        one_bench.time(python_kernel(RIGHT, once), LAUNCH, SHAPE, seconds=0.5, warm_up=0.0)


def test_after_a_fault_the_bench_goes_on_with_a_fresh_process(one_bench):
    with pytest.raises(UserError, match="cannot be timed.*address"):
        one_bench.time(python_kernel("fail(716)"), LAUNCH, SHAPE, **QUICK)
    assert one_bench.time(python_kernel(RIGHT), LAUNCH, SHAPE, **QUICK).ratio > 0


def test_every_ceiling_is_measured(one_bench):
    found = roofline.measure_ceilings(one_bench)
    of_tensor_cores = {"float16_tflops", "tf32_tflops"}
    assert set(found) == {"fma_tflops", "copy_gbs", "l2_gbs", "shared_gbs", "sm_clock_mhz"} | of_tensor_cores
    assert all(value > 0 for value in found.values())


def test_intensities_come_from_counted_bytes():
    totals = LineCounters(global_load_sectors=30, global_store_sectors=2, widened_load_wavefronts=3)
    found = intensities(totals, (4, 4, 4), (8, 8, 8))
    assert found == {"memory": 1024 / 768, "L2": 128 / 1024, "shared": 128 / 384}
    assert set(intensities(LineCounters(global_load_sectors=1), (4, 4, 4), (8, 8, 8))) == {"memory", "L2"}


def test_every_level_stands_under_its_own_ceiling():
    found = ceilings_of({"fma_tflops": 60, "copy_gbs": 4000, "l2_gbs": 8000}, "measured on X")
    assert found.attainable(2.0) == 8000 and found.attainable(2.0, "L2") == 16000
    picture = hierarchy("mine", {"memory": 2.0, "L2": 1.0}, found)
    assert "mine, L2: 1 FLOP/B, 8,000 GFLOPS if L1 keeps nothing" in picture.alt
    assert any("8,000 GB/s" in one.get_text() for one in picture.figure.findobj(lambda it: hasattr(it, "get_text")))


def test_tensor_cores_have_a_roof_of_their_own_and_elements_of_their_own_size():
    found = ceilings_of({"fma_tflops": 60, "copy_gbs": 4000, "float16_tflops": 600}, "measured on X")
    assert (found.ridge, found.on_tensor_cores("float16").ridge) == (15.0, 150.0)
    assert found.on_tensor_cores("float32") is found.on_tensor_cores("tf32") is found
    assert "float16 on tensor cores: 600,000 GFLOPS" in {
        one.get_text()
        for one in hierarchy("mine", {"memory": 2.0}, found.on_tensor_cores("float16")).figure.findobj(
            lambda it: hasattr(it, "get_text")
        )
    }
    assert intensities(LineCounters(), (4, 4, 4), (8, 8, 8), 2) == {"memory": 1024 / 512}


def test_the_ceilings_of_this_gpu_are_measured_once(monkeypatch, tmp_path):
    from gemmlab import gpu

    monkeypatch.setenv("GEMMLAB_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(gpu, "available", lambda: "Fake GPU")
    monkeypatch.setattr(gpu, "device", lambda: gpu.GpuInfo("Fake GPU", "sm_90", "1.2", "12.9", "14"))
    calls = []
    measured = {"fma_tflops": 1.0, "copy_gbs": 2.0}
    monkeypatch.setattr(ceilings, "_measured", lambda: calls.append(1) or measured)
    first, second = ceilings.ceilings_here(), ceilings.ceilings_here()
    assert first == second and len(calls) == 1
    assert first.source.startswith("measured on Fake GPU, driver 1.2, 20")


def test_a_variant_has_other_numbers_in_source_and_launch():
    source = "#define BM 64\n#define TM 4  // rows\n"
    made = variant("one", source, "BM // TM", "cdiv(M, BM)", numbers={"BM": 128})
    assert made.filename == "one BM=128" and made.text == "#define BM 128\n#define TM 4  // rows\n"
    assert made.launch.at(256, 1, 1).block == (32, 1, 1) and made.launch.at(256, 1, 1).grid == (2, 1, 1)
    with pytest.raises(UserError, match="#define BK NUMBER"):
        variant("one", source, "1", "1", numbers={"BK": 8})


def test_what_does_not_compile_is_told_in_its_place():
    kernel = 'extern "C" __global__ void gemm() {%s}'
    programs = list(compiled([variant("good", kernel % "", "1", "1"), variant("bad", kernel % "x", "1", "1")], "sm_90"))
    assert isinstance(programs[0], Program)
    assert "undefined" in programs[1]


# ---- the record


@pytest.fixture
def one_kernel(monkeypatch):
    """Only one lesson and one other kernel, so that it is quick."""
    wanted = [
        entry
        for entry in record.entries(find_root())
        if entry.lesson == "02" or entry.candidate.filename == "fast/sliced"
    ]
    monkeypatch.setattr(record, "entries", lambda root: wanted)
    monkeypatch.setattr(record, "fused_entries", lambda root: [])
    monkeypatch.setattr(record, "SECONDS", 0.01)
    monkeypatch.setattr(record, "WARM_UP", 0.0)
    monkeypatch.setattr("gemmlab.gpu.device", lambda: bench_device())
    monkeypatch.setattr("gemmlab.gpu.available", lambda: "Fake GPU")
    return wanted


def bench_device():
    from gemmlab.gpu import GpuInfo

    return GpuInfo("Fake GPU", "sm_90", "1.2", "12.9", "14")


def test_a_record_has_the_format_that_others_read(one_kernel, tmp_path):
    told = []
    path = record.record(find_root(), tmp_path / "x.json", "c0ffee", told.append, shapes=((9, 8, 7),))
    data = json.loads(path.read_text())
    assert data["machine"].keys() >= {"gpu", "driver", "cuda", "cupy", "sm_clock_mhz", "date", "commit"}
    assert data["machine"]["commit"] == "c0ffee"
    assert data["ceilings"].keys() >= {"fma_tflops", "copy_gbs", "l2_gbs", "shared_gbs"}
    (at,) = data["shapes"]
    assert (at["M"], at["N"], at["K"], at["dtype"]) == (9, 8, 7, "float32") and at["cublas_gflops"] > 0
    names = [(kernel["name"], kernel["lesson"], kernel["as_taught"]) for kernel in at["kernels"]]
    assert names == [("02_tiled_fma", "02", True), ("02_tiled_fma TILE=32", "02", False), ("fast/sliced", None, False)]
    assert all(kernel["gflops"] > 0 and kernel["ratio_to_cublas"] > 0 for kernel in at["kernels"])
    assert any("02_tiled_fma" in line and "% of cuBLAS" in line for line in told)
    (read,) = all_results(tmp_path)
    assert read.at((9, 8, 7)).as_taught("02").name == "02_tiled_fma"
    assert read.label == f"recorded on Fake GPU, driver 1.2, {data['machine']['date']}, commit c0ffee"


def test_a_wrong_kernel_leaves_no_record(one_kernel, tmp_path, monkeypatch):
    monkeypatch.setattr(record, "compiled", lambda candidates, arch, shapes: [python_kernel("pass")] * len(candidates))
    monkeypatch.setattr(record, "refused", lambda *_: [])
    with pytest.raises(UserError, match=r"02_tiled_fma at \(9, 8, 7\): the kernel was wrong"):
        record.record(find_root(), tmp_path / "x.json", "c0ffee", lambda line: None, shapes=((9, 8, 7),))
    assert not (tmp_path / "x.json").exists()


def test_without_git_the_commit_must_be_given(tmp_path, monkeypatch):
    monkeypatch.setattr("gemmlab.gpu.available", lambda: "Fake GPU")
    with pytest.raises(UserError, match="--commit"):
        record.record(tmp_path)


def test_without_a_gpu_there_is_no_record(monkeypatch):
    monkeypatch.setattr("gemmlab.gpu.available", lambda: None)
    with pytest.raises(UserError, match="nvidia-smi finds none"):
        record.record(find_root())


def test_every_lesson_and_every_fast_kernel_is_recorded():
    found = record.entries(find_root()) + record.fused_entries(find_root())
    fast = {path.stem for path in (find_root() / "solutions/fast").glob("*.cu")}
    assert fast == {*record.FAST, "two_gpus"}, "which tools/record_two_gpus.py records"
    ladder = {lesson.number for lesson in load_all() if not (lesson.kernels[0].patient or lesson.kernels[0].devices)}
    assert {entry.lesson for entry in found if entry.as_taught} == ladder
    assert len({entry.candidate.filename for entry in found}) == len(found)
