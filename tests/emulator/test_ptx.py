"""The reader of PTX: the grammar that NVRTC 12 and 13 print, and that of inline assembly."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_lab import kernel, launch, unsupported

from gemmlab.compiler.compile import compile_source
from gemmlab.emulator.code import decode
from gemmlab.emulator.ptx.parser import Location, PtxError, Variable, parse, parse_number, split_operands


def function(body: str):
    return parse(f".visible .entry gemm() {{ {body} }}").functions["gemm"]


def run(body: str, before: str = "") -> list[int]:
    """What 32 threads store into C."""
    C = np.zeros(32, np.uint64)
    assert not len(launch(kernel(body, before), np.arange(32, dtype=np.uint64), np.zeros(32, np.uint64), C, 32).events)
    return C.tolist()


@pytest.mark.parametrize(
    "text, number",
    [
        ("0", 0),
        ("-5", -5),
        ("017", 15),
        ("0x1F", 31),
        ("-0x10", -16),
        ("12U", 12),
        ("0f3F800000", 0x3F800000),
        ("0d3FF0000000000000", 0x3FF0000000000000),
        ("18446744073709551615", 2**64 - 1),
        ("08", None),
        ("%r1", None),
        ("", None),
        ("0f3F8", None),
        ("9" * 5000, None),
    ],
)
def test_numbers(text, number):
    assert parse_number(text) == number


def test_operands_are_split_outside_brackets():
    assert split_operands("{%r1, %r2}, [%rd1+4], (a, b), c") == ["{%r1, %r2}", "[%rd1+4]", "(a, b)", "c"]


@pytest.mark.parametrize(
    "text, variable",
    [
        (".shared .align 16 .b8 As[1024];", Variable("As", "shared", 1024, 16)),
        (".extern .shared .align 16 .b8 storage[];", Variable("storage", "shared", 0, 16)),
        (".visible .global .align 4 .f32 scale = 0f40000000;",
         Variable("scale", "global", 4, 4, b"\0\0\0\x40")),
        (".const .align 2 .b16 table[3] = {1, -1, 0x1234};",
         Variable("table", "const", 6, 2, b"\1\0\xff\xff\x34\x12")),
        (".global .align 8 .u64 chosen[2] = {generic(table), 0};",
         Variable("chosen", "global", 16, 8, bytes(16), ((0, "table"),))),
        (".global .b32 grid[2][3];", Variable("grid", "global", 24, 4)),
    ],
)  # fmt: skip
def test_variables(text, variable):
    assert parse(text).variables == [variable]


def test_parameters_as_either_compiler_writes_them():
    module = parse(
        ".visible .entry gemm(.param .u64 a, .param .u64 .ptr .align 1 b, .param .align 8 .b8 c[24],"
        ".param .u64 .ptr d) { ret; }"
    )
    sizes = [(parameter.name, parameter.size) for parameter in module.functions["gemm"].parameters]
    assert sizes == [("a", 8), ("b", 8), ("c", 24), ("d", 8)]


def test_guards():
    plain, guarded, negated = function(".reg .pred %p<3>; ret; @%p1 ret; @!%p2 bra L; L: ret;").instructions[:3]
    assert (plain.guard, guarded.guard, guarded.guard_negated) == (None, "%p1", False)
    assert (negated.guard, negated.guard_negated, str(negated)) == ("%p2", True, "@!%p2 bra L")


def test_a_declaration_does_not_hide_the_definition():
    module = parse(".func f(); .func f() { ret; } .func f();")
    assert len(module.functions["f"].instructions) == 1


def test_lines_of_headers_count_for_the_line_that_called_them():
    module = parse(
        ".visible .entry gemm() { .loc 1 7 5 \n mov.u32 %r1, 1;"
        " .loc 2 99 1, function_name $x, inlined_at 1 8 9 \n mov.u32 %r1, 2;"
        ' .loc 3 50 1, function_name $y, inlined_at 2 99 1 \n mov.u32 %r1, 3; }\n.file 1 "kernel.cu"\n.file 2 "a.h"'
    )
    places = [instruction.location for instruction in module.functions["gemm"].instructions]
    assert places == [Location(7, 5), Location(8, 9), Location(8, 9)]


def test_headers_that_are_not_inlined_count_for_a_line_that_calls_them():
    source = """#include <cuda_fp16.h>
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    C[threadIdx.x] = __half2float(__float2half(A[threadIdx.x]));
}
"""
    program = compile_source(source, debug=True)
    code = decode.decode(parse(program.ptx), "gemm")
    places = {where.line for text, where in zip(code.texts, code.locations) if text.startswith("cvt.rn.f16.f32")}
    assert places == {4}


# ---- scopes, as inline assembly opens them


def test_registers_of_a_scope_are_its_own():
    body = """
        mov.u32 %r1, 1;
        { .reg .u32 x, %r<3>; mov.u32 x, 10; mov.u32 %r1, 5; add.u32 %r2, x, %r1; { .reg .f32 x; mov.b32 x, 7; }
          add.u32 %r2, %r2, x; cvt.u64.u32 %rd1, %r2; }
        { .reg .pred x; setp.eq.u32 x, %r1, 1; @x add.u64 %rd1, %rd1, 1000; @!x add.u64 %rd1, %rd1, 2000; }
        st.global.u64 [%rd56], %rd1;"""
    assert run(body) == [1025] * 32


def test_labels_of_a_scope_are_its_own():
    loop = """
        { .reg .pred p; AGAIN: add.u32 %r1, %r1, 1; setp.lt.u32 p, %r1, %r2; @p bra AGAIN; @!p bra DONE;
        add.u32 %r1, %r1, 100; DONE: }"""
    body = f"""
        mov.u32 %r1, 0; mov.u32 %r2, 5; {loop} mov.u32 %r2, 9; {loop}
        bra AGAIN; add.u32 %r1, %r1, 1000; AGAIN: cvt.u64.u32 %rd1, %r1; st.global.u64 [%rd56], %rd1;"""
    assert run(body) == [9] * 32


def test_jumps_through_a_table():
    body = """
        T: .branchtargets ZERO, ONE, TWO, ONE;
        and.b32 %r1, %r51, 3; brx.idx %r1, T;
        ZERO: mov.u64 %rd1, 7; bra END; ONE: mov.u64 %rd1, 8; bra END; TWO: mov.u64 %rd1, 9;
        END: st.global.u64 [%rd56], %rd1;"""
    assert run(body) == [7, 8, 9, 8] * 8


def test_calls():
    functions = """
        .func (.param .b64 r) twice(.param .b32 a, .param .align 8 .b8 s[16])
        { .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.u32 %r1, [a]; ld.param.u64 %rd1, [s+8]; mul.wide.u32 %rd2, %r1, 2;
          add.s64 %rd2, %rd2, %rd1; st.param.b64 [r], %rd2; ret; }"""
    body = """
        setp.lt.u32 %p1, %r51, 16; @%p1 bra LOW; bra JOIN;
        LOW: { .param .b32 p0; .param .align 8 .b8 p1[16]; .param .b64 q; st.param.b32 [p0], %r51; mov.u64 %rd1, 100;
        st.param.b64 [p1+8], %rd1; call.uni (q), twice, (p0, p1); ld.param.b64 %rd2, [q]; st.global.u64 [%rd56], %rd2; }
        JOIN: ret;"""
    assert run(body, functions) == [100 + 2 * n for n in range(16)] + [0] * 16


@pytest.mark.parametrize(
    "text",
    [
        "nonsense;",
        ".func;",
        ".entry (;) {",
        ".visible .entry gemm(.param b) { ret; }",
        ".visible .entry gemm() { .reg %r1; }",
        ".visible .entry gemm() { .branchtargets a, b; }",
        ".visible .entry gemm() { .shared .align x .b8 y[4]; }",
        ".global .align 99999999999999999999 .b8 x[4];",
    ],
)
def test_what_is_no_ptx_is_refused(text):
    with pytest.raises(PtxError):
        parse(text)


@pytest.mark.parametrize(
    "text", ["", "}", "{", "{{{", '"', "/*", "//", ".loc", ".visible .entry gemm() {", "@", ".section .debug {"]
)
def test_torn_text_is_no_trouble(text):
    parse(text)


def test_what_is_not_known_is_said_where_it_runs():
    text = kernel(
        "setp.eq.u32 %p1, %r51, 99; @%p1 fns.b32 %r1, %r2, %r3, %r4;"
        "setp.eq.u32 %p1, %r51, 3; @%p1 vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;"
    )
    result = launch(text, *(np.zeros(32, np.uint64) for _ in range(3)), 32)
    assert unsupported(result) == ["vadd4.u32.u32.u32"]
    assert result.events[0][5] == 3  # the thread


def test_a_variable_of_a_function_has_no_place_outside_of_it():
    for space in ("local", "param"):
        with pytest.raises(PtxError):
            parse(f".{space} .align 4 .b8 x[4];")


def test_debug_information_that_is_none_is_left_alone():
    entry = ".b64 frame\n.b8 35\n.b8 {}\n.b8 {}\n.b8 0\n"
    assert parse(entry.format("144,1", "65,115")).locals == {"frame": [(144, "As")]}
    longer = "128,128,128,128,128,128,1"
    for offset, name in (("144,1", "65,300"), ("999", "65"), (longer, "65"), ("1,", "65"), ("1", ",")):
        assert parse(entry.format(offset, name)).locals == {}
