"""What the emulator counts, line by line: figures known by reasoning, and those that an H200 gave."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gemmlab.compiler.compile import compile_source
from gemmlab.emulator import EmulatorExecutor
from gemmlab.kernel.counters import Counters, LineCounters, joined
from gemmlab.kernel.launch import LaunchSpec

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "tests/counter_kernels"
SIGNATURE = 'extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)'
# A tile that 64 threads have filled; then `body`.
SHARED = (
    SIGNATURE
    + """
{
    __shared__ float S[32][64];
    const int t = threadIdx.x;
    for (int i = 0; i < 32; ++i) S[i][t] = A[t];
    __syncthreads();
    %s
}
"""
)


def counted(source: str, block: str, grid: str, shape: tuple[int, int, int], arch: str | None = None) -> Counters:
    M, N, K = shape
    launch = LaunchSpec.parse(block, grid).at(*shape)
    program = compile_source(source, arch=arch)
    A, B = np.ones((M, K), np.float32), np.ones((K, N), np.float32)
    counters = EmulatorExecutor().run(program, launch, A, B, shape).counters
    assert counters is not None
    return counters


@cache
def kernel(name: str) -> tuple[str, Counters]:
    """A kernel of counter_kernels/, and what is counted at the shape that it names."""
    source = (KERNELS / f"{name}.cu").read_text()
    told = dict(re.findall(r"^// (\w+): (.*)$", source, re.MULTILINE))
    M, N, K = map(int, told["shape"].split(","))
    return source, counted(source, told["block"], told["grid"], (M, N, K))


def line(name: str, words: str) -> LineCounters:
    """The counters of the only line of a kernel with these words."""
    source, counters = kernel(name)
    (number,) = (n for n, text in enumerate(source.splitlines(), 1) if words in text)
    return counters.lines[number]


def joined_loads(body: str) -> tuple[int, int]:
    """Loads of shared memory for each warp: as the body has them, and as ptxas joins them."""
    totals = counted(SHARED % body, "64", "1", (1, 64, 64)).totals
    return totals.shared_load_requests // 2, totals.widened_load_requests // 2


def test_tiled_kernel_at_128():
    source = (ROOT / "solutions/02_tiled_fma.cu").read_text()
    totals = counted(source, "16,16", "cdiv(N,16),cdiv(M,16)", (128, 128, 128)).totals
    assert (totals.global_load_requests, totals.global_load_sectors) == (8192, 32768)
    assert (totals.global_store_requests, totals.global_store_sectors) == (512, 2048)
    assert totals.global_load_bytes == 2 * 4 * 128**3 // 16
    assert totals.global_store_bytes == 4 * 128**2
    assert (totals.shared_load_requests, totals.shared_load_wavefronts) == (131072, 131072)
    assert (totals.widened_load_requests, totals.widened_load_wavefronts) == (81920, 98304)
    assert (totals.shared_store_requests, totals.shared_store_wavefronts) == (8192, 8192)
    assert totals.shared_load_conflicts == totals.shared_store_conflicts == 0
    assert totals.fma == 128**3
    assert (totals.shared_loads_per_fma, totals.widened_loads_per_fma) == (2, 1.25)
    assert totals.barriers == 2 * 8 * 64 * 8  # two a K tile, by each of 8 warps of 64 blocks


@pytest.mark.parametrize(("name", "a", "b", "c"), [("naive", 1, 4, 4), ("naive_swapped", 32, 1, 32)])
def test_mapping_of_threads(name, a, b, c):
    """Along a row of C a warp reads B in one piece; down a column each lane reads its own row of A."""
    assert line(name, "const float a =").load_sectors_per_request == a
    assert line(name, "const float b =").load_sectors_per_request == b
    assert line(name, "C[row * N + col]").store_sectors_per_request == c


def test_neighbours_four_apart_take_four_times_the_sectors():
    assert line("strided", "+= A[row").global_load_sectors == 16384 // 2 * (1 + 16)
    assert line("strided", "C[row * N").store_sectors_per_request == 16


@pytest.mark.parametrize(("name", "degree"), [("transposed", 32), ("padded", 1)])
def test_a_column_lies_in_one_bank_unless_rows_are_padded(name, degree):
    stores = line(name, "Bs[tx][ty] =")
    assert stores.shared_store_wavefronts == degree * stores.shared_store_requests
    assert stores.shared_store_conflicts == (degree - 1) * stores.shared_store_requests
    loads = line(name, "Bs[tx][k]")  # and as many of As, which are broadcasts
    assert loads.shared_load_wavefronts == (degree + 1) * loads.shared_load_requests // 2


def test_a_broadcast_takes_one_wavefront():
    loads = line("broadcast", "As[k] *")
    assert loads.shared_load_wavefronts == loads.shared_load_requests > 0
    assert loads.shared_load_conflicts == 0


def test_float4_takes_four_wavefronts_a_store_and_none_is_a_conflict():
    stores = line("float4", "(&Bs[ty][4 * tx]) = b")
    assert stores.shared_store_wavefronts == 4 * stores.shared_store_requests > 0
    assert stores.shared_store_conflicts == 0
    assert stores.shared_store_bytes == 16 * 32 * stores.shared_store_requests
    assert line("float4", "if (k0 + ty < K && col < N) b =").load_sectors_per_request == 16


def test_quarters_of_a_warp_go_together_where_neighbours_read_the_same():
    """The two rows of a warp read one 16-byte word each: two wavefronts, not four."""
    loads = line("float4", "As[ty][k]")
    assert loads.shared_load_wavefronts == 2 * loads.shared_load_requests > 0


def test_an_asynchronous_copy_is_a_load_and_a_store():
    totals = kernel("cp_async")[1].totals
    assert totals.async_copy_requests == totals.global_load_requests == totals.shared_store_requests == 1024
    assert totals.global_load_sectors == 4096


def test_atomics_are_apart():
    totals = kernel("atomics")[1].totals
    assert (totals.global_atomic_requests, totals.global_atomic_sectors, totals.global_store_requests) == (256, 1024, 0)
    assert (totals.shared_atomic_requests, totals.shared_load_requests) == (256, 0)


def test_local_memory_is_apart():
    totals = kernel("local_array")[1].totals
    assert (totals.local_load_requests, totals.local_load_sectors) == (2560, 4 * 2560)
    assert totals.shared_load_requests == totals.shared_store_requests == 0


def test_only_threads_that_multiply_are_counted():
    source = (KERNELS / "naive.cu").read_text()
    assert counted(source, "32,8", "cdiv(N,32),cdiv(M,8)", (35, 45, 25)).totals.fma == 35 * 45 * 25


def test_lines_sum_up_and_launches_join():
    counters = kernel("naive")[1]
    assert list(counters.lines) == sorted(counters.lines)
    assert counters.totals.fma == sum(found.fma for found in counters.lines.values())
    twice = joined([counters, counters])
    assert twice.lines.keys() == counters.lines.keys()
    assert twice.totals.global_load_sectors == 2 * counters.totals.global_load_sectors


@pytest.mark.parametrize(
    ("body", "loads"),
    [
        ("float s = 0; for (int k = 0; k < 8; ++k) s += S[t % 32][k]; C[t] = s;", (8, 2)),
        ("float s = 0; for (int k = 0; k < 5; ++k) s += S[t % 32][k]; C[t] = s;", (5, 2)),
        ("C[t] = S[t % 32][0] + S[t % 32][1];", (2, 1)),
        ("C[t] = S[t % 32][0] + S[t % 32][2] * S[t % 32][3];", (3, 1)),  # three of four are enough
        ("C[t] = S[t % 32][1] + S[t % 32][2];", (2, 2)),  # not aligned
        ("C[t] = S[t % 32][0] + S[t % 32][2];", (2, 2)),
        ("float s = 0; for (int k = 0; k < 4; ++k) s += S[k][t]; C[t] = s;", (4, 4)),  # a column
        ("volatile float* p = &S[t % 32][0]; C[t] = p[0] + p[1] + p[2] + p[3];", (4, 4)),
        ("float x = S[t % 32][0]; __syncthreads(); C[t] = x + S[t % 32][1];", (2, 2)),
        ("float x = S[t % 32][0]; C[t + 64] = x; C[t] = x + S[t % 32][1];", (2, 1)),  # a store elsewhere
        ("float x = S[t % 32][0]; S[t % 32][0] = x + 1; C[t] = x + S[t % 32][1];", (2, 2)),
        ("float s = 0;\n#pragma unroll 1\nfor (int k = 0; k < 8; ++k) s += S[t % 32][k]; C[t] = s;", (8, 8)),
        ("const float2* p = (const float2*)S[t % 32]; C[t] = p[0].x * p[0].y + p[1].x * p[1].y;", (2, 1)),
    ],
)
def test_what_ptxas_joins(body, loads):
    assert joined_loads(body) == loads


def test_rows_padded_by_one_float_are_not_joined():
    body = "float s = 0; for (int k = 0; k < 8; ++k) s += S[t % 32][k]; C[t] = s;"
    padded = (SHARED % body).replace("S[32][64]", "S[32][65]")
    totals = counted(padded, "64", "1", (1, 64, 64)).totals
    assert totals.widened_load_requests == totals.shared_load_requests


@pytest.mark.parametrize(("count", "stores"), [(4, 1), (3, 2)])
def test_stores_are_joined_where_they_fill_the_width(count, stores):
    fill = f"__shared__ float R[64][4]; for (int k = 0; k < {count}; ++k) R[t][k] = B[t + k]; __syncthreads();"
    totals = counted(SHARED % (fill + "C[t] = R[63 - t][1] + S[t / 2][3];"), "64", "1", (1, 128, 64)).totals
    first = 2 * 32  # of both warps, into S
    assert totals.shared_store_requests - first == 2 * count
    assert totals.widened_store_requests - first == 2 * stores


def test_turns_of_an_unrolled_loop_are_neighbours():
    """NVRTC leaves the loop over k; ptxas unrolls it, and only then has four neighbours of a row of As."""
    loads = line("register_1d", "acc[i] += As")
    assert loads.widened_load_requests * 4 == loads.shared_load_requests


def _tool():
    spec = importlib.util.spec_from_file_location("validate_counters", ROOT / "tools/validate_counters.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TestH200:
    """The recorded counts of an H200 against what is counted now."""

    tool = _tool()
    recorded = json.loads((tool.RECORDED / "counters-NVIDIA-H200.json").read_text())

    @pytest.mark.parametrize("entry", recorded["kernels"], ids=lambda entry: entry["name"])
    def test_kernels(self, entry):
        if self.tool.digest(entry["source"]) != entry["sha256"]:
            pytest.skip("the kernel has changed since it was measured")
        ours = self.tool.emulated(entry | {"options": (), "A": None}, self.recorded["machine"]["arch"])
        differing = {name: (ours[name], count) for name, count in entry["gpu"].items() if ours[name] != count}
        assert {name: found for name, found in differing.items() if not self.tool.reason(name, entry)} == {}

    def test_every_kernel_is_recorded(self):
        jobs = {job.name for job in self.tool.kernel_jobs()}
        assert {entry["name"] for entry in self.recorded["kernels"]} == jobs
        assert {"10_split_k", "12_fused_epilogue", "13_beat_cublas"} <= {name.split()[0] for name in jobs}

    @pytest.mark.parametrize("operation", ["load 4 B", "load 8 B", "load 16 B", "store 4 B", "store 8 B", "store 16 B"])
    def test_patterns(self, operation):
        jobs = [job for job in self.tool.pattern_jobs() if job.name.startswith(f"{operation},")]
        assert len(jobs) > 50
        for job in jobs:
            ours = self.tool.relevant(asdict(job), self.tool.emulated(asdict(job), self.recorded["machine"]["arch"]))
            assert (job.name, ours) == (job.name, self.recorded["patterns"][job.name]["gpu"])
