"""Reads what NVRTC and ptxas print: remarks with their place in the student's file, and each kernel's resources."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gemmlab.compiler.nvrtc import sentences as say
from gemmlab.kernel.program import Diagnostic, Resources
from gemmlab.kernel.sentences import TOO_MUCH_STATIC_SHARED

SOURCE_NAME = "/gemmlab/kernel.cu"  # the student's file, to NVRTC and in the PTX; there is no such folder
MOST_REMARKS = 20  # of errors, and of warnings

_REMARK = re.compile(
    r"(?P<file>.+?)\((?P<line>\d+)\): (?:catastrophic )?(?P<severity>error|warning|note|remark)"
    r"(?: #[\w-]+)?: (?P<text>.*)"
)
_AT_END = re.compile(r"At end of source: (?P<severity>error|warning)(?: #[\w-]+)?: (?P<text>.*)")
_NOTE = re.compile(r"(?:.+?\(\d+\): )?[Nn]ote(?: #[\w-]+)?: (?P<text>.*)")
_NOISE = re.compile(
    r"Remark: The warnings can be|\s*(and )?\d+ (catastrophic )?errors? detected in|Compilation terminated|$"
)
_PTXAS = re.compile(r"\s*ptxas (?:.*line (?P<line>\d+); )?(?P<severity>error|fatal|warning)\s*: (?P<text>.*)")
_INCLUDE = re.compile(r"""\s*#\s*include\s*[<"]([^>"]+)[>"]""")

# What NVRTC says in words of its own making, and what it means for the student.
_PLAIN_WORDS = (
    (re.compile(r"A function without execution space annotations .*"), say.HOST_FUNCTION),
    (re.compile(r"A function explicitly marked as a __host__ function .*"), say.HOST_FUNCTION),
    (re.compile(r"A namespace scope variable without memory space annotations .*"), say.HOST_VARIABLE),
    (re.compile(r'cannot open source file "(?P<header>.*?)".*'), say.NO_HEADER),
)
HOST_REMARKS = (say.HOST_FUNCTION(), say.HOST_VARIABLE())


@dataclass(frozen=True)
class PtxasMessage:
    """One complaint of ptxas. `ptx_line` counts from 1 in the PTX, None where it is about a whole kernel.

    `is_about_resources` means right code that this GPU has no room for, in contrast to wrong code.
    """

    severity: str
    text: str
    ptx_line: int | None
    is_about_resources: bool


def parse_diagnostics(log: str, source: str) -> tuple[Diagnostic, ...]:
    """The remarks of NVRTC's log, errors first, notes folded into what they belong to; at most MOST_REMARKS of each.

    Warnings about headers are left out: a student cannot mend those.
    """
    blocks = _blocks(log)
    warnings = [block for block in blocks["warning"] if block[0].startswith(f"{SOURCE_NAME}(")]
    return tuple(_diagnostic(block, source) for block in blocks["error"][:MOST_REMARKS] + warnings[:MOST_REMARKS])


def _head(text: str) -> re.Match[str] | None:
    return _REMARK.match(text) or _AT_END.match(text)


def _blocks(log: str) -> dict[str, list[list[str]]]:
    """Severity -> the lines of each remark: its head, and what follows up to the next one."""
    blocks: dict[str, list[list[str]]] = {"error": [], "warning": [], "remark": []}
    current: list[str] = []
    for text in log.splitlines():
        head = _head(text)
        if head and head["severity"] != "note":
            current = [text]
            blocks[head["severity"]].append(current)
        elif text.lstrip().startswith("ptxas "):
            current = []
        elif not _NOISE.match(text):
            current.append(text)
    return blocks


def _diagnostic(block: list[str], source: str) -> Diagnostic:
    head = _head(block[0])
    assert head is not None  # that is how the block was found
    places = head.groupdict()
    column, extra = _read_body(block[1:])
    message = "; ".join([_plain(head["text"]), *extra])
    lines = source.removesuffix("\n").split("\n")
    if "line" not in places:
        return Diagnostic(head["severity"], say.AT_END(message=message), len(lines))
    line = int(places["line"])
    if places["file"] != SOURCE_NAME:
        name = re.split(r"[/\\]", places["file"])[-1]
        said = say.IN_HEADER(header=name, line=line, message=message)
        return Diagnostic(head["severity"], said, _line_that_includes(name, lines))
    if line > len(lines):
        return Diagnostic(head["severity"], message)
    return Diagnostic(head["severity"], message, line, _in_characters(column, lines[line - 1]))


def _in_characters(column: int | None, line: str) -> int | None:
    """NVRTC counts bytes."""
    return len(line.encode("utf-8", "replace")[: column - 1].decode("utf-8", "ignore")) + 1 if column else None


def _read_body(body: list[str]) -> tuple[int | None, list[str]]:
    """The column, from the caret below the source line that NVRTC repeats, and the further sentences and notes."""
    carets = [i for i, text in enumerate(body) if text.strip() == "^"]
    repeated = {j for i in carets for j in (i - 1, i)}
    notes = [i for i, text in enumerate(body) if _NOTE.match(text)]
    own_carets = [i for i in carets if not notes or i < notes[0]]
    column = max(body[own_carets[0]].index("^") - 1, 1) if own_carets else None  # the source line is indented by two
    return column, [_sentence(text) for i, text in enumerate(body) if i not in repeated]


def _sentence(text: str) -> str:
    note, place = _NOTE.match(text), _REMARK.match(text)
    said = _without_paths(note["text"] if note else text)
    return say.NOTE_AT_LINE(note=said, line=place["line"]) if place and place["file"] == SOURCE_NAME else said


def _plain(text: str) -> str:
    for pattern, sentence in _PLAIN_WORDS:
        if found := pattern.fullmatch(text):
            return _without_paths(sentence(**found.groupdict()))
    return _without_paths(text)


def _without_paths(text: str) -> str:
    """The text on one line, with the names of header files but not their folders."""
    return re.sub(r"(?:[A-Za-z]:)?(?:[/\\][\w.+-]+)+[/\\]([\w.+-]+)", r"\1", " ".join(text.split()))


def _line_that_includes(name: str, lines: list[str]) -> int | None:
    """The line of the one #include of that header; NVRTC does not say through which one it came."""
    includes = [(number, match[1]) for number, text in enumerate(lines, 1) if (match := _INCLUDE.match(text))]
    named = [number for number, path in includes if re.split(r"[/\\]", path)[-1] == name]
    candidates = named or [number for number, _ in includes]
    return candidates[0] if len(candidates) == 1 else None


def parse_ptxas(log: str) -> tuple[PtxasMessage, ...]:
    """The errors and warnings of ptxas, in order."""
    matches = [match for text in log.splitlines() if (match := _PTXAS.match(text))]
    return tuple(_ptxas_message(match) for match in matches if not match["text"].startswith("Ptx assembly aborted"))


def _ptxas_message(match: re.Match[str]) -> PtxasMessage:
    severity = "warning" if match["severity"] == "warning" else "error"
    ptx_line = int(match["line"]) if match["line"] else None
    return PtxasMessage(severity, _readable(match["text"]), ptx_line, "uses too much" in match["text"])


def _readable(text: str) -> str:
    """ptxas's sentence with its sizes in decimal, and what it means where shared memory is too large."""
    text = re.sub(r"0x[0-9a-fA-F]+", lambda match: f"{int(match[0], 16):,}", text.strip())
    too_large = re.fullmatch(r"Entry function '(.+)' uses too much shared data \(([\d,]+) bytes, ([\d,]+) max\)", text)
    if not too_large:
        return text
    return TOO_MUCH_STATIC_SHARED(kernel=plain_name(too_large[1]), size=too_large[2], most=too_large[3])


def parse_resources(log: str) -> dict[str, Resources]:
    """Symbol of each kernel -> what ptxas -v reports of it."""
    parts = re.split(r"Compiling entry function '(.+?)' for", log)
    return {symbol: _resources(symbol, text) for symbol, text in zip(parts[1::2], parts[2::2])}


def _resources(symbol: str, text: str) -> Resources:
    properties = re.search(rf"Function properties for {re.escape(symbol)}\s*\n(.*)", text)
    frame = properties[1] if properties else ""
    used = re.search(r"Used \d+ registers.*", text)
    usage = used[0] if used else ""
    return Resources(
        registers=_number(r"Used (\d+) registers", usage),
        shared_bytes=_number(r"(\d+) bytes smem", usage),
        local_bytes=_number(r"(\d+) bytes stack frame", frame),
        spill_store_bytes=_number(r"(\d+) bytes spill stores", frame),
        spill_load_bytes=_number(r"(\d+) bytes spill loads", frame),
        barriers=_number(r"used (\d+) barriers", usage),
    )


def _number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    return int(match[1]) if match else 0


def plain_name(symbol: str) -> str:
    """The name of a function as the source writes it, from its symbol: 'gemm' and '_Z4gemmPKfS0_Pfiii' -> 'gemm'.

    Reads names with or without namespaces (the last part is returned), not operators. Template arguments are dropped.
    What it cannot read is returned as it is.
    """
    match = re.match(r"_ZN?L?(?=\d)", symbol)
    if not match:
        return symbol
    rest, name = symbol[match.end() :], symbol
    while number := re.match(r"L?(\d+)", rest):
        start, length = number.end(), int(number[1])
        name, rest = rest[start : start + length], rest[start + length :]
        if not symbol.startswith("_ZN"):
            break
    return name
