"""A class that hands in everything a grader must withstand, and what is due to each of its students.

    python tests/grading_class.py FOLDER      writes it

Right kernels in several styles, named wrong kernels of four lessons, the attacks of the threat table, and every
sort of broken file. `write` gives each a place among the submissions; `STUDENTS` has what each must get.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import socket
import stat
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from student_kernels import student_kernel, student_kernels

from gemmlab.course.lesson import find_root, load

USUAL = "02_tiled_fma"  # most of the class hands in this lesson
CHECK, BARRIER = "the boundary check", "the barrier"
FULL = (2, 1)
HUGE = 33 << 20

Content = str | bytes | Callable[[Path], None]


@dataclass(frozen=True)
class Due:
    """What a student must get: the status, the marks for ordinary and for boundary shapes, and words of the veto and of
    the note, apart by ';'. An empty veto means that there must be none."""

    status: str
    marks: tuple[float, float] = (0, 0)
    veto: str = ""
    note: str = ""


PASSED = Due("passed", FULL)
FAILED = Due("failed")
UNREADABLE = Due("unreadable")


@dataclass(frozen=True)
class Student:
    """One student, as grades.csv must name them. `files` are what was handed in, by path among the submissions: text,
    bytes, or a function that makes something else in that place. `feedback` are words of the student's page."""

    name: str
    due: Due
    files: dict[str, Content]
    lesson: str = USUAL
    feedback: str = ""
    unlike: str = field(default="", kw_only=True)  # words that the page must not hold


@dataclass(frozen=True)
class Outside:
    """Things outside of the sandbox that attacks reach for. `bait` holds words that nobody may ever be shown."""

    bait: Path
    canary: Path
    port: int


BAIT_WORDS = "the_hidden_words_of_the_bait"


def write(folder: Path, students: list[Student]) -> None:
    for student in students:
        for place, content in student.files.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(content):
                content(path)
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())


def students(outside: Outside, gpu: bool = False) -> list[Student]:
    """The whole class; with `gpu` also those who are right in the emulator and a nuisance on a GPU."""
    everybody = [*_right(), *_wrong(), *_attackers(outside), *_in_notebooks(outside), *_broken(outside), *_named()]
    everybody += _on_a_gpu() if gpu else []
    assert len({(one.name, one.lesson) for one in everybody}) == len(everybody) >= 60
    return everybody


def mismatches(student: Student, row: Mapping[str, str], page: str) -> list[str]:
    """What differs from what is due, in a row of grades.csv and a page of feedback."""
    due = student.due
    found = []
    if row["status"] != due.status:
        found.append(f"status {row['status']}, due {due.status}")
    for name, mark in zip(("code", "boundary"), due.marks):
        if abs(float(row[name]) - mark) > 0.01:
            found.append(f"{name} {row[name]}, due {mark:g}")
    if bool(row["veto"]) != bool(due.veto) or not all(words in row["veto"] for words in due.veto.split(";")):
        found.append(f"veto '{row['veto']}', due '{due.veto}'")
    found += [f"note '{row['note']}', due '{words}'" for words in due.note.split(";") if words not in row["note"]]
    if (due.veto or sum(due.marks) < 1) and row["result"] != "failed":  # the questions give 7 marks; 8 are needed
        found.append(f"result {row['result']}, due failed")
    found += [] if student.feedback in page else [f"the page lacks '{student.feedback}'"]
    found += [f"the page holds '{student.unlike}'"] if student.unlike and student.unlike in page else []
    return found


# ---- how work is handed in


def _cu(name: str, text: Content, due: Due, lesson: str = USUAL, **more: str) -> Student:
    return Student(name, due, {f"{name}/{lesson}.cu": text}, lesson, **more)


def _notebook(name: str, text: str, due: Due, lesson: str = USUAL, **more: str) -> Student:
    return Student(name, due, {f"{name}/{lesson}.ipynb": notebook(text, lesson)}, lesson, **more)


@lru_cache(maxsize=16)
def _handed_out(lesson: str) -> str:
    return (find_root() / "lessons" / f"{lesson}.ipynb").read_text("utf-8")


def notebook(text: str, lesson: str = USUAL, change: Callable[[dict], None] = lambda data: None) -> str:
    """The lesson's notebook with that kernel in its exercise cell, and changed in other ways."""
    data = json.loads(_handed_out(lesson))
    cell = exercise(data)
    cell["source"] = f"{''.join(cell['source']).partition(chr(10))[0]}\n{text}"
    change(data)
    return json.dumps(data)


def exercise(data: dict) -> dict:
    return next(cell for cell in data["cells"] if "exercise" in cell["metadata"].get("tags", ()))


def code_cell(text: str, *outputs: dict) -> dict:
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": list(outputs), "source": text}


@lru_cache(maxsize=16)
def _kernel(lesson: str):
    return load(lesson).kernel


def _solution(lesson: str = USUAL) -> str:
    return _kernel(lesson).solution


def _with_body(body: str, lesson: str = USUAL) -> str:
    """The starter with that text in its only blank."""
    return _kernel(lesson).starter.replace("______;", body)


# ---- right ones


def _right() -> Iterator[Student]:
    answers = {"explanation": "Each waits for all.", "q1": "Because.", "q2": "x < y & z", "q3": "Yes."}

    def answered(data: dict) -> None:
        for cell in data["cells"]:
            if question := cell["metadata"].get("question"):
                cell["source"] = answers[question]
        data["cells"].append(code_cell('lesson.predict("naive_intensity", 0.25)'))

    yield Student(
        "right in a notebook, answered", PASSED,
        {f"right in a notebook, answered/{USUAL}.ipynb": notebook(_solution(), change=answered)},
        feedback="x &lt; y &amp; z",
    )  # fmt: skip
    yield _cu("right with other spacing", _solution().replace("    ", "\t").replace(" = ", "="), PASSED)
    yield _cu("right without comments", "\n".join(line.partition("//")[0] for line in _solution().split("\n")),
              PASSED)  # fmt: skip
    yield _cu("right in one line", _with_body("{ const float a = As[ty][k]; acc = fmaf(a, Bs[k][tx], acc); }"), PASSED)
    yield _cu("right with a pragma", _with_body("#pragma unroll\n{ acc += As[ty][k] * Bs[k][tx]; }"), PASSED)
    for lesson in ("06_register_2d", "08_double_buffer"):
        yield _notebook(f"right {lesson}", _solution(lesson), PASSED, lesson)
    yield _cu("open as given", _kernel(USUAL).starter, Due("unattempted", note="not filled in: fma"))
    yield _notebook("open in a notebook", _kernel("04").starter,
                    Due("unattempted", note="load_a, load_b, store"), "04_ragged_edges")  # fmt: skip
    half = _kernel("03").starter.replace("______;", "__syncthreads();", 1)
    yield _notebook("half open", half, Due("unattempted", note="second_barrier"), "03_two_barriers")
    swapped = student_kernel("01_naive_mapping/swapped").text
    yield _cu("right but uncoalesced", swapped, Due("failed", (0, 1)), "01_naive_mapping", feedback="memory traffic")
    yield from _clinic()


def _clinic() -> Iterator[Student]:
    """Lesson 14: several kernels, in a notebook and as files."""
    lesson = load("14")
    name = lesson.name

    def mended(count: int) -> Callable[[dict], None]:
        def change(data: dict) -> None:
            cells = [cell for cell in data["cells"] if "exercise" in cell["metadata"].get("tags", ())]
            for cell, kernel in list(zip(cells, lesson.kernels, strict=True))[:count]:
                cell["source"] = f"%%writefile ../kernels/{kernel.name}.cu\n{kernel.solution}"

        return change

    def handed_in(count: int) -> str:
        data = json.loads(_handed_out(name))
        mended(count)(data)
        return json.dumps(data)

    yield Student("clinic, all mended", PASSED, {f"clinic, all mended/{name}.ipynb": handed_in(7)}, name)
    yield Student("clinic, none mended", Due("unattempted"), {f"clinic, none mended/{name}.ipynb": handed_in(0)}, name)
    yield Student("clinic, three mended", Due("failed", (6 / 7, 3 / 7), note="odd_tail"),
                  {f"clinic, three mended/{name}.ipynb": handed_in(3)}, name)  # fmt: skip
    files: dict[str, Content] = {f"clinic in files/{one.patient}.cu": one.solution for one in lesson.kernels[1:]}
    files["clinic in files/barrier_in_if.cu"] = lesson.kernels[0].starter.replace("__syncthreads();", "", 1)
    yield Student("clinic in files", Due("failed", (12 / 7, 6 / 7)), files, name)


# ---- the named wrong kernels

# The marks for those that do not fail in both groups, and the vetoes. Where only given code was changed, the
# pristine kernel has the marks, and what is gone is a veto.
_RACE = "a race between threads"
_AROUND = Due("failed", (0, 1))  # right at every shape, but around the lesson's idea: a counter rule says so
_ELSE: dict[str, dict[str, Due]] = {
    "02_tiled_fma": {
        "acc_not_started": PASSED, "no_zero_fill": PASSED, "returns_early": PASSED, "wrong_loop_bound": PASSED,
        "no_first_barrier": Due("failed", FULL, BARRIER), "no_second_barrier": Due("failed", FULL, BARRIER),
        "no_load_guard": Due("failed", FULL, f"{CHECK} `k0 + tx < K`;{CHECK} `row < M`"),
        "no_store_guard": Due("failed", FULL, f"{CHECK} `row < M`;{CHECK} `col < N`"),
        "naive": replace(_AROUND, veto=f"{CHECK} `k0 + tx < K`;{BARRIER}"), "naive_in_the_blank": _AROUND,
        "whole_sum": PASSED,
    },
    "03_two_barriers": {
        # Races that only follow from a barrier that not all reach are no veto; one where no barrier stands is.
        "barrier_for_one_row": FAILED, "barrier_for_some": Due("failed", (2, 0)),
        "one_row_waits_and_none": Due("failed", veto=_RACE),
        **{name: Due("failed", veto=_RACE) for name in ("no_second_barrier", "warp_barrier_first")},
        "naive": replace(_AROUND, veto=f"{CHECK} `k0 + tx < K`"), "naive_between": _AROUND,
    },
    "04_ragged_edges": {
        **{name: Due("failed", (2, 0)) for name in (
            "a_guarded_like_c", "b_without_n", "clamped_indices", "filled_with_nan", "one_too_many", "store_unguarded",
        )},
        "returns_early": Due("failed", (2, 0)), "naive": replace(_AROUND, veto=BARRIER),
    },
    "05_register_1d": {
        "no_zero_fill": Due("failed", (2, 0)), "store_guard_of_first_row": Due("failed", (2, 0)),
        "store_whole_column_or_none": Due("failed", (2, 0)),
        # Who stores beyond the last column meets others only there; who stores across meets them everywhere.
        "store_no_column_guard": Due("failed", (2, 0)), "stores_across": Due("failed", veto=_RACE),
        "no_second_barrier_and_reads_too_far": Due("failed", veto=f"{BARRIER};{_RACE}"),
        "first_ticket_spoils": Due("failed", veto=_RACE),
        **{name: replace(_AROUND, veto=f"{CHECK} `row0 + r < M`;{BARRIER}") for name in ("naive", "small_tiles")},
    },
}  # fmt: skip


# Of these lessons the kernels in _ELSE alone: the others get the same marks, and test_grading_agrees.py has them.
_ONLY_NAMED = ("03_two_barriers", "04_ragged_edges", "05_register_1d")


def kernels() -> dict[str, Due]:
    """The kernels of tests/kernels that the class hands in, right ones too, by name, each with what is due."""
    found: dict[str, Due] = {}
    for lesson, others in _ELSE.items():
        of_lesson = {one.path.stem: one for one in student_kernels(lesson)}
        unknown = set(others) - set(of_lesson)
        assert not unknown, unknown
        for stem, one in of_lesson.items():
            if lesson not in _ONLY_NAMED or stem in others:
                found[one.name] = PASSED if one.expect == "passed" else others.get(stem, FAILED)
    return found


def _wrong() -> Iterator[Student]:
    """By turns in a notebook and as a file."""
    for number, (name, due) in enumerate(kernels().items()):
        lesson, _, stem = name.partition("/")
        hand_in = _notebook if number % 2 else _cu
        yield hand_in(f"{lesson[:2]} {stem}", student_kernel(name).text, due, lesson)


# ---- attacks in a kernel


def _attackers(outside: Outside) -> Iterator[Student]:
    yield from _for_files(outside)
    yield from _out_of_the_blank()
    yield from _for_time_and_space()
    yield from _for_the_judge()


def _for_files(outside: Outside) -> Iterator[Student]:
    """Ask the compiler for a file: its text in an error, or whether it is there."""
    bait = outside.bait
    refused = "it includes a file that is none of CUDA's headers"
    bodies = {
        "include": (f'#include "{bait}"', refused),
        "include as digraph": (f'%:include "{bait}"', refused),
        "include over two lines": (f'#inc\\\nlude "{bait}"', refused),
        "include by macro": (f'#define WHERE "{bait}"\n#include WHERE', refused),
        "has include": (f'#if __has_include("{bait}")\nacc = 1;\n#endif', "it asks whether a file exists"),
        "incbin": (f'asm volatile(".incbin \\"{bait}\\"");', "its assembly names a file"),
        "incbin in pieces": (f'asm volatile(".inc" "bin \\"{bait}\\"");', "its assembly names a file"),
        "raw string": (f'const char* s = R"({bait})"; acc += s[0];', "it holds a raw string"),
    }
    for what, (body, veto) in bodies.items():
        due = Due("compile_error", veto=veto, note="not graded")
        yield _cu(f"asks by {what}", _with_body(body), due, unlike=BAIT_WORDS)
    given = _solution().replace("#define TILE", f'#include "{bait}"\n#define TILE')
    yield _cu("asks outside the blank", given, PASSED, feedback="#include", unlike=BAIT_WORDS)
    whole = f'#include "{bait}"\n{_solution("00")}'
    yield _cu("asks in a whole file", whole, Due("compile_error", veto=refused), "00_start_here", unlike=BAIT_WORDS)
    line = f'#line 1 "{bait}"\n#error look\n{_solution("00")}'
    due = Due("compile_error", veto="#line", note="not graded")
    yield _cu("asks by line", line, due, "00_start_here", unlike=BAIT_WORDS)


def _out_of_the_blank() -> Iterator[Student]:
    """Reach beyond the blank, into the given code."""
    good = "acc += As[ty][k] * Bs[k][tx];"
    stays = "ends in an open comment or a backslash"
    bodies = {
        "comment": (f"{good} /*", stays), "backslash": (f"{good} // \\", stays),
        "define": (f"#define TILE 1\n{good}", "preprocessor"),
        "undef": (f"#undef TILE\n{good}", "preprocessor"),
        "if": (f"{good}\nif (k < 3)", "ends in the middle of a statement"),
        "brace": (f"{good} }} if (k0 < 5) {{", "closes a block that it did not open"),
    }  # fmt: skip
    for what, (body, veto) in bodies.items():
        yield _cu(f"leaves by {what}", _with_body(body), Due("compile_error", veto=veto, note="not graded"))
    own = f'{good} }} }} }}\nextern "C" __global__ void other(float* C)\n{{ {{ {{'
    yield _cu("leaves by function", _with_body(own), Due("compile_error", veto="closes a block"))
    no_check = _solution().replace("if (row < M && col < N) {\n        C[", "{\n        C[")
    assert no_check != _solution()
    yield _notebook("takes out a check", no_check, Due("failed", FULL, f"{CHECK} `row < M`;{CHECK} `col < N`"),
                    feedback="taken out or changed")  # fmt: skip
    hidden = _solution().replace("__syncthreads();", "#if 0\n__syncthreads();\n#endif", 1)
    yield _notebook("hides a barrier", hidden, Due("failed", FULL, BARRIER))
    empty = _solution().replace("if (row < M && col < N) {", "if (row < M && col < N) { }\n    {", 1)
    yield _cu("empties a check", empty, Due("failed", FULL, CHECK))
    tiled = _solution("03").replace("gemm(", "tiled(").partition("extern")[2]
    decoy = f"{student_kernel('03_two_barriers/naive').text}\nextern{tiled}"
    due = Due("failed", FULL, f"{CHECK} `k0 + tx < K`;{BARRIER}")  # its blanks are right, and what runs has none
    yield _cu("a decoy beside a naive kernel", decoy, due, "03_two_barriers")
    yield _cu("host code", _host_code(), PASSED, feedback="system(")
    yield _cu("host code in a whole file", _host_code("00"), Due("compile_error"), "00_start_here")
    bare = f'extern "C" int system(const char*);\nstatic int now = system("id");\n{_solution("00")}'
    yield _cu("static initialiser", bare, PASSED, "00_start_here")  # the compiler leaves out all code for the host


def _host_code(lesson: str = USUAL) -> str:
    return (
        "#include <cstdlib>\nstruct Early { Early() { std::system(\"touch /tmp/gemmlab-canary\"); } } early;\n"
        "__attribute__((constructor)) void first() { std::system(\"touch /tmp/gemmlab-canary\"); }\n"
        f"int fork();\nint main() {{ for (;;) fork(); }}\n{_solution(lesson)}"
    )  # fmt: skip


def _for_time_and_space() -> Iterator[Student]:
    timeout = Due("timeout")
    yield _cu("never ends", _with_body('for (;;) asm volatile("");'), timeout, feedback="does not come to an end")
    deep = "template <int N> struct Deep { static const int v = Deep<N + 1>::v; };\n"
    yield _cu("template bomb", f"{deep}__device__ int v = Deep<0>::v;\n{_solution('00')}",
              Due("compile_error"), "00_start_here")  # fmt: skip
    asked = " &&\n".join(["K < 0"] * 1_900)
    long = _solution().replace("float acc", f"if ({asked}) return;\n    float acc", 1)
    yield _cu("long condition", long, PASSED)
    parens = "\n".join(["acc +=", *["(" * 500] * 40, "1", *[")" * 500] * 40, ";"])
    yield _cu("deep parentheses", _with_body(parens), Due("compile_error"))
    yield _cu("giant message", _with_body("#error " + "<script>" * 100), Due("compile_error", veto="preprocessor"),
              unlike="<script>")  # fmt: skip
    many = "\n".join(f"acc += unknown_{number};" for number in range(300))
    yield _cu("many messages", _with_body(many), Due("compile_error", note="more"), feedback="unknown_0")
    yield _cu("giant file", _solution() + "// x\n" * 20_000, Due("compile_error", veto="far larger"))
    good = "acc += As[ty][k] * Bs[k][tx];"
    dropped = Due("passed", FULL, note="It asks for more memory;the second look")
    room = "__shared__ float room[1 << 20]; if (k == 0) room[M] = 1;"
    yield _cu("asks for 4 MiB and drops it", _with_body(f"{room} {good}"), dropped, feedback="</strong> It asks for")
    deep = "struct Deep { static __device__ int down(int n) { return n ? down(n - 1) + 1 : 0; } }; Deep::down(100000);"
    yield _notebook("calls itself and drops it", _with_body(f"{deep} {good}"), dropped, feedback="calls itself")
    yield _cu("giant local array", _with_body("volatile float x[1 << 26]; x[K] = 1; acc += x[M];"), FAILED)
    prints = 'if (k == 3) printf("%d <script> passed\\n", ty); acc += As[ty][k] * Bs[k][tx];'
    yield _cu("prints a lot", _with_body(prints), PASSED, unlike="<script> passed")
    flood = _with_body('for (int i = 0; i < 50; ++i) printf("{\\"status\\": \\"passed\\"} %d\\n", i);')
    yield _cu("giant output", flood, FAILED, unlike="{&quot;status")


def _for_the_judge() -> Iterator[Student]:
    """Results that are none, and code that knows the public cases."""
    public = " || ".join(f"(M == {m} && N == {n} && K == {k})" for (m, n, k) in {c.shape for c in _kernel(USUAL).cases})
    bodies = {
        "NaN": "acc = __int_as_float(0x7fffffff);", "infinity": "acc = __int_as_float(0x7f800000);",
        "zeros": ";", "huge": "acc = 1e30f;", "hard coded": f"if ({public}) acc += As[ty][k] * Bs[k][tx];",
        "nearly": "acc += As[ty][k] * Bs[k][tx] * 1.001f;",
    }  # fmt: skip
    for what, body in bodies.items():
        yield _cu(f"gives {what}", _with_body(body), FAILED)
    good = "acc += As[ty][k] * Bs[k][tx];"
    raced = Due("failed", veto=_RACE)
    for what, body in _tickets().items():
        yield _cu(f"takes a ticket, {what}", _with_body(f"{body}\n{good}"), raced)
    line = f'\n# 3 "x"\n{good}'
    yield _cu("counts its lines anew", _with_body(line), Due("compile_error", veto="preprocessor;#line"))
    traps = f"if (K > 1000) __trap(); {good}"
    yield _cu("traps where K is long", _with_body(traps), FAILED, feedback="would not run it to its end")
    first = f"if (k0 == 0 && k == 0 && row < M && col < N && !isnan(C[row * N + col])) acc = 1e9f; {good}"
    yield _cu("reads C before it stores", _with_body(first), FAILED, feedback="nothing was written to before")
    yield _cu("asks for the time", _with_body(f"if (k0 + k == 0 && clock64() % 5 == 0) acc += 1.0f; {good}"), FAILED)
    yield _cu("closes the function in PTX", _with_body('asm volatile("ret; } .visible .entry o() { ret;"); ' + good),
              Due("compile_error"))  # fmt: skip
    writes = "acc += As[ty][k] * Bs[k][tx]; if (k == 0) ((float*)B)[col < N ? col : 0] = 0.0f;"
    yield _cu("changes B", _with_body(writes), FAILED, feedback="changes A or B")
    yield _cu("illegal address", _with_body("*(volatile float*)8 = 1.0f;"), FAILED, feedback="outside of an array")
    yield _cu("traps", _with_body("__trap();"), FAILED)
    yield _cu("exits", _with_body('if (tx == 0) asm volatile("exit;");'), FAILED, feedback="Not all threads")
    stale = _solution("04").replace("C[row * N + col] = acc;", ";")
    assert stale != _solution("04")
    yield _cu("gives a stale buffer", stale, FAILED, "04_ragged_edges", feedback="never written")


def _tickets() -> dict[str, str]:
    """A race that is there only where a later warp comes first, and ways to hide it from those who look for it."""
    ticket = (
        "__shared__ int turn, spoiled; if (k0 == 0 && k == 0) { if (tx + ty == 0) { turn = 0; spoiled = 0; } "
        "__syncthreads(); const int mine = atomicAdd(&turn, 1); if (mine == 0 && tx + ty != 0) spoiled = 1; "
        "if (tx + ty == 0 && spoiled == 7) acc = 0; }"
    )
    room = "__shared__ float room[1 << 20]; if (k == 0) room[M] = 1;"
    return {
        "openly": ticket,
        "unless it is debugged": f"#ifndef __CUDACC_DEBUG__\n{ticket}\n#endif",
        "where assertions are on": f"#ifndef NDE\\\nBUG\n{ticket}\n#endif",
        "and never ends when debugged": f"#ifdef __CUDACC_DEBUG__\nfor (;;);\n#endif\n{ticket}",
        "behind 4 MiB": f"{room} {ticket}",
    }


def _on_a_gpu() -> Iterator[Student]:
    """Kernels that find out that this is no emulator, which has one multiprocessor. Their names put them among the
    others."""
    good = "acc += As[ty][k] * Bs[k][tx];"
    there = 'unsigned sms; asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms)); if (sms > 1 && k0 == 0 && k == 0)'
    for name in ("02 gpu crash", "04 gpu crash", "gives gpu crash"):
        crash = f"{good} {there} *(volatile float*){8 + 4 * len(name)} = 1.0f;"
        yield _cu(name, _with_body(crash), FAILED, feedback="outside of an array")
    for name in ("02 gpu endless", "gives gpu endless"):
        endless = f"{good} {there} for (;;) __nanosleep({len(name)});"
        yield _cu(name, _with_body(endless), Due("timeout"), feedback="does not come to an end")
    yield _cu("gpu spins", _with_body(f'{good} {there} for (;;) asm volatile("");'), Due("timeout"))
    yield _cu("gpu traps", _with_body(f"{good} {there} __trap();"), FAILED)
    yield _cu("gpu wrong", _with_body(f"{good} {there} acc += 1.0f;"), FAILED, feedback="are wrong")
    yield _cu("gpu guard", _with_body(f"{good} {there} C[-1] = 1.0f;"), FAILED)
    yield _cu("gpu changes A", _with_body(f"{good} {there} ((float*)A)[0] = 7.0f;"), FAILED)


# ---- attacks in a notebook, which nobody executes


def _in_notebooks(outside: Outside) -> Iterator[Student]:
    wrong = _with_body("acc += As[ty][k] + Bs[k][tx];")
    touch = f"open({str(outside.canary)!r}, 'w').write('x')"

    def added(*cells: dict, where: int = 0) -> Callable[[dict], None]:
        return lambda data: data["cells"].__setitem__(slice(where, where), cells)

    def handed_in(name: str, text: str, due: Due, change: Callable[[dict], None], **more: str) -> Student:
        return Student(name, due, {f"{name}/{USUAL}.ipynb": notebook(text, change=change)}, **more)

    shown = {"output_type": "stream", "name": "stdout", "text": "passed (7 of 7 public cases passed)"}
    html = {"output_type": "display_data", "metadata": {}, "data": {"text/html": "<script>alert(1)</script>"}}
    patch = "from gemmlab.check.check import check\ncheck.check_kernel = None\nimport atexit\natexit.register(print)"
    yield handed_in("forged outputs", wrong, FAILED, added(code_cell("lesson.check()", shown, html)))
    yield handed_in("patched checker", wrong, FAILED, added(code_cell(patch), code_cell(touch)))
    call = f"import socket; socket.create_connection(('127.0.0.1', {outside.port}))"
    yield handed_in("calls home", _solution(), PASSED, added(code_cell(call), code_cell(touch), code_cell(f"!{touch}")))
    yield handed_in("fork bomb", _solution(), PASSED, added(code_cell("%%bash\n:(){ :|:& };:")))
    report = "%%writefile ../../report/grades.csv\nstudent,lesson,code\nfork bomb,02_tiled_fma,2"
    yield handed_in("writes a report", wrong, FAILED, added(code_cell(report)))
    elsewhere = code_cell(f"%%writefile ../../../{USUAL}.cu\n{_solution()}")
    yield handed_in("writes elsewhere", wrong, Due("passed", FULL, note="2 cells write the kernel"),
                    added(elsewhere, where=1_000))  # fmt: skip
    second = code_cell(f"%%writefile ../kernels/{USUAL}.cu\n{_solution()}")
    yield handed_in("a doubled cell", wrong, Due("passed", FULL, note="2 cells write the kernel"),
                    added(second, where=1_000))  # fmt: skip
    untouched = code_cell(f"%%writefile ../kernels/{USUAL}.cu\n{_kernel(USUAL).starter}")
    yield handed_in("a doubled cell, untouched", _solution(), PASSED, added(untouched, where=1_000))

    def without_cell(data: dict) -> None:
        data["cells"].remove(exercise(data))

    def renamed(data: dict) -> None:
        cell = exercise(data)
        cell["id"], cell["metadata"] = "mine", {}
        cell["source"] = cell["source"].replace(f"kernels/{USUAL}.cu", "kernels/my kernel.cu")

    def without_first_line(data: dict) -> None:
        cell = exercise(data)
        cell["source"] = cell["source"].partition("\n")[2]

    def later_schema(data: dict) -> None:
        exercise(data)["metadata"]["nbgrader"] = {"schema_version": 99, "grade_id": "x", "points": 1e9}

    def answered(data: dict) -> None:
        for cell in data["cells"]:
            if cell["metadata"].get("question"):
                cell["source"] = '=HYPERLINK("http://x")\n<script>alert(1)</script> <img src=x onerror=alert(2)>'

    def strange(data: dict) -> None:
        for cell, question in zip(data["cells"], ("\ud800", "<b>", ["q1"], None, "q9", 7)):
            cell["metadata"] = {"question": question, "tags": [None, {}, 1], "patient": {"a": []}}
            cell["cell_type"], cell["source"], cell["id"] = "markdown", "\ud800 strange words", [question]
        data["metadata"], data["nbformat"] = ["x"], "four"

    yield handed_in("strange metadata", _solution(), PASSED, strange)
    yield handed_in("a missing cell", "", Due("unreadable", note="no cell that writes the kernel"), without_cell)
    yield handed_in("a renamed cell", _solution(), PASSED, renamed)
    yield handed_in("a cell without its first line", _solution(), PASSED, without_first_line)
    yield handed_in("a format to come", _solution(), PASSED, later_schema)
    yield handed_in("HTML in answers", _solution(), PASSED, answered, feedback="&lt;script&gt;alert(1)",
                    unlike="<script>alert(1)")  # fmt: skip


# ---- broken files


def _zip(*members: tuple[str | zipfile.ZipInfo, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def _linked(target: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(f"{USUAL}.cu")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def _sparse(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(HUGE)


def _socket(path: Path) -> None:
    """A socket's path is short, so it is made from within the folder."""
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.fchdir(here)
        os.close(here)


def _broken(outside: Outside) -> Iterator[Student]:
    def one(name: str, file: str, content: Content, note: str, due: Due = UNREADABLE) -> Student:
        return Student(name, replace(due, note=note), {f"{name}/{file}": content}, unlike=BAIT_WORDS)

    good = notebook(_solution())
    cu, nb = f"{USUAL}.cu", f"{USUAL}.ipynb"
    yield one("empty notebook", nb, "", "it is empty")
    yield one("empty kernel", cu, " \n\t\n", "it is empty")
    yield one("not JSON", nb, "%%writefile x.cu\nacc", "it is not JSON")
    yield one("cut off", nb, good[: len(good) // 2], "it is not JSON")
    yield one("deep JSON", nb, "[" * 100_000, "it is not JSON")
    yield one("JSON but no notebook", nb, '{"cells": 3}', "it has no cells")
    yield one("a list", nb, "[]", "it has no cells")
    yield one(
        "strange cells", nb, '{"cells": [1, null, {}, {"cell_type": "code", "source": 7}]}', "no cell that writes"
    )
    yield one("huge notebook", nb, _sparse, "larger than 32 MiB")
    yield one("huge kernel", cu, "// x\n" * 60_000, "larger than 256 KiB")
    yield one(
        "binary",
        cu,
        bytes(range(256)) * 8,
        "not UTF-8",
        Due("compile_error", veto="characters that no source file has"),
    )
    yield one("a link", cu, lambda path: path.symlink_to(outside.bait), "it is a link")
    yield one("a broken link", cu, lambda path: path.symlink_to("nowhere"), "it is a link")
    yield one("a linked folder", "work", lambda path: path.symlink_to(outside.bait.parent), "it is a link")
    yield one("a pipe", nb, os.mkfifo, "no ordinary file")
    yield one("a socket", nb, _socket, "cannot be read")
    yield one("a folder as a notebook", f"{nb}/x.txt", "x", "neither a notebook nor a .cu file")
    yield one("an empty folder", "work", Path.mkdir, "the folder is empty")
    yield one("a RAR archive", "work.rar", b"Rar!\x1a\x07\0", "an archive that is not looked into")
    yield one("a 7z archive", "work.7z", b"7z\xbc\xaf", "work.7z: it is an archive")
    yield one("a zip by another name", nb, _zip((cu, _solution())), "a zip under another name")
    yield one("a hidden file", f".{cu}", _solution(), f"hidden files only, which are not looked at: .{cu}")
    yield Student("a link at the top", replace(UNREADABLE, note="it is a link"),
                  {"a link at the top": lambda path: path.symlink_to(outside.bait.parent)},
                  unlike=BAIT_WORDS)  # fmt: skip
    yield one("a document", "answers.docx", b"PK\3\4" + bytes(100), "neither a notebook nor a .cu file")
    yield one("only a checkpoint", f".ipynb_checkpoints/{nb}", good, "hidden files only")
    yield one("many folders", "/".join("abcdefghijklmnop") + f"/{cu}", _solution(), "too many folders")
    yield from _encoded(one, cu, nb)
    yield from _zipped(one, outside, cu, good)


def _encoded(one: Callable[..., Student], cu: str, nb: str) -> Iterator[Student]:
    """Text as other systems write it. All of it is right."""
    accented = _solution().replace("// ", "// für Zoë: ", 1)
    assert accented != _solution()
    texts = {
        "Windows line ends": (_solution().replace("\n", "\r\n").encode(), ""),
        "old line ends": (_solution().replace("\n", "\r").encode(), ""),
        "a byte order mark": (b"\xef\xbb\xbf" + _solution().encode(), ""),
        "Windows text": (accented.encode("cp1252"), "it is not UTF-8"),
        "UTF-16": (accented.encode("utf-16"), "it is UTF-16"),
    }
    for name, (data, note) in texts.items():
        yield one(name, cu, data, note, PASSED)
    yield one("a notebook from Windows", nb, b"\xef\xbb\xbf" + notebook(_solution().replace("\n", "\r\n")).encode(),
              "", PASSED)  # fmt: skip

    def old_format(data: dict) -> None:
        for cell in data["cells"]:
            if cell["cell_type"] == "code":
                cell["input"] = cell.pop("source")
        data["worksheets"] = [{"cells": data.pop("cells")}]

    yield one("the format before", nb, notebook(_solution(), change=old_format), "", PASSED)


def _zipped(one: Callable[..., Student], outside: Outside, cu: str, good: str) -> Iterator[Student]:
    slip = _zip((f"../../../../{outside.canary}", "x"), (f"/{outside.canary}", "x"))
    inner = _zip((cu, _solution()))
    for _ in range(3):
        inner = _zip(("inner.zip", inner))
    yield one("a zip", "work.zip", _zip((f"02/{USUAL}.ipynb", good), ("__MACOSX/x", "x")), "", PASSED)
    yield one("a zip that slips", "work.zip", slip, "its path leads out of the zip")
    yield one(
        "a zip that slips, and works", "work.zip", _zip((f"../{cu}", "x"), (cu, _solution())), "leads out", PASSED
    )
    yield one("a zip with a link", "work.zip", _zip((_linked(cu), str(outside.bait))), "it is a link")
    yield one("a zip bomb", "work.zip", _zip((cu, bytes(HUGE))), "larger than 32 MiB")
    yield one("a zip of zips", "work.zip", inner, "too many zips")
    yield one("a broken zip", "work.zip", _zip((cu, _solution()))[:-30], "the zip cannot be read")
    yield one("a damaged zip", "work.zip", _zip((cu, _solution())).replace(b"\x1f", b"\x20"), "it is damaged")
    yield one("an empty zip", "work.zip", _zip(), "work.zip: the zip is empty")


# ---- names


def _named() -> Iterator[Student]:
    good, cu = notebook(_solution()), _solution()
    yield Student("a browser's copy", PASSED, {"a browser's copy/02 (1).ipynb": good})
    yield Student("a copy in Windows", PASSED, {f"a copy in Windows/{USUAL} - Copy.ipynb": good})
    yield Student("another name", PASSED, {"another name/homework final FINAL.ipynb": good})
    yield Student("a text file", PASSED, {f"a text file/{USUAL}.cu.txt": cu})
    yield Student("capitals", PASSED, {f"capitals/{USUAL.upper()}.IPYNB": good})
    yield Student("two files", Due("passed", FULL, note="there are 2 files"),
                  {f"two files/{USUAL}.ipynb": notebook(_kernel(USUAL).starter), f"two files/{USUAL} (1).ipynb": good},
                  )  # fmt: skip
    yield Student("notebook and file", Due("failed", note="there are 2 files"),
                  {f"notebook and file/{USUAL}.ipynb": notebook(_with_body("acc = 1;")),
                   f"notebook and file/{USUAL}.cu": cu})  # fmt: skip
    yield Student("two lessons", PASSED, {"two lessons/a.cu": _solution("03"), "two lessons/b.cu": cu})
    yield Student("two lessons", PASSED, {}, "03_two_barriers")
    yield Student("Ada Lovelace_1234", PASSED, {f"Ada Lovelace_1234_assignsubmission_file/{USUAL}.ipynb": good})
    yield Student("É⟨U+200B⟩milie_1235", PASSED, {f"É\u200bmilie_1235_assignsubmission_file_{USUAL}.cu": cu})
    yield Student("hoppergrace_4711", PASSED, {f"hoppergrace_LATE_4711_998877_{USUAL}-2.ipynb": good})
    yield Student("noether", PASSED, {f"noether/{USUAL}/{USUAL}.ipynb": good, f"noether/{USUAL}/timestamp.txt": "x"})
    yield Student("flat", PASSED, {"flat_02.ipynb": good})
    yield _cu('=HYPERLINK("http:__x","y")', cu, PASSED)
    yield _cu("+1+cmd|' _C calc'!A0", cu, PASSED)
    yield _cu("<script>alert(1)<_script>", cu, PASSED, unlike="<script>alert(1)")
    yield _cu("a&b \"quoted\" 'x'", cu, PASSED)
    yield Student("⟨U+001B⟩[2J⟨U+0007⟩red", PASSED, {f"\x1b[2J\x07red/{USUAL}.cu": cu})
    yield Student("two⟨U+000A⟩ lines", PASSED, {f"two\n lines/{USUAL}.cu": cu})
    for name in ("un\u200bseen", "un\u00adseen", "unseen\u3164", "unseen "):
        seen = name.replace("\u200b", "⟨U+200B⟩").replace("\u00ad", "⟨U+00AD⟩").replace("\u3164", "⟨U+3164⟩")
        yield Student(seen.replace("seen ", "seen⟨U+0020⟩"), PASSED, {f"{name}/{USUAL}.cu": cu})
    yield _cu("unseen", _kernel(USUAL).starter, Due("unattempted"))
    yield _cu("Twin", cu, PASSED)
    yield _cu("twin", _kernel(USUAL).starter, Due("unattempted"))
    yield Student(f"{'n' * 91}…{hashlib.sha256(b'n' * 200).hexdigest()[:8]}", PASSED, {f"{'n' * 200}/{USUAL}.cu": cu})
    yield Student("\\xffvil", PASSED, {os.fsdecode(b"\xffvil") + f"/{USUAL}.cu": cu})
    yield _cu("CON", cu, PASSED)
    yield _cu("-rf ~", cu, PASSED)


if __name__ == "__main__":
    place = Path(sys.argv[1])
    elsewhere = place.with_name(f"{place.name}-outside")
    elsewhere.mkdir(parents=True, exist_ok=True)
    (elsewhere / "bait.h").write_text(f"{BAIT_WORDS} = 42\n")
    write(place, students(Outside(elsewhere / "bait.h", elsewhere / "canary", 9)))
