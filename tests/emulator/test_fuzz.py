"""Whatever PTX says: reading it ends in a clean refusal, and running it touches only the emulator's own arrays."""

from __future__ import annotations

import random
import re

import hypothesis.strategies as st
import numpy as np
import ptx_lab
import pytest
from hypothesis import given, settings
from ops_corpus import FOLDER, make_inputs, read
from ptx_lab import kernel

from gemmlab.compiler.compile import compile_source
from gemmlab.emulator import runner
from gemmlab.emulator.code import decode
from gemmlab.emulator.ptx import parser
from gemmlab.emulator.report.findings import Explainer
from gemmlab.kernel.launch import Launch

GUARD = 4096
PATTERN = 0xA5
TOPICS = (
    "asynchronous_copies", "shared_atomics", "global_atomics", "helper_functions", "switch_tables", "printing",
    "mma_half_ldmatrix", "wmma_half", "local_arrays", "warp_shuffles", "warp_votes", "vector_accesses",
    "inline_assembly", "narrow_types", "global_variables",
)  # fmt: skip
NUMBERS = (
    "0 1 -1 2 3 4 7 8 15 16 17 31 32 64 255 4096 65536 1048576 2147483647 2147483648 4294967295 -2147483648".split()
)
NUMBERS += (
    "4294967296 9223372036854775807 18446744073709551615 99999999999999999999 0x7fffffffffffffff 08 0f7F800000".split()
)


class GuardedNumpy:
    """numpy, but for arrays of zeros with a pattern before and behind them."""

    def __init__(self) -> None:
        self.buffers: list[np.ndarray] = []

    def __getattr__(self, name: str):
        return getattr(np, name)

    def zeros(self, shape, dtype=float) -> np.ndarray:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        buffer = np.full(size + 2 * GUARD + 64, PATTERN, np.uint8)
        start = GUARD + -(buffer.ctypes.data + GUARD) % 64
        inside = buffer[start : start + size]
        inside[:] = 0
        self.buffers += [buffer[:start], buffer[start + size :]]
        return inside.view(dtype).reshape(shape)

    def check(self) -> None:
        assert all((guard == PATTERN).all() for guard in self.buffers), (
            "something outside the emulator's arrays was written"
        )


def attempt(text: str, launch, shape=(16, 64, 16), checks: bool = True) -> str:
    """Read and run PTX as the executor does, in guarded memory. Says how far it came."""
    try:
        code = decode.decode(parser.parse(text), "gemm")
    except (parser.PtxError, decode.Unsupported) as refusal:
        assert str(refusal)
        return "refused"
    except KeyError as missing:
        assert missing.args == ("gemm",)
        return "no kernel"
    guarded, runner.np = GuardedNumpy(), None
    runner.np = guarded
    try:
        M, N, K = shape
        arrays = [guarded.zeros(size, np.float32) for size in ((M, K), (K, N), (M, N))]
        for array, inputs in zip(arrays, make_inputs("unit", shape)):
            array[:] = inputs
        memory = runner.global_memory(code, *arrays)
        parameters = [*(region.address for region in memory.regions[:3]), M, N, K]
        options = runner.Options(checks=checks, budget=3000, seconds=5, threads=1)
        run = runner.run(code, memory, launch, parameters, options)
        guarded.check()
    except MemoryError:
        return "too large"
    finally:
        runner.np = np
    assert all(finding.message for finding in Explainer(code, launch, shape, "").findings(run.events))
    return "run"


def sources() -> list[tuple[str, Launch, tuple[int, int, int]]]:
    """PTX of real kernels, optimised and not, with a launch each."""
    found = []
    for name in TOPICS:
        corpus = read(FOLDER / f"{name}.cu")
        for debug in (False, True):
            text = compile_source(corpus.source, debug=debug).ptx
            if len(text) < 60_000:
                found.append((text, corpus.spec.at(*corpus.shape), corpus.shape))
    return found


@pytest.fixture(scope="module")
def corpus():
    return sources()


# ---- mutations


def mutate(lines: list[str], rng: random.Random) -> None:
    """One change somewhere, mostly in an instruction."""
    at = rng.randrange(len(lines))
    for _ in range(20):
        if lines[at].strip() and not lines[at].lstrip().startswith((".loc", "//", ".file")):
            break
        at = rng.randrange(len(lines))
    rng.choice(CHANGES)(lines, at, rng)


def _drop(lines, at, rng):
    del lines[at]


def _repeat(lines, at, rng):
    lines.insert(rng.randrange(len(lines)), lines[at])


def _swap_lines(lines, at, rng):
    other = rng.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _number(lines, at, rng):
    numbers = list(re.finditer(r"(?<![\w%.$])-?\d+", lines[at]))
    if numbers:
        match = rng.choice(numbers)
        lines[at] = lines[at][: match.start()] + rng.choice(NUMBERS) + lines[at][match.end() :]


def _register(lines, at, rng):
    names = list(re.finditer(r"%[a-z]+\d+", lines[at]))
    if names:
        match = rng.choice(names)
        other = f"%{rng.choice(('r', 'rd', 'f', 'p', 'rs', 'fd'))}{rng.randrange(1, 12)}"
        lines[at] = lines[at][: match.start()] + other + lines[at][match.end() :]


def _swap_operands(lines, at, rng):
    head, tab, rest = lines[at].rpartition("\t")
    parts = rest.rstrip(";").split(", ")
    rng.shuffle(parts)
    lines[at] = f"{head}{tab}{', '.join(parts)};"


def _word(lines, at, rng):
    words = lines[at].split(".")
    if len(words) > 2:
        other = (
            "u8 u16 u32 u64 s32 f32 f64 b64 v2 v4 shared global local param volatile cc lo hi wide x4 trans f16x2 pred"
        )
        words[rng.randrange(1, len(words) - 1)] = rng.choice(other.split())
        lines[at] = ".".join(words)


def _bytes(lines, at, rng):
    text = "".join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(256)))) for _ in range(rng.randrange(1, 6)))
    place = rng.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:place] + text + lines[at][place:]


def _address(lines, at, rng):
    lines[at] = re.sub(r"\[(%\w+|\w+)(?:\+\d+)?\]", rf"[\1+{rng.choice(NUMBERS)}]", lines[at])


def _size(lines, at, rng):
    lines[at] = re.sub(r"\[\d+\]|<\d+>", lambda match: match[0][0] + rng.choice(NUMBERS) + match[0][-1], lines[at])


CHANGES = (
    _drop, _repeat, _swap_lines, _number, _number, _register, _register, _swap_operands, _word, _bytes,
    _address, _address, _size,
)  # fmt: skip


def mutated(text: str, seed: int) -> str:
    rng = random.Random(seed)
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        if len(lines) > 1:
            mutate(lines, rng)
    return "\n".join(lines)


# ---- the tests


@settings(max_examples=200)
@given(which=st.integers(0, 10**6), seed=st.integers(0, 2**32), checks=st.booleans())
def test_changed_ptx(corpus, which: int, seed: int, checks: bool):
    text, launch, shape = corpus[which % len(corpus)]
    attempt(mutated(text, seed), launch, shape, checks)


def test_enough_changed_kernels_still_run(corpus):
    outcomes = [attempt(mutated(text, seed), launch, shape) for seed in range(2) for text, launch, shape in corpus]
    assert outcomes.count("run") > len(outcomes) / 3


@settings(max_examples=200)
@given(st.text(alphabet=st.sampled_from(list('.{}()[]%@!|:;,=<>+-/*"\\ \n\tabrdpx0179_$é')), max_size=200))
def test_any_text(text: str):
    try:
        parser.parse(text)
    except parser.PtxError:
        pass


@settings(max_examples=200)
@given(st.lists(st.sampled_from(
    ".visible .entry gemm ( ) { } ; , .param .u64 A B %r1 %rd1 %p1 %f1 .reg .b32 <9> .pred .shared .align 16 .b8 x "
    "[64] [ ] = ld.global.u32 st.shared.f32 mov.u32 add.s32 bra L L: @%p1 call (f), .func f ret .loc 1 2 3 "
    ".branchtargets brx.idx 0 -1 "
    "bar.sync cp.async.ca.shared.global 4 { .reg .b32 y; } .callprototype atom.shared.add.u32".split()
), max_size=60))  # fmt: skip
def test_any_words(words: list[str]):
    try:
        decode.decode(parser.parse(" ".join(words)), "gemm")
    except (parser.PtxError, decode.Unsupported, KeyError):
        pass


# ---- hostile programs, each with what must be found

OUTSIDE = {"OUT_OF_BOUNDS_READ", "OUT_OF_BOUNDS_WRITE"}
FAR = (
    "0 8 -8 4096 1099511627776 2199023255552 4398046511104 9223372036854775807 9223372036854775804 "
    "-9223372036854775808 2200096997376 1100585369600 281474976710656 4611686018427387904"
).split()


def faults(body: str, before: str = "", threads: int = 64, **options) -> tuple[set[str], list[str]]:
    """The kinds of event and the unsupported instructions of a kernel run in guarded memory."""
    guarded = runner.np = GuardedNumpy()
    try:
        A, B, C = (guarded.zeros(128, np.uint64) for _ in range(3))
        run = ptx_lab.launch(kernel(body, before), A, B, C, threads, **{"budget": 100_000, "seconds": 5, **options})
        guarded.check()
    finally:
        runner.np = np
    return set(ptx_lab.kinds(run)), ptx_lab.unsupported(run)


@pytest.mark.parametrize("width", ["u8", "u32", "u64", "v4.f32"])
@pytest.mark.parametrize("address", FAR)
def test_addresses_of_nothing(address: str, width: str):
    size = {"u8": 1, "u32": 4, "u64": 8, "v4.f32": 16}[width]
    value = {"u8": "%r1", "u32": "%r1", "u64": "%rd9", "v4.f32": "{%f1, %f2, %f3, %f4}"}[width]
    head = f"mov.u64 %rd1, {address}; mov.u64 %rd9, 7; mov.u32 %r1, 7; and.b64 %rd1, %rd1, {-size};"
    floats = "mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;"
    for text in (
        f"ld.{width} {value}, [%rd1];",
        f"st.{width} [%rd1], {value};",
        f"ld.{width} {value}, [%rd1+2147483632];",
    ):
        found, _ = faults(f"{head} {floats} {text}")
        assert found <= OUTSIDE and found


@pytest.mark.parametrize("space", ["shared", "local"])
def test_edges_of_a_variable(space: str):
    """Every offset around a variable of 24 bytes: inside it works, outside it is found, wherever the window begins."""
    variable = f".{space} .align 8 .b8 room[24];"
    for offset in (-1048576, -524288, -8, -4, 0, 16, 20, 24, 28, 524280, 524288, 1048576, 2147483640):
        accesses = f"st.{space}.u32 [%rd1+{offset}], %r1; ld.{space}.u32 %r2, [%rd1+{offset}];"
        body = f"mov.u64 %rd1, room; mov.u32 %r1, 5; {accesses}"
        before, body = (variable, body) if space == "shared" else ("", variable + body)
        found, refused = faults(body, before, threads=1)
        assert not refused
        assert bool(found & OUTSIDE) == (not 0 <= offset <= 20), offset


HOSTILE = {
    # instructions that must be refused: their operands are not what the opcode takes
    "narrow target of a wide load": "ld.global.u64 %r1, [%rd50];",
    "narrow operand of a wide sum": "add.u64 %rd1, %r1, %rd2;",
    "wide operand of a narrow sum": "add.u32 %r1, %rd1, %r2;",
    "predicate as a number": "add.u32 %r1, %p1, %r2;",
    "predicate as a target": "add.u32 %p1, %r1, %r2;",
    "number as a guard": "@%r1 mov.u32 %r2, 5;",
    "predicate as an address": "ld.global.u32 %r1, [%p1];",
    "constant as a target": "mov.u32 5, %r1;",
    "special register as a target": "mov.u32 %tid.x, 5;",
    "vector of three": "ld.global.v4.u32 {%r1, %r2, %r3}, [%rd50];",
    "vector of a hundred": f"ld.global.v4.u32 {{{', '.join(['%r1'] * 100)}}}, [%rd50];",
    "vector too wide": "ld.global.v8.u64 {%rd1,%rd2,%rd3,%rd4,%rd5,%rd6,%rd7,%rd8}, [%rd50];",
    "vector of another count": "ld.global.v2.u32 {%r1, %r2, %r3, %r4}, [%rd50];",
    "copy of a thousand bytes": "cp.async.ca.shared.global [%r1], [%rd50], 1000;",
    "copy of minus four bytes": "cp.async.ca.shared.global [%r1], [%rd50], -4;",
    "copy from a narrow address": "cp.async.ca.shared.global [%r1], [%r2], 4;",
    "small copy past the first cache": "cp.async.cg.shared.global [%r1], [%rd50], 4;",
    "wait for minus one group": "cp.async.wait_group -1;",
    "parameter beyond its end": "ld.param.u32 %r1, [M+4];",
    "parameter that is not there": "ld.param.u32 %r1, [Q];",
    "parameter of another width": "ld.param.u64 %rd1, [M];",
    "offset beyond 32 bits": "ld.global.u32 %r1, [%rd50+4294967296];",
    "atomic of another width": "atom.global.add.u64 %r1, [%rd50], %r2;",
    "atomic that does not exist": "atom.global.min.f32 %f1, [%rd50], %f2;",
    "exchange of 128 bits": "atom.global.exch.b128 %rd1, [%rd50], %rd2;",
    "branch to nowhere": "bra NOWHERE;",
    "table that is not there": "brx.idx %r1, NOWHERE;",
    "shuffle of a predicate": "shfl.sync.idx.b32 %r1|%p1, %p2, 0, 31, -1;",
    "vote on a number": "vote.sync.ballot.b32 %r1, %r2, -1;",
    "table of lop3 that is a register": "lop3.b32 %r1, %r2, %r3, %r4, %r5;",
    "call of nothing": "call nothing;",
    "call through a pointer": "call %rd1, ();",
    "printf with nothing": "{ .param .b64 p0; call.uni (r), vprintf, (p0, p1); }",
    "product with a short fragment": "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};",
    "register that nobody declared": "mov.u32 %r1, %x1;",
    "barrier without a number": "bar.sync;",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_operands_of_another_form_are_refused(body: str):
    found, refused = faults("mov.u32 %r1, 0; mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 0;" + body)
    opcode = body.split("{ .param .b64 p0; ")[-1].removeprefix("@%r1 ").split()[0].rstrip(";")
    assert [message.split()[0] for message in refused] == [opcode] and "UNSUPPORTED_INSTRUCTION" in found


WILD = {
    "local memory far away": (".local .align 8 .b8 own[16]; mov.u64 %rd1, own; mul.wide.u32 %rd2, %r51, 99999992;"
                              "add.s64 %rd1, %rd1, %rd2; st.local.u64 [%rd1], %rd2;", OUTSIDE),
    "address and offset overflow": ("mov.u64 %rd1, 9223372036854775807; st.global.u8 [%rd1+2147483647], 1;", OUTSIDE),
    "atomic on an input": ("atom.global.add.u32 %r1, [%rd50], 1;", {"INPUT_WRITTEN"}),
    "atomic outside": ("add.s64 %rd1, %rd52, 1048576; atom.global.add.u32 %r1, [%rd1], 1;", OUTSIDE),
    "atomic on local memory": (".local .align 8 .b8 own[16]; mov.u64 %rd1, own; cvta.local.u64 %rd1, %rd1;"
                               "atom.add.u32 %r1, [%rd1], 1;", {"INPUT_WRITTEN"}),
    "store to an input": ("st.global.u32 [%rd50], 1;", {"INPUT_WRITTEN"}),
    "copy to the end of a tile": ("mov.u32 %r1, tile; add.u32 %r1, %r1, 240; mad.lo.u32 %r1, %r51, 16, %r1;"
                                  "cp.async.ca.shared.global [%r1], [%rd50], 16; cp.async.wait_all;", OUTSIDE),
    "copy of more than there is": ("mov.u32 %r1, tile; add.s64 %rd1, %rd50, 1016;"
                                   "cp.async.ca.shared.global [%r1], [%rd1], 16; cp.async.wait_all;",
                                   OUTSIDE | {"MISALIGNED_READ"}),
    "copy with a wild source size": ("mov.u32 %r1, tile; mad.lo.u32 %r1, %r51, 4, %r1; mov.u32 %r2, -1;"
                                     "cp.async.ca.shared.global [%r1], [%rd50], 4, %r2; cp.async.wait_all;", set()),
    "copies without end": ("mov.u32 %r1, tile; mad.lo.u32 %r1, %r51, 4, %r1;"
                           "L: cp.async.ca.shared.global [%r1], [%rd50], 4; bra L;", {"ASYNC_OVERFLOW", "OUT_OF_WORK"}),
    "barrier of any number": ("mov.u32 %r1, 999999; bar.sync %r1, 64; bar.sync -1;", set()),
    "barrier for nobody": ("bar.sync 3, 96;", {"BARRIER_DEADLOCK"}),
    "barrier for a crowd": ("bar.sync 3, 4294967264;", {"BARRIER_DEADLOCK"}),
    "jump beyond the table": ("mov.u32 %r1, 77; T: .branchtargets X, Y; brx.idx %r1, T; X: Y: mov.u32 %r2, 1;",
                              {"TRAPPED"}),
    "endless loop": ("L: bra L;", {"OUT_OF_WORK"}),
    "endless loop of two": ("setp.lt.u32 %p1, %r51, 3; L: @%p1 bra M; bra L; M: bra L;", {"OUT_OF_WORK"}),
    "wait for lanes that never come": ("setp.lt.u32 %p1, %r51, 3; @%p1 bra L; bar.warp.sync -1; L: ret;", set()),
    "shuffle from anywhere": ("mov.u32 %r2, 4000000000; shfl.sync.up.b32 %r1|%p1, %r51, %r2, %r2, -1;"
                              "shfl.sync.idx.b32 %r1|%p1, %r51, -7, 65535, -1;", set()),
    "mask without the lane itself": ("vote.sync.ballot.b32 %r1, 1, 0; shfl.sync.idx.b32 %r2, %r51, 0, 31, 0;", set()),
    "print of wild addresses": ("mov.u64 %rd1, 9223372036854775800; mov.u64 %rd2, 2199023255559;"
                                "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1;"
                                "st.param.b64 [b], %rd2; call.uni (r), vprintf, (a, b); }", set()),
    "row of a matrix far away": ("mov.u32 %r1, 4294967280;"
                                 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];", OUTSIDE),
    "matrix far away": ("mov.u32 %r9, 4294967295; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                        "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd50], %r9;", OUTSIDE | {"MISALIGNED_READ"}),
}  # fmt: skip


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("body, expected", WILD.values(), ids=WILD)
def test_wild_programs(body: str, expected: set[str], checks: bool):
    head = ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.shared .align 16 .b8 tile[256];"
    found, refused = faults(body, head, checks=checks)
    assert not refused
    assert found <= expected | {"RACE_WAW", "RACE_ASYNC", "WARP_SYNC_MISSING", "BARRIER_OTHER_IN_WARP"}
    assert not expected or found & expected


def test_recursion_is_refused():
    functions = ".func g(); .func f() { call.uni g, (); ret; } .func g() { call.uni f, (); ret; }"
    found, refused = faults("call.uni f, ();", functions)
    assert any("recursion" in message for message in refused)


def test_long_chains_of_calls():
    chain = ".func f0() { ret; }\n" + "\n".join(
        f".func f{n}() {{ call.uni f{n - 1}, (); ret; }}" for n in range(1, 3000)
    )
    assert faults("call.uni f2999, ();", chain) == (set(), [])


@pytest.mark.parametrize("space", ["shared", "local", "global"])
def test_huge_variables_are_refused(space: str):
    with pytest.raises(decode.Unsupported):
        before, body = f".{space} .align 16 .b8 big[999999999999];", "mov.u64 %rd1, big;"
        faults(body if space != "local" else before + body, before if space != "local" else "")


def test_parameters_of_functions_end_where_they_end():
    function = ".func f(.param .align 4 .b8 p[12]) { .reg .b64 %rd<3>; ld.param.u64 %rd1, [p+16]; ret; }"
    found, refused = faults("{ .param .align 4 .b8 q[12]; st.param.u32 [q], %r50; call.uni f, (q); }", function)
    assert [message.split()[0] for message in refused] == ["ld.param.u64"]
