"""The look for smuggling: honest texts that only look like it, hostile ones however they are dressed, and a tokenizer
that reads as NVRTC does."""

from __future__ import annotations

import pytest

from gemmlab.compiler.compile import CompileError, compile_source
from gemmlab.compiler.nvrtc import client
from gemmlab.compiler.nvrtc.headers import HEADERS
from gemmlab.course.lesson import load
from grading.intake import smuggle
from grading.intake.pieces import can_be_formed, can_be_joined
from grading.intake.tokens import directive, readings, scan, tokens

FMA = "acc += As[ty][k] * Bs[k][tx];"
TILED = load("02").kernel
INCLUDES, ASKS, RAW = "includes a file", "asks whether a file exists", "a raw string"
LINES, PRAGMA, HIDDEN, ASSEMBLY = "by #line", "a pragma", "a _Pragma", "assembly names a file"

# What the compiler never sees, or sees as a message, and what is plainly allowed.
HONEST = {
    "a loop in quotes": '// the "FOR" loop',
    "a message in capitals": 'if (k > 99) printf("ERROR");',
    "a message after a name": 'const char* s = TEXTR "x"; // TEXTR"y"'.replace("TEXTR ", ""),
    "an include in a comment": '// #include "mine.h" is not needed',
    "an include in a block comment": '/*\n#include "mine.h"\n#include <vector.h>\n*/',
    "an include in a message": 'printf("#include \\"x\\"");',
    "an include behind if 0": '#if 0\n#include "mine.h"\n#endif',
    "an include in a dead else": '#if 1\n#else\n#include "mine.h"\n#endif',
    "an include behind if 0 in if 0": '#if 0\n#if 1\n#include "mine.h"\n#endif\n#include "mine.h"\n#endif',
    "has_include in a comment": "// __has_include(<x>) would tell",
    "has_include in a message": 'printf("__has_include");',
    "a raw string in a comment": '// R"(text)"',
    "a raw string in a message": 'printf("%s", "R\\"(x)\\"");',
    "assembly in a comment": '// asm(".incbin \\"x\\"") would not help',
    "a file in a message": 'printf(".file was here");',
    "a file in a message, and assembly": 'asm volatile("bar.sync 0;"); printf("see the .file");',
    "local memory in assembly": 'asm("{ .reg .f32 t; mov.f32 t, 0f00000000; }");',
    "assembly by a macro": '#define NOTHING "// nothing"\nasm(NOTHING);',
    "assembly with an argument of a macro": '#define DO(op) asm volatile(op)\nDO("bar.warp.sync 0xffffffff;");',
    "a line in a comment": "// #line 3",
    "a paste": "#define NAME(a, b) a##b\nfloat NAME(ac, c2) = 0.0f;",
    "a stringified name": '#define SHOW(x) printf(#x "\\n")\nif (k > 99) SHOW(acc);',
    "a digit separator": "const int many = 1'000'000; // it's",
    "an apostrophe": "// don't, can't /* won't",
    "a unicode comment": "// für Zoë: Σ a·b → acc 累加",
    "a pragma": "#pragma unroll 4\nfor (int i = 0; i < 1; ++i) ;",
    "a pragma in words": '_Pragma("unroll") for (int i = 0; i < 1; ++i) ;',
    "old code behind if 0": "#if 0\nacc += 1; }\n#endif",
    "a line for debugging": '#ifdef DEBUG\nprintf("%f", acc);\n#endif',
    "either of two ways": "#if TILE > 8\nacc += 0.0f;\n#else\n{ acc += 0.0f; }\n#endif",
    "brackets of the other spelling": "float own<:2:>; own<:0:> = 0.0f;",
    "a backslash in a comment": "// C:\\temp\\x",
    "a question in a comment": "// why??/",
}


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_an_honest_text_is_no_reason(text: str):
    body = f"{text}\n{FMA}"
    assert smuggle.in_body("fma", body, TILED.starter, "______;") == []
    assert smuggle.in_file(TILED.starter.replace("______;", body)) == []


# Each is one that a look at the text, or at another order of the phases, would take for something else.
HOSTILE = {
    "a splice in the name": ('#incl\\\nude "x"', INCLUDES),
    "a splice after the sign": ('#\\\n\\\ninclude "x"', INCLUDES),
    "a splice with a blank": ('#incl\\ \nude "x"', INCLUDES),
    "a comment that ends in a splice with a blank": ('// \\ \n#include "x"', INCLUDES),
    "a comment between": ('/* */ # /* \n */ include /* */ "x"', INCLUDES),
    "a digraph": ('%: include "x"', INCLUDES),
    "a digraph spliced": ('%\\\n:include "x"', INCLUDES),
    "a form feed in front": ('\f#include "x"', INCLUDES),
    "by a macro": ("#define F <x>\n#include F", INCLUDES),
    "by a macro with arguments": ("#define F(x) <x>\n#include F(/etc/passwd)", INCLUDES),
    "angles with a comment in them": ("#include <cuda_runtime.h/*/../../etc/passwd>\n// */ >", INCLUDES),
    "in the middle of a line": ('int i; #include "x"', INCLUDES),
    "above the header's folder": ("#include <cuda_runtime.h/../../x>", INCLUDES),
    "an escape in the name": ('#include "cuda_runtime.h\\"', INCLUDES),
    "a header of another encoding": ('#include L"cuda_runtime.h"', INCLUDES),
    "import": ('#import "x"', INCLUDES),
    "next": ("#include_next <x>", INCLUDES),
    "embed": ('#embed "x"', INCLUDES),
    "in a branch that is compiled": ('#if 0\n#else\n#include "x"\n#endif', INCLUDES),
    "after a branch that is not": ('#if 0\n#elif 1\n#include "x"\n#endif', INCLUDES),
    "after a comment that looks like an end": ('#if 0\n/*\n*/\n#endif\n#include "x"', INCLUDES),
    "if 0 in a string": ('const char* s = "\\\n#if 0\\\n";\n#include "x"', INCLUDES),
    "if 0 in a comment": ('/*\n#if 0\n*/\n#include "x"', INCLUDES),
    "a comment in a character": ("int c = '/*';\n#include \"x\"\n// */", INCLUDES),
    "a comment in a string": ('const char* s = "/*";\n#include "x"\n// */', INCLUDES),
    "a comment behind an open quote": ('#if 0\ndon\'t /*\n#endif\n#include "x"\n// */', INCLUDES),
    "a comment behind a digit separator": ("int i = 1'0/*'*/;\n#include \"x\"\n// '*/", INCLUDES),
    "a trigraph that is none": ('// ??/\n#include "x"', INCLUDES),
    "has_include": ("#if __has_include(<x>)\n#endif", ASKS),
    "has_include by a macro": ("#define ASK __has_include(<x>)\n#if ASK\n#endif", ASKS),
    "has_include pasted": ("#define J(a, b) a##b\n#if J(__has_, include)(<x>)\n#endif", ASKS),
    "has_include pasted by digraphs": ("#define J(a, b) a%:%:b\n#if J(__has_inc, lude)(<x>)\n#endif", ASKS),
    "has_include spliced": ("#if __has_\\\ninclude(<x>)\n#endif", ASKS),
    "a raw string": ('const char* s = R"(/*)";', RAW),
    "a raw string with a fence": ('const char* s = R"ab(\n)" \n#include "x"\n)ab";', RAW),
    "a raw string of wide letters": ('auto s = LR"(/*)"; auto t = u8R"(*/)";', RAW),
    "a raw string in a macro": ('#define S R"(/*)"', RAW),
    "a raw string that does not end": ('const char* s = R"(', RAW),
    "a raw string with a bad fence": ('const char* s = R"a b(/*)a b";', RAW),
    "line": ('#line 7 "x"', LINES),
    "line by a number": ('# 7 "x"', LINES),
    "a pragma for a file": ('#pragma GCC dependency "x"', PRAGMA),
    "a pragma for a file in words": ('_Pragma("GCC dependency \\"x\\"")', PRAGMA),
    "a pragma made by macros": ("#define TEXT(x) #x\n_Pragma(TEXT(GCC dependency x))", HIDDEN),
    "a pragma pasted": ('#define J(a, b) a##b\nJ(_Prag, ma)("x")', HIDDEN),
    "incbin": ('asm(".incbin \\"x\\";");', ASSEMBLY),
    "incbin in parts": ('asm(".inc" "bin \\"x\\";");', ASSEMBLY),
    "incbin in numbers": ('asm("\\x2e\\151ncbin");', ASSEMBLY),
    "incbin in letters": ('__asm__("\\u002e" "INCBIN");', ASSEMBLY),
    "file": ('asm volatile(".file 1 \\"x\\"");', ASSEMBLY),
    "loc": ('asm(". loc 1 1 1");', ASSEMBLY),
    "incbin by a macro": ('#define P ".incbin \\"x\\""\nasm(P);', ASSEMBLY),
    "incbin by two macros": ('#define P "cbin"\n#define Q ".in"\nasm(Q P);', ASSEMBLY),
    "incbin by an argument": ('#define DO(op) asm(op)\nDO(".incbin \\"x\\"");', ASSEMBLY),
    "incbin by two arguments": ('#define DO(a, b) asm(b a)\nDO("cbin", ".in");', ASSEMBLY),
    "incbin by a name": ("#define T(x) #x\nasm(T(.incbin) T(x));", ASSEMBLY),
    "asm pasted": ('#define J(a, b) a##b\nJ(as, m)(".incbin \\"x\\"");', ASSEMBLY),
    "asm spliced": ('as\\\nm(".inc\\\nbin");', ASSEMBLY),
}


@pytest.mark.parametrize("text, reason", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_is_refused_for_what_it_is(text: str, reason: str):
    assert any(reason in why for why in smuggle.in_file(f"{text}\n{TILED.solution}"))


@pytest.mark.parametrize(
    "body",
    [
        "#endif", "#if 0", "#if 1\n#else", "#else", "#if TILE\n{\n#else\n#endif\n}", "#undef TILE", "#define K 0",
        "%:define K 0", '_Pragma("push_macro(\\"K\\")")', '_Pragma("once")', "#pragma push_macro(\"K\")", "#error x",
        "acc += 1; #undef K",
    ],
)  # fmt: skip
def test_a_body_may_not_change_the_given_code(body: str):
    assert any("can change the given code" in why for why in smuggle.in_body("fma", body, TILED.starter, "______;"))


SEEN = "#error seen"
READ = {
    "plain": f"{SEEN}",
    "after a comment": f"/* */ {SEEN}",
    "in a comment": f"/*\n{SEEN}\n*/",
    "after a line comment": f"// x\n{SEEN}",
    "after a line comment with a splice": f"// x \\\n{SEEN}",
    "after a trigraph": f"// x ??/\n{SEEN}",
    "an open quote in a pragma": f"#pragma don't /*\n{SEEN}\n/* */",
    "an open quote behind if 0": f"#if 0\ndon't /*\n#endif\n{SEEN}\n/* */",
    "an open double quote behind if 0": f'#if 0\nsay " /*\n#endif\n{SEEN}\n/* */',
    "an open quote in a macro": f"#define X don't /*\n{SEEN}\n/* */",
    "a digraph": "%:error seen",
    "a digit separator": f"const int i = 1'0/*'*/;\n{SEEN}\n// '*/",
    "a raw string": f'const char* s = R"ab(\n{SEEN}\n)" )ab";',
    "no raw string": f'#define TEXTR\nconst char* s = TEXTR "(";\n{SEEN}\n// )";',
    "behind if 0": f"#if 0\n{SEEN}\n#endif",
    "in the else of if 0": f"#if 0\n#else\n{SEEN}\n#endif",
    "in the else of if 1": f"#if 1\n#else\n{SEEN}\n#endif",
    "elif after if 0": f"#if 0\n#elif 1\n{SEEN}\n#endif",
    "nested": f"#if 0\n#if 1\n#else\n#endif\n{SEEN}\n#endif",
    "an else within": f"#if 0\n#if 1\n#else\n{SEEN}\n#endif\n#endif",
    "in a string": 'const char* s = "\\\n#error seen";',
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_the_tokenizer_reads_as_the_compiler_does(text: str):
    source = f"{text}\n{TILED.solution}"
    request = {"source": source, "name": "kernel.cu", "options": [], "headers": HEADERS, "instances": []}
    told = client.ask(request, timeout=60)["log"]
    lines = readings(source)[0]
    assert any(directive(line) == ["error", "seen"] for line in lines) == ("#error directive: seen" in told)


def test_a_directive_in_mid_line_counts_because_host_code_before_it_may_be_left_out():
    assert [directive(line) for line in scan(f"int x; {SEEN}")] == [[], ["error", "seen"]]
    with pytest.raises(CompileError, match="#error directive: seen"):
        compile_source(f"int x; {SEEN}\n{TILED.solution}")


def test_tokens_have_one_spelling():
    assert tokens("<%a<:0:>%> %:x <::b> f\\u0061") == "{ a [ 0 ] } # x < :: b > fa".split()
    assert tokens("1'000 1e+5f .5 a+++b x\\\ny") == ["1'000", "1e+5f", ".5", "a", "++", "+", "b", "xy"]


@pytest.mark.parametrize(
    "text, content",
    [('"a\\x2e"', "a."), ("'\\x2eb'", "\u02eb"),
     ('u8"\\056"', "."), ('"\\u002e\\n"', ".\n"), ("'x'", "x"), ('"\\U99999999"', " "), ('""', "")],
)  # fmt: skip
def test_a_text_is_read_without_its_escapes(text: str, content: str):
    [[token]] = scan(text)
    assert token.content == content


def test_words_from_pieces():
    assert can_be_joined("asm", ["as", "m"]) and can_be_joined("asm", ["a", "s", "m"])
    assert not can_be_joined("asm", ["asm", "as"]) and not can_be_joined("asm", [])
    assert can_be_formed(".file", ["x .f", "il", "e 1"]) and not can_be_formed(".file", [".fi", "les"])
    assert not can_be_formed(".file", ["file", "x"])
