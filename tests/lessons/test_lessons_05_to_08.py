"""Lessons 05 to 08: their numbers are the library's own, and each kernel has the idea of its lesson and no other."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from lesson_text import computed, diff_of

from gemmlab.check.check import check_source
from gemmlab.compiler.compile import compile_source
from gemmlab.course.lesson import Case, load
from gemmlab.cuda.sizes import Sizes, sizes_of, with_sizes
from gemmlab.kernel.limits import occupancy
from gemmlab.models.autotune import launch_spec
from gemmlab.models.banks import request
from gemmlab.models.overlap import schedule
from gemmlab.models.simulator import traffic_naive, traffic_register_tiled
from gemmlab.pictures.tiles.patch import patch_picture, reuse_picture
from gemmlab.trials.counts import tally

NUMBERS = ("05", "06", "07", "08")
BIG = (1024, 1024, 1024)
COUNTED = (128, 128, 64)
ALIGNED = Case((36, 48, 20), "random", 7, "ragged")  # one block; K and N are multiples of 4


def answers(number: str) -> dict[str, float]:
    return {prediction.id: prediction.answer for prediction in computed(load(number))}


def register_traffic(number: str, **other: int):
    sizes = sizes_of(load(number).starter)
    chosen = {"BM": sizes.BM, "BN": sizes.BN, "BK": sizes.BK, "TM": sizes.TM, "TN": sizes.TN} | other
    return traffic_register_tiled(*BIG, **chosen)


def counted(number: str):
    lesson = load(number)
    return tally(lesson.kernel, lesson.solution, COUNTED, "sm_80")


def test_lesson_05_counts_reads_and_bytes():
    before, now = register_traffic("05", BM=16, BN=16, TM=1), register_traffic("05")
    assert answers("05") == {
        "reads_before": before.shared_loads_per_fma,
        "reads_after": now.shared_loads_per_fma,
        "intensity": now.intensity,
        "bytes": now.global_load_bytes / 1e6,
    }
    assert counted("04").reads_per_fma == before.shared_loads_per_fma
    assert counted("05").reads_per_fma == now.shared_loads_per_fma
    assert traffic_naive(*BIG).global_load_bytes == 64 * now.global_load_bytes


def test_lesson_06_counts_reads_registers_and_occupancy():
    large = Sizes(128, 128, 16, 8, 8)
    assert answers("06") == {
        "reads": register_traffic("06").shared_loads_per_fma,
        "reads_large": register_traffic("06", BM=128, BN=128, TM=8, TN=8).shared_loads_per_fma,
        "registers": large.TM * large.TN + large.TM + large.TN,
        "occupancy": 100 * occupancy(256, 128, 0, "sm_90").fraction,
    }
    assert counted("06").reads_per_fma == answers("06")["reads"]
    lesson = load("06")
    registers = compile_source(lesson.solution).resources["gemm"].registers
    assert registers >= 8 * 4 + 8 + 4


def test_lesson_07_counts_reads_rows_and_wavefronts():
    sizes = sizes_of(load("07").starter)
    assert answers("07") == {
        "reads_wide": counted("07").reads_written_per_fma,
        "aligned_rows": sum(4 * row * 62 % 16 == 0 for row in range(64)),
        "plain_store": request("c * 128 + r", sizes).wavefronts,
        "padded_store": request("c * 132 + r", sizes).wavefronts,
    }


def test_lesson_08_counts_barriers_overlaps_and_bytes():
    lesson = load("08")
    k_tiles = 1024 // sizes_of(lesson.starter).BK
    of_twelve = schedule(2, 12, 2, 3)
    assert answers("08") == {
        "barriers": counted("08").barriers_per_k_tile,
        "overlapped": k_tiles - (12 - of_twelve.overlapped),
        "shared": compile_source(lesson.solution).resources["gemm"].shared_bytes,
    }
    tiles = {-(-case.shape[2] // sizes_of(lesson.starter).BK) for case in lesson.cases}
    assert {tile % 2 for tile in tiles} == {0, 1} and 1 in tiles


def registers_and_spills(source: str) -> tuple[int, int]:
    used = compile_source(source, arch="sm_90").resources["gemm"]
    return used.registers, used.spill_store_bytes


def test_what_the_text_says_of_registers_is_so():
    unroll = "#pragma unroll\n"
    with_line, without = (registers_and_spills(load("06").solution.replace(unroll, put)) for put in (unroll, ""))
    assert (with_line[0], without[0]) == (pytest.approx(96, abs=8), pytest.approx(56, abs=8)) and with_line[1] == 0
    patches = {4: (64, 64, 16, 4, 4), 8: (128, 64, 16, 8, 8), 16: (256, 256, 8, 16, 16)}
    spilled = {
        side: registers_and_spills(with_sizes(load("06").solution, Sizes(*patches[side])))[1] for side in patches
    }
    assert spilled[4] == spilled[8] == 0 < spilled[16]
    column = load("05").solution.replace("        for (int k = 0; k < BK", f"{unroll}        for (int k = 0; k < BK")
    assert registers_and_spills(load("05").solution)[1] == 0 < registers_and_spills(column)[1]
    promised, bare = load("08").solution, load("08").solution.replace("__launch_bounds__(THREADS, BLOCKS_A_SM)", "")
    assert registers_and_spills(promised)[0] <= 128 < registers_and_spills(bare)[0] == pytest.approx(160, abs=8)
    blocks = {n: [occupancy(n, registers, 0, "sm_90").blocks_per_sm for registers in (64, 65)] for n in (256, 1024)}
    assert blocks == {256: [4, 3], 1024: [1, 0]}


def test_the_wavefronts_fall_from_lesson_to_lesson_and_rise_with_a_patch_of_8x8_in_one_piece():
    shape, found = (128, 128, 128), {}
    for number in ("04", "05", "06", "07", "09"):
        lesson = load(number)
        found[number] = tally(lesson.kernel, lesson.solution, shape, "sm_90")
    passes = [one.shared_wavefronts for one in found.values()]
    assert passes == sorted(passes, reverse=True) and found["06"].conflicts == 0
    lesson, sizes = load("06"), Sizes(128, 64, 16, 8, 8)
    kernel = replace(lesson.kernel, launched_by=launch_spec(sizes))
    whole = tally(kernel, with_sizes(lesson.solution, sizes), shape, "sm_90")
    assert whole.reads_per_fma < found["06"].reads_per_fma
    assert whole.shared_wavefronts > found["06"].shared_wavefronts and whole.conflicts > 0


def test_lesson_07_has_cases_for_both_paths_of_each_matrix():
    ragged = [case.shape for case in load("07").cases if case.label == "ragged"]
    assert {(N % 4 == 0, K % 4 == 0) for _, N, K in ragged} == {(a, b) for a in (True, False) for b in (True, False)}


SHIFTED = """
__device__ float room[3][4096];

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    float* a = room[0] + SHIFT_A;
    float* b = room[1] + SHIFT_B;
    float* c = room[2] + SHIFT_C;
    const int me = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = me; i < M * K; i += THREADS) a[i] = A[i];
    for (int i = me; i < K * N; i += THREADS) b[i] = B[i];
    __syncthreads();
    shifted(a, b, c, M, N, K);
    __syncthreads();
    for (int i = me; i < M * N; i += THREADS) C[i] = c[i];
}
"""


def with_shifted_matrices(source: str, shifts: tuple[int, int, int]) -> str:
    """The kernel called with copies of A, B and C that begin so many floats after a multiple of 16 bytes."""
    for name, shift in zip("ABC", shifts):
        source = source.replace("#define BM", f"#define SHIFT_{name} {shift}\n#define BM", 1)
    head = r'extern "C" __global__ void __launch_bounds__\(.*\)\s+gemm'
    return re.sub(head, "__device__ void shifted", source) + SHIFTED


@pytest.mark.parametrize("number", ["07", "08"])
@pytest.mark.parametrize("shifts", [(1, 0, 0), (0, 2, 0), (0, 0, 3), (4, 4, 4)])
def test_matrices_may_begin_anywhere(number, shifts):
    """K and N are multiples of 4, so that only where a matrix begins decides."""
    lesson = load(number)
    source = with_shifted_matrices(lesson.solution, shifts)
    verdict = check_source(source, "k.cu", lesson.launch, [ALIGNED], "emulator")
    assert verdict.passed, [finding.message for finding in verdict.findings]


def test_a_kernel_that_forgets_where_a_matrix_begins_is_found():
    lesson = load("07")
    careless = lesson.solution.replace("reinterpret_cast<size_t>(X) % 16 == 0 && ", "")
    source = with_shifted_matrices(careless, (1, 0, 0))
    verdict = check_source(source, "k.cu", lesson.launch, [ALIGNED], "emulator")
    assert "misaligned" in {finding.kind for finding in verdict.findings}


def test_neighbouring_kernels_differ_by_one_idea():
    source = {number: load(number).solution for number in ("04", *NUMBERS)}
    added = {number: diff_of(source[before], source[number]) for before, number in zip(("04", *NUMBERS), NUMBERS)}
    assert any("const float b = Bs[k][tx];" in line for line in added["05"])
    assert any("a[m] * b[n]" in line for line in added["06"]) and len(added["06"]) < 20
    assert any("float4" in line for line in added["07"])
    assert any("__pipeline_memcpy_async" in line for line in added["08"]) and len(added["08"]) < 35


def test_the_patch_is_described_and_drawn():
    picture = patch_picture(Sizes(64, 64, 16, 4, 4), (6, 9), 5)
    assert picture.png() and "rows 24 to 27 and columns 36 to 39 of the tile" in picture.alt
    column = patch_picture(Sizes(64, 64, 16, 16, 1), (1, 20), 0).alt
    assert "16×1 of them: rows 16 to 31 and column 20" in column
    assert "2×2 elements of C from 2 of As and 2 of Bs" in reuse_picture([(4, 1), (2, 2)]).alt
