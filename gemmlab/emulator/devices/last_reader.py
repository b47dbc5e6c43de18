"""Whoever comes behind the kernels of a device: it reads all of its C when they have ended.

It is a kernel like any other, the last in each device's order. So a C that is handed on before another device has
stored its part, or before that is known, is a race like any other.
"""

from __future__ import annotations

from functools import cache

from gemmlab.emulator.code import decode
from gemmlab.emulator.code.code import Code
from gemmlab.emulator.ptx import parser
from gemmlab.kernel.launch import Address, Launch, Scalar

NAME = "last_reader"
_THREADS = 256
_PTX = f"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry {NAME}(.param .u64 C, .param .u32 count)
{{
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .f32 %f<1>; .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [C]; ld.param.u32 %r0, [count]; mov.u32 %r1, %tid.x;
NEXT:
    setp.ge.u32 %p0, %r1, %r0;
    @%p0 bra END;
    mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1; ld.global.f32 %f0, [%rd2];
    add.u32 %r1, %r1, {_THREADS};
    bra NEXT;
END:
    ret;
}}
"""


@cache
def code() -> Code:
    """The kernel."""
    return decode.decode(parser.parse(_PTX), NAME)


def launch(elements: int) -> Launch:
    """It reads that many floats of C."""
    return Launch((_THREADS, 1, 1), (1, 1, 1), kernel=NAME, arguments=(Address("C"), Scalar("int32", elements)))
