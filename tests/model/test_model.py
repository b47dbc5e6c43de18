"""The model of a kernel's time: machine code read, counts carried over to it, one SM simulated, a time with reasons."""

from __future__ import annotations

import json
import struct
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gemmlab.errors import UserError
from gemmlab.kernel.counters import LineCounters
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.layout import COURSE
from gemmlab.model import flow, predict, sass, sm, tensor
from gemmlab.model.costs import numbers, tables
from gemmlab.model.cubin import MachineCode, machine_code
from gemmlab.model.limits import branches_on_data, require_known
from gemmlab.model.machines import load
from gemmlab.model.sample import NotCounted, Sampled, sampled
from gemmlab.model.traffic import Resident, reuse_of
from gemmlab.trials.candidate import Candidate

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
from model_kernels import published  # noqa: E402  a tool is no module

SMALL = (128, 128, 256)

# What nvdisasm says of these words: `@!P5 BRA 0x3300` at 0xa90, `IADD3 R9, R2, -R5, RZ`, `LDC R1, c[0x0][0x28]`,
# `ISETP.GE.AND P1, PT, R4, UR4, PT`, `IMAD R11, R12.reuse, R29, RZ`, `@P0 EXIT`, `LDGDEPBAR`.
BRANCH = (0x000000280018D947, 0x000FEC0003800000)
SUM = (0x8000000502097210, 0x000FC40007FFE0FF)
CONSTANT = (0x00000A00FF017B82, 0x000E620000000800)
COMPARISON = (0x0000000404007C0C, 0x000FC4000BF26270)
PRODUCT = (0x0000001D0C0B7224, 0x048FE200078E02FF)
LEAVE = (0x000000000000094D, 0x000FEA0003800000)
CLOSE = (0x00000000000079AF, 0x000E240000000000)


def decoded(*words: tuple[int, int], before: int = 0) -> list[sass.Instruction]:
    padding = struct.pack("<QQ", *SUM) * before
    return sass.instructions(MachineCode(padding + b"".join(struct.pack("<QQ", *word) for word in words), ()))[before:]


def test_instructions_are_what_nvdisasm_says():
    """Units, guards, pauses, counters, jumps and registers of words that nvdisasm named."""
    total, constant, comparison, product, leave, close = decoded(SUM, CONSTANT, COMPARISON, PRODUCT, LEAVE, CLOSE)
    (branch,) = decoded(BRANCH, before=0xA90 // sass.SIZE)
    assert branch.target == 0x3300 // sass.SIZE and branch.conditional and not branch.always
    assert [one.unit for one in (total, constant, product)] == [sass.ALU, sass.CONSTANT, sass.HEAVY]
    assert comparison.unit == sass.ALU and comparison.stall == 2
    assert product.sources[:2] == (12, 29) and product.kept == ((0, 12),)
    assert leave.ends and not leave.always and close.base == sass.LDGDEPBAR
    assert (constant.sets, constant.wait, product.wait) == (1, 0, 0b1000)


@cache
def candidate(name: str) -> Candidate:
    from gemmlab.course import lesson as lessons

    (lesson,) = (one for one in lessons.load_all(ROOT) if one.name == name)
    return Candidate(lesson.solution, lesson.name, lesson.kernel.launches_of(lesson.solution))


def followed(name: str) -> tuple[list[sass.Instruction], flow.Flow, Sampled, int]:
    one = candidate(name)
    program, (launch,) = one.compiled("sm_90"), one.launches(SMALL)
    block = sampled(program, launch, launch, SMALL)
    warps = launch.block[0] * launch.block[1] // 32
    found = machine_code(program.machine_code, program.symbol(launch.kernel))
    assert found
    code = sass.instructions(found)
    return code, flow.solved(code, {line: c.instructions / warps for line, c in block.lines.items()}), block, warps


@pytest.mark.parametrize("name", ["01_naive_mapping", "06_register_2d"])
def test_the_machine_code_makes_the_multiply_adds_that_the_ptx_made(name: str):
    """Loops are unrolled on the way; the counts are carried over, and the path has them in order."""
    code, flows, block, warps = followed(name)
    multiply_adds = [sum(one.base == sass.FFMA for one in code[b.start : b.end]) for b in flows.blocks]
    ran = sum(count * many for count, many in zip(flows.counts, multiply_adds))
    assert ran == pytest.approx(block.totals.fma / 32 / warps, rel=0.01)
    walked = sum(multiply_adds[n] for n in flow.path(flows, 10**6))
    assert walked == pytest.approx(ran, rel=0.06)


def simulated(words: list[tuple[int, int]], warps: int, blocks: int = 1) -> sm.Simulated:
    _, _, block, _ = followed("01_naive_mapping")
    code = decoded(*words)
    machine = load()
    resident = Resident(machine.sms, together=1, rounds=1, cache_bytes=2**18)
    whole, costs = tables(code, block, reuse_of(block, SMALL, COURSE, resident), machine)
    return sm.simulate(np.arange(len(code)), whole, costs, numbers(machine, 1, warps), warps, blocks)


def test_four_schedulers_share_the_warps():
    """Sums are taken every second cycle: four warps take as long as one, eight twice as long."""
    one, four, eight = (simulated([SUM] * 64, warps).cycles for warps in (1, 4, 8))
    assert four == pytest.approx(one, rel=0.06)
    pauses = sum(max(1, one.stall) for one in decoded(*[SUM] * 64))
    assert one == pytest.approx(max(pauses, 2 * 64), rel=0.1)
    assert eight >= 1.0 * one and simulated([SUM] * 64, 16).cycles > 1.9 * one


def test_reasons_and_range():
    """The first reason is the largest, and the range holds the time."""
    found = predict(candidate("02_tiled_fma"), (256, 256, 256))
    assert found.ms and found.low_ms < found.ms < found.high_ms
    shares = [one.share for one in found.reasons]
    assert shares == sorted(shares, reverse=True) and found.bottleneck == found.reasons[0].name
    assert found.summary().endswith(f"{found.bottleneck} decides")
    assert sum(sum(line.values()) for line in found.lines.values()) == pytest.approx(1)
    assert json.loads(json.dumps(found.to_json()))["bottleneck"] == found.bottleneck


def test_tiles_are_faster_than_strides():
    slow, fast = (predict(candidate(name), (256, 256, 256)).ms for name in ("00_start_here", "02_tiled_fma"))
    assert slow > 4 * fast


KERNEL = """extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; k++) { %s acc += A[row * K + k] * B[k * N + col]; }
    C[row * N + col] = acc;
}"""
SPEC = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)")


@pytest.mark.parametrize(("extra", "depends"), [("", False), ("if (A[row * K + k] == 0.0f) break;", True)])
def test_a_loop_that_ends_by_its_data_gets_no_number(extra: str, depends: bool):
    one = Candidate(KERNEL % extra, "kernel.cu", SPEC)
    program = one.compiled("sm_90")
    assert branches_on_data(program.ptx, program.symbol("gemm")) == depends
    if depends:
        found = predict(one, (64, 64, 64))
        assert found.ms is None and "read from memory" in (found.unknown or "") and not found.reasons


def test_tensor_cores_get_a_number_where_somebody_measured_them():
    found = predict(candidate("11_tensor_cores"), (256, 256, 256))
    assert found.ms and any(one.name == "tensor" for one in found.reasons)
    code, _, block, _ = followed("11_tensor_cores")
    others = replace(load(), constants={n: c for n, c in load().constants.items() if not n.startswith("mma")})
    with pytest.raises(NotCounted, match="nobody recorded how fast"):
        require_known(code, "", "gemm", block, others)


# What nvdisasm calls HMMA.1684.F32.TF32, HMMA.16816.F32 and HGMMA, whose kind is unknown here.
TF32_PRODUCT = (0x0000005A3618723C, 0x080FE20000085018)
HALF_PRODUCT = (0x000000120C08723C, 0x000FE20000001808)
OTHER_PRODUCT = (0x00000000000079F0, 0x000FE20000001808)


def test_products_keep_a_tensor_core_busy_for_as_long_as_was_measured():
    tf32, half, other = decoded(TF32_PRODUCT, HALF_PRODUCT, OTHER_PRODUCT)
    assert (tf32.product, half.product, other.product) == ((4, True), (16, False), None)
    assert [one.unit for one in (tf32, half, other)] == [sass.TENSOR] * 3
    cycles = [tensor.cycles(one, load()) for one in (tf32, half)]
    assert cycles == [4 / load()["mma_tf32_k4_rate"], 4 / load()["mma_half_rate"]]
    with pytest.raises(NotCounted, match="tensor cores in a way"):
        tensor.cycles(other, load())


@pytest.mark.parametrize("name", ["wmma_from_global", "mma_ldmatrix_64", "mma_tf32_64", "wmma_bfloat_32"])
def test_tensor_cores_multiply_in_machine_code_what_the_ptx_asked_for(name):
    """By the product of the machine code's shapes, however many instructions the assembler made of one."""
    (kernel,) = (one for one in published() if one.name == name)
    shape = tuple(2 * size for size in kernel.multiples)
    program, launch = kernel.candidate.compiled("sm_90", shapes=[shape]), kernel.candidate.launch.at(*shape)
    counted = sampled(program, launch, launch, shape)
    assert counted.depth == shape[2]
    code = sass.instructions(machine_code(program.machine_code, program.symbol(launch.kernel)))
    block, settled = tensor.in_machine_code(counted, code, program.ptx)
    flows = flow.solved(settled, {line: one.instructions / block.warps for line, one in block.lines.items()})
    ran = sum(
        count * sum(16 * 8 * one.product[0] for one in settled[part.start : part.end] if one.product)
        for count, part in zip(flows.counts, flows.blocks)
    )
    assert ran * block.warps == pytest.approx(counted.totals.tensor_fma, rel=0.01)


def test_fragments_of_other_shapes_get_no_number():
    ptx = "wmma.load.a.sync.aligned.row.m32n8k16.shared.f16 {%r1}, [%rd1], %r2;"
    _, _, block, _ = followed("01_naive_mapping")
    with pytest.raises(NotCounted, match="fragments of a shape"):
        tensor.in_machine_code(replace(block, lines={1: LineCounters(instructions=1)}), [], ptx)


def test_what_is_not_recorded_or_does_not_compile():
    with pytest.raises(UserError, match="nobody recorded"):
        predict(candidate("02_tiled_fma"), SMALL, gpu="NVIDIA-H999")
    broken = Candidate("__global__ void gemm() { nonsense }", "broken.cu", SPEC)
    assert "compile" in predict(broken, SMALL).unknown
