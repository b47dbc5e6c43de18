"""Matrix instructions: layouts as the PTX ISA has them, products against NumPy, and the checks on their loads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from ptx_lab import kernel, kinds, launch, unsupported

from gemmlab.compiler.compile import compile_source
from gemmlab.emulator import EmulatorExecutor
from gemmlab.emulator.machine.requests import COUNTER_ROW, SHARED_REQUESTS, WAVEFRONT_COUNT
from gemmlab.emulator.ptx import tensor_layouts as layouts
from gemmlab.kernel.launch import LaunchSpec

LANES = np.arange(32)
GROUP, MEMBER = LANES >> 2, LANES % 4  # groupID and threadID_in_group of the ISA


# ---- layouts: element i of a lane, by the formulas of the ISA


def isa_a(kind: str, i: int) -> tuple[np.ndarray, np.ndarray]:
    if kind in layouts.INTEGERS:
        n = layouts.ELEMENTS[kind]  # of a register: those of the second lie eight rows down
        return GROUP + (8 if i // n % 2 else 0), MEMBER * n + i % n + (4 * n if i >= 2 * n else 0)
    if kind in ("f16", "bf16"):
        return np.where(i in (0, 1, 4, 5), GROUP, GROUP + 8), MEMBER * 2 + (i & 1) + (8 if i >= 4 else 0)
    if kind == "tf32":
        return GROUP + (8 if i in (1, 3) else 0), MEMBER + (4 if i >= 2 else 0)
    return GROUP, MEMBER


def isa_b(kind: str, i: int) -> tuple[np.ndarray, np.ndarray]:
    if kind in layouts.INTEGERS:
        n = layouts.ELEMENTS[kind]
        return MEMBER * n + i % n + (4 * n if i >= n else 0), GROUP
    if kind in ("f16", "bf16"):
        return MEMBER * 2 + (i & 1) + (8 if i >= 2 else 0), GROUP
    return MEMBER + 4 * i, GROUP


def isa_c(i: int) -> tuple[np.ndarray, np.ndarray]:
    return GROUP + (8 if i >= 2 else 0), MEMBER * 2 + (i & 1)


MMA = [
    (kind, tuple(int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split()))
    for kind, shapes in layouts.MMA_SHAPES.items()
    for shape in shapes
]


def sum_kind(kind: str) -> str:
    return "f64" if kind == "f64" else "s32" if kind in layouts.INTEGERS else "f32"


def places(fragment: layouts.Fragment) -> list[list[tuple[int, int]]]:
    return [list(element) for register in fragment.registers for element in register]


@pytest.mark.parametrize("kind, shape", MMA)
def test_layouts_of_mma(kind, shape):
    product = layouts.multiplication((kind, kind, sum_kind(kind), sum_kind(kind)), shape, False)
    for fragment, formula in ((product.a, isa_a), (product.b, isa_b), (product.c, lambda kind, i: isa_c(i))):
        for i, element in enumerate(places(fragment)):
            rows, columns = formula(kind, i)
            assert element == list(zip(rows.tolist(), columns.tolist()))


@pytest.mark.parametrize("kind", layouts.WMMA_SHAPES)
def test_each_element_of_a_wmma_matrix_has_one_place(kind):
    for shape in layouts.WMMA_SHAPES[kind]:
        m, n, k = (int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split())
        product = layouts.multiplication((kind, kind, sum_kind(kind), sum_kind(kind)), (m, n, k), True)
        for fragment, size in ((product.a, (m, k)), (product.b, (k, n)), (product.c, (m, n))):
            found = sorted(place for element in places(fragment) for place in element)
            assert found == [(row, column) for row in range(size[0]) for column in range(size[1])]


# ---- products

_BITS = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "s32": np.int32}


def to_bits(matrix: np.ndarray, kind: str) -> np.ndarray:
    """Each element's bits, as uint64."""
    if kind == "bf16":
        return (matrix.astype(np.float32).view(np.uint32) >> 16).astype(np.uint64)
    if kind == "tf32":
        return matrix.astype(np.float32).view(np.uint32).astype(np.uint64)
    if kind in layouts.INTEGERS:
        return (matrix.astype(np.int64) & ((1 << layouts.BITS[kind]) - 1)).astype(np.uint64)
    values = matrix.astype(_BITS[kind])
    return values.view(f"u{values.itemsize}").astype(np.uint64)


def registers(fragment: layouts.Fragment, matrix: np.ndarray) -> np.ndarray:
    """The registers of the warp that hold the matrix: (register, lane)."""
    bits = to_bits(matrix, fragment.kind)
    found = np.zeros((len(fragment.registers), 32), np.uint64)
    for n, register in enumerate(fragment.registers):
        for e, element in enumerate(register):
            rows, columns = zip(*element)
            found[n] |= bits[rows, columns] << np.uint64(layouts.BITS[fragment.kind] * e)
    return found


def matrix_of(fragment: layouts.Fragment, found: np.ndarray) -> np.ndarray:
    matrix = np.full((fragment.rows, fragment.columns), np.nan)
    for n, register in enumerate(fragment.registers):
        for e, element in enumerate(register):
            rows, columns = zip(*element)
            bits = found[n] >> np.uint64(16 * e)
            kind = np.dtype(_BITS[fragment.kind])
            matrix[rows, columns] = bits.astype(f"u{kind.itemsize}").view(kind)
    return matrix


def multiply(opcode: str, product: layouts.Multiplication, a, b, c, skip: int | None = None):
    """Run mma on matrices; `skip` leaves that register of A, B or C (counted through) unset."""
    parts = [registers(product.a, a), registers(product.b, b), registers(product.c, c)]
    found, run = multiply_registers(opcode, product, parts, skip)
    return matrix_of(product.d, found), run


def multiply_registers(opcode: str, product: layouts.Multiplication, parts: list[np.ndarray], skip: int | None = None):
    """The same on the registers of A, B and C, (register, lane) each; those of D come back."""
    given = np.concatenate(parts)
    wide = product.a.kind == "f64"
    prefix, size = ("%rd", 64) if wide else ("%r", 32)
    names = [f"{prefix}{n + 1}" for n in range(len(given))]
    loads = [f"ld.global.b{size} {name}, [%rd54+{8 * 32 * n}];" for n, name in enumerate(names) if n != skip]
    groups, start = [], 0
    for part in parts:
        groups.append("{" + ", ".join(names[start : start + len(part)]) + "}")
        start += len(part)
    count = len(product.d.registers)
    targets = [f"{prefix}{n + 30}" for n in range(count)]
    text = f"{opcode} {{{', '.join(targets)}}}, {', '.join(groups)};"
    stores = [f"st.global.b{size} [%rd56+{8 * 32 * n}], {name};" for n, name in enumerate(targets)]
    C = np.zeros((count, 32), np.uint64)
    run = launch(
        kernel("\n".join([*loads, text, *stores])), given.reshape(-1), np.zeros(32, np.uint64), C.reshape(-1), 32
    )
    return C, run


def example(kind: str, c_kind: str, d_kind: str, shape, seed: int = 0, whole: bool = False):
    m, n, k = shape
    product = layouts.multiplication((kind, kind, c_kind, d_kind), shape, False)
    opcode = f"mma.sync.aligned.m{m}n{n}k{k}.row.col.{d_kind}.{kind}.{kind}.{c_kind}"
    rng = np.random.default_rng(seed)
    low, high = {"u8": (0, 256), "s8": (-128, 128), "u4": (0, 16), "s4": (-8, 8)}.get(kind, (-8, 9))
    draw = (lambda *s: rng.integers(low, high, s).astype(float)) if whole else (lambda *s: rng.random(s) * 2 - 1)
    return product, opcode, draw(m, k), draw(k, n), draw(m, n)


SUMS = {"f16": [("f32", "f32"), ("f16", "f16"), ("f16", "f32"), ("f32", "f16")], "f64": [("f64", "f64")]}
SUMS |= dict.fromkeys(("s8", "u8", "s4", "u4"), [("s32", "s32")])
ALL_MMA = [(kind, c, d, shape) for kind, shape in MMA if kind != "b1" for c, d in SUMS.get(kind, [("f32", "f32")])]


@pytest.mark.parametrize("kind, c_kind, d_kind, shape", ALL_MMA)
def test_products_of_whole_numbers_are_exact(kind, c_kind, d_kind, shape):
    product, opcode, a, b, c = example(kind, c_kind, d_kind, shape, whole=True)
    d, run = multiply(opcode, product, a, b, c)
    assert not len(run.events)
    assert np.array_equal(d, a @ b + c)


def integer_product(kinds: tuple[str, str], shape, form: str = "", c: int = 0, ones: bool = False):
    """mma on random integers of these kinds: (a, b, d, the run); `form` stands behind the layouts."""
    m, n, k = shape
    product = layouts.multiplication((*kinds, "s32", "s32"), shape, False, form.removesuffix(".popc"))
    words = f".{form}" if form else ""
    rng = np.random.default_rng(7)
    low = {kind: -(1 << layouts.BITS[kind] - 1) if kind[0] == "s" else 0 for kind in kinds}
    a, b = (
        rng.integers(low[kind], low[kind] + (1 << layouts.BITS[kind]), size)
        for kind, size in zip(kinds, ((m, k), (k, n)))
    )
    if ones:
        a[:], b[:] = 1, 1
    opcode = f"mma.sync.aligned.m{m}n{n}k{k}.row.col{words}.s32.{kinds[0]}.{kinds[1]}.s32"
    d, run = multiply(opcode, product, a, b, np.full((m, n), c))
    assert not len(run.events)
    return a, b, d


@pytest.mark.parametrize("kinds", [("s8", "u8"), ("u8", "s8"), ("s4", "u4")])
def test_integers_of_two_kinds(kinds):
    a, b, d = integer_product(kinds, (16, 8, 32 if kinds[0].endswith("8") else 64))
    assert np.array_equal(d, a @ b)


@pytest.mark.parametrize("shape", [(8, 8, 128), (16, 8, 128), (16, 8, 256)])
def test_single_bits(shape):
    a, b, d = integer_product(("b1", "b1"), shape, "xor.popc", c=3)
    assert np.array_equal(d, 3 + (a[:, :, None] != b[None]).sum(1))
    a, b, d = integer_product(("b1", "b1"), shape, "and.popc", c=3)
    assert np.array_equal(d, 3 + a @ b)


@pytest.mark.parametrize("form, d", [("", -(2**31) + 31), ("satfinite", 2**31 - 1)])
def test_sums_of_integers_wrap_or_stop(form, d):
    assert (integer_product(("s8", "s8"), (16, 8, 32), form, c=2**31 - 1, ones=True)[2] == d).all()


FLOAT_MMA = [case for case in ALL_MMA if case[0] not in layouts.INTEGERS]


@pytest.mark.parametrize("kind, c_kind, d_kind, shape", FLOAT_MMA)
def test_products_of_random_numbers(kind, c_kind, d_kind, shape):
    product, opcode, a, b, c = example(kind, c_kind, d_kind, shape, seed=1)
    d, run = multiply(opcode, product, a, b, c)
    unit = {"f16": 2.0**-11, "bf16": 2.0**-8, "tf32": 2.0**-10, "f64": 2.0**-53}[kind]
    half_output = 2.0**-10 if "f16" in (c_kind, d_kind) else 0
    bound = (4 * unit + half_output + 2.0**-20 * (kind != "f64")) * (np.abs(a) @ np.abs(b) + np.abs(c))
    assert not len(run.events)
    assert (np.abs(d - (a @ b + c)) <= bound).all()


MEASURED = json.loads((Path(__file__).parents[1] / "support/tensor_measured.json").read_text())


@pytest.mark.parametrize("one", MEASURED["products"], ids=lambda one: f"{one['kind']} {one['shape']}")
def test_float_sums_are_those_of_an_h200_to_the_last_bit(one):
    """Inputs in [-1, 1), with all 32 bits set at random in TF32's, and inputs over twelve powers of two."""
    kind, shape = one["kind"], tuple(one["shape"])
    product = layouts.multiplication((kind, kind, "f32", "f32"), shape, False)
    given = {name: np.array([_words(text) for text in one[name]]) for name in "abcd"}
    opcode = f"mma.sync.aligned.m{shape[0]}n{shape[1]}k{shape[2]}.row.col.f32.{kind}.{kind}.f32"
    found, run = multiply_registers(opcode, product, [given[name] for name in "abc"])
    assert not len(run.events)
    assert np.array_equal(found.astype(np.uint64), given["d"])


def _words(text: str) -> np.ndarray:
    return np.array([int(text[at : at + 8], 16) for at in range(0, len(text), 8)], np.uint64)


def test_a_factor_is_rounded_to_tf32_as_on_an_h200():
    body = "ld.global.b32 %f1, [%rd54]; cvt.rna.tf32.f32 %r1, %f1; st.global.b32 [%rd56], %r1;"
    given, expected = (np.array([int(pair[n], 16) for pair in MEASURED["cvt_rna"][:32]], np.uint64) for n in range(2))
    C = np.zeros(32, np.uint64)
    launch(kernel(body), given, np.zeros(32, np.uint64), C, 32)
    numbers = ~np.isnan(given.astype(np.uint32).view(np.float32))  # a NaN keeps its upper bits there
    assert np.array_equal(C[numbers], expected[numbers]) and numbers.sum() == 30


def test_only_the_upper_bits_of_a_tf32_operand_count():
    product, opcode, a, b, c = example("tf32", "f32", "f32", (16, 8, 8))
    a[:], b[:], c[:] = 1 + 2.0**-11, 1, 0
    d, _ = multiply(opcode, product, a, b, c)
    assert (d == 8).all()


def test_infinities_and_nan():
    product, opcode, a, b, c = example("f16", "f32", "f16", (16, 8, 16))
    a[:], b[:], c[:] = 1, 1, 0
    a[0, 0], a[1, 1], b[2, 3] = np.inf, np.nan, 65504
    a[2, 2] = 65504
    d, _ = multiply(opcode, product, a, b, c)
    assert np.isinf(d[0]).all() and np.isnan(d[1]).all()
    assert d[2, 3] == np.inf  # too large for float16
    assert d[4, 4] == 16


@pytest.mark.parametrize("skip, undefined", [(0, {0, 1}), (1, {2, 3}), (4, {0, 1, 2, 3}), (6, {0}), (9, {3})])
def test_a_register_that_nobody_set_makes_the_elements_undefined_that_it_enters(skip, undefined):
    """Registers 0 to 3 are of A (the first has rows 0 to 7), 4 and 5 of B, 6 to 9 of C."""
    product, opcode, a, b, c = example("f16", "f32", "f32", (16, 8, 16))
    _, run = multiply(opcode, product, a, b, c, skip)
    assert set(kinds(run)) == {"UNDEFINED_STORE"}
    assert {event[4] // 256 for event in run.events} == undefined  # by the place that the register was stored to


# ---- ldmatrix


def ldmatrix(count: int, transposed: bool, stride: int = 16) -> tuple[np.ndarray, np.ndarray, object]:
    """Fill shared memory with 16-bit numbers and load matrices with rows `stride` bytes apart. (loaded, memory, run)"""
    numbers = np.arange(2048, dtype=np.uint16)
    names = [f"%r{n + 20}" for n in range(count)]
    body = [
        "mov.u32 %r1, tile; mul.wide.u32 %rd20, %r51, 128; add.s64 %rd21, %rd50, %rd20; mad.lo.u32 %r2, %r51, 128, %r1;"
    ]
    body += [f"ld.global.u32 %r3, [%rd21+{4 * n}]; st.shared.u32 [%r2+{4 * n}], %r3;" for n in range(32)]
    body += [f"bar.warp.sync 0xffffffff; mad.lo.u32 %r4, %r51, {stride}, %r1;"]
    trans = ".trans" if transposed else ""
    body += [f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{', '.join(names)}}}, [%r4];"]
    body += [f"st.global.u32 [%rd56+{8 * 32 * n}], {name};" for n, name in enumerate(names)]
    C = np.zeros((count, 32), np.uint64)
    run = launch(
        kernel("\n".join(body), ".shared .align 128 .b8 tile[4096];"),
        numbers.view(np.uint64), np.zeros(32, np.uint64), C.reshape(-1), 32,
    )  # fmt: skip
    return C.astype(np.uint32), numbers, run


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ldmatrix(count, transposed):
    found, numbers, run = ldmatrix(count, transposed)
    assert not len(run.events)
    for j in range(count):
        matrix = numbers.reshape(-1, 8)[8 * j : 8 * j + 8]
        matrix = matrix.T if transposed else matrix
        pairs = matrix[LANES // 4, LANES % 4 * 2] | matrix[LANES // 4, LANES % 4 * 2 + 1].astype(np.uint32) << 16
        assert np.array_equal(found[j], pairs)


@pytest.mark.parametrize("stride, wavefronts", [(16, 4), (128, 32), (80, 4)])
def test_ldmatrix_is_one_request_of_eight_rows_a_wavefront(stride, wavefronts):
    _, _, run = ldmatrix(4, False, stride)
    load = next(
        pc
        for pc, text in enumerate(run.code.texts)
        if text.startswith("ldmatrix") and run.counters[pc][SHARED_REQUESTS]
    )
    assert run.counters.shape[1] == COUNTER_ROW
    assert run.counters[load][SHARED_REQUESTS] == 1
    assert run.counters[load][WAVEFRONT_COUNT] == wavefronts


@pytest.mark.parametrize(
    "stride, expected", [(200, "MISALIGNED_READ"), (160, "OUT_OF_BOUNDS_READ")], ids=["alignment", "bounds"]
)
def test_rows_of_ldmatrix_are_checked(stride, expected):
    assert expected in kinds(ldmatrix(4, False, stride)[2])


_F4, _R4 = "{%f1, %f2, %f3, %f4}", "{%r1, %r2, %r3, %r4}"


@pytest.mark.parametrize(
    "text",
    [
        f"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {_F4}, {_R4}, {{%r5, %r6}}, {_F4};",
        f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f1, %f2, %f3}}, {_R4}, {{%r5, %r6}}, {_F4};",
        f"mma.sync.aligned.m16n8k32.row.col.f32.s8.s8.f32 {_F4}, {_R4}, {{%r5, %r6}}, {_F4};",
        f"mma.sync.aligned.m16n8k32.row.col.s32.s8.s4.s32 {_R4}, {_R4}, {{%r5, %r6}}, {_R4};",
        "wmma.load.a.sync.aligned.row.m8n8k32.s8 {%r1, %r2}, [%rd1], %r3;",
        "ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r1, %r2, %r3}, [%r4];",
        "wgmma.fence.sync.aligned;",
    ],
)
def test_what_is_not_supported_says_so(text):
    run = launch(kernel(text), *(np.zeros(32, np.uint64) for _ in range(3)), 32)
    assert [message.split()[0] for message in unsupported(run)] == [text.split()[0].rstrip(";")]


# ---- wmma, from CUDA

_WMMA = """
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(32) __half As[16 * 16 + 16], Bs[16 * 16];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    FILL;
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        As[i] = __float2half(A[i]);
        Bs[i] = __float2half(B[i]);
    }
    BEFORE_LOAD;
    wmma::load_matrix_sync(a, As + OFFSET, STRIDE);
    wmma::load_matrix_sync(b, Bs, 16);
    if (CONDITION) wmma::mma_sync(acc, a, b, acc);
    wmma::store_matrix_sync(C + C_OFFSET, acc, C_STRIDE, wmma::mem_row_major);
}
"""
_RIGHT = {
    "FILL": "wmma::fill_fragment(acc, 0.0f)", "BEFORE_LOAD": "__syncwarp()", "OFFSET": "0", "STRIDE": "16",
    "CONDITION": "true", "C_OFFSET": "0", "C_STRIDE": "16",
}  # fmt: skip


def run_wmma(block: str = "32", **changes: str):
    program = compile_source(_WMMA, options=[f"-D{name}={text}" for name, text in {**_RIGHT, **changes}.items()])
    rng = np.random.default_rng(5)
    A, B = (rng.integers(-4, 5, (16, 16)).astype(np.float32) for _ in range(2))
    outcome = EmulatorExecutor(seconds=10).run(program, LaunchSpec.parse(block, "1").at(16, 16, 16), A, B, (16, 16, 16))
    return outcome, A @ B


def test_wmma_is_right():
    outcome, expected = run_wmma()
    assert outcome.findings == [] and np.array_equal(outcome.C, expected)


@pytest.mark.parametrize(
    "changes, expected",
    [
        ({"FILL": "", "block": "32"}, "uninitialized"),
        ({"BEFORE_LOAD": ""}, "race"),
        ({"OFFSET": "8"}, "misaligned"),
        ({"STRIDE": "12"}, "misaligned"),
        ({"C_STRIDE": "24"}, "out_of_bounds"),
        ({"C_OFFSET": "8 * 16"}, "out_of_bounds"),
        ({"CONDITION": "threadIdx.x < 16"}, "barrier_divergence"),
        ({"block": "16"}, "barrier_divergence"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(f"{k}={v}" for k, v in value.items()),
)
def test_faults_around_wmma_are_found(changes, expected):
    outcome, _ = run_wmma(**changes)
    assert expected in {finding.kind for finding in outcome.findings if finding.is_error}
    assert all(finding.line for finding in outcome.findings)
