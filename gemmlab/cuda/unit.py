"""A file as it is compiled: what it includes from beside it in its place, names of the command line defined before it.

All readers of a source, the compiler too, take one text; `Unit` says which line of it is which line of which file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gemmlab.errors import UserError
from gemmlab.kernel.verdict import Finding, Verdict

_INCLUDE = re.compile(r"""^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)""")
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b")
_DEFINE = re.compile(r"([A-Za-z_]\w*)(?:=(.*))?", re.DOTALL)
_LINE = re.compile(r"\b([Ll])ine (\d+)\b")
_DEEPEST = 20  # includes inside of includes
_LONGEST = 1 << 20  # characters of the whole

OTHER_LIBRARIES = frozenset(  # headers for the host, which no kernel needs
    "omp.h mpi.h wb.h helper_cuda.h helper_functions.h helper_string.h helper_timer.h cublas.h cusparse.h cudnn.h "
    "nvToolsExt.h extension.h torch.h ATen.h CUDAContext.h CUDAException.h CUDAStream.h CUDAGuard.h pybind11.h "
    "numpy.h stl.h host_vector.h device_vector.h filesystem string_view list deque queue stack atomic future "
    "condition_variable regex locale iterator initializer_list optional cinttypes inttypes.h errno.h cerrno "
    "getopt.h signal.h fcntl.h stat.h types.h resource.h bitset numbers immintrin.h typeinfo iosfwd".split()
)

Find = Callable[[str, str], "tuple[str, str] | None"]
"""Name of a header, and the file that includes it -> that header's own name and text; None where it is not there."""


@dataclass(frozen=True)
class Place:
    """A line of a file, both as their owner knows them. `file` is '' for the file itself."""

    file: str
    line: int


@dataclass(frozen=True)
class Unit:
    """`places` has one entry a line of `text`. `missing` are headers that nobody has, with their places."""

    text: str
    places: tuple[Place, ...]
    missing: tuple[tuple[str, Place], ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether the text is the file, line by line."""
        return all(place == Place("", number) for number, place in enumerate(self.places, 1))

    @property
    def shown(self) -> str:
        """The file itself, for who shows lines of it."""
        return "\n".join(line for line, place in zip(self.text.split("\n"), self.places) if not place.file)

    def told(self, verdict: Verdict) -> Verdict:
        """The verdict with lines of files instead of lines of the text, and a warning for each missing header."""
        found = tuple(map(self._placed, verdict.findings)) if not self.is_plain else verdict.findings
        return replace(verdict, findings=found + tuple(_lacking(name, place) for name, place in self.missing))

    def _placed(self, finding: Finding) -> Finding:
        place = self._place(finding.line) if finding.line else None
        message = _LINE.sub(self._reworded, finding.message)
        if place is None or not place.file:
            return replace(finding, message=message, line=place.line if place else None)
        return replace(finding, message=f"In line {place.line} of {place.file}: {message}", line=None, column=None)

    def _reworded(self, match: re.Match[str]) -> str:
        place = self._place(int(match[2]))
        if place is None:
            return match[0]
        return f"{match[1]}ine {place.line}" + (f" of {place.file}" if place.file else "")

    def _place(self, line: int) -> Place | None:
        return self.places[line - 1] if 0 < line <= len(self.places) else None


def _lacking(name: str, place: Place) -> Finding:
    where = f"line {place.line} of {place.file}" if place.file else f"line {place.line}"
    message = f"There is no header {name} ({where}) beside the file or among CUDA's; it was left out."
    return Finding("compile_error", message, "warning", line=None if place.file else place.line)


def unit_of(source: str, find: Find, is_known: Callable[[str], bool], defines: Sequence[str] = ()) -> Unit:
    """The unit of a file. `is_known` says which headers the compiler has; others are left out, those of
    OTHER_LIBRARIES silently. `defines` are NAME or NAME=VALUE. Raises UserError for one that is neither, and for files
    that include each other without end."""
    builder = _Builder(find, is_known)
    for define in defines:
        builder.define(define)
    builder.add("", source)
    return Unit("\n".join(builder.lines), tuple(builder.places), tuple(builder.missing))


class _Builder:
    def __init__(self, find: Find, is_known: Callable[[str], bool]) -> None:
        self.find, self.is_known = find, is_known
        self.lines: list[str] = []
        self.places: list[Place] = []
        self.missing: list[tuple[str, Place]] = []
        self._once: set[str] = set()
        self._open: list[str] = []
        self._length = 0

    def define(self, text: str) -> None:
        match = _DEFINE.fullmatch(text)
        if match is None or "\n" in text:
            raise UserError(f"cannot read -D {text[:40]!r}; write NAME or NAME=VALUE, such as TILE=16")
        self._put(f"#define {match[1]} {'1' if match[2] is None else match[2]}", Place("-D", 1))

    def add(self, file: str, text: str) -> None:
        """Put the lines of a file, with what they include."""
        if len(self._open) > _DEEPEST:
            raise UserError(f"the includes of {self._open[1]} go too deep; do two files include each other?")
        self._open.append(file)
        for number, line in enumerate(text.split("\n"), 1):
            self._add_line(file, line, Place(file, number))
        self._open.pop()

    def _add_line(self, file: str, line: str, place: Place) -> None:
        match = _INCLUDE.match(line)
        if _ONCE.match(line):
            self._once.add(file)
            self._put("", place)
        elif match is None:
            self._put(line, place)
        else:
            self._include(match[1] or match[2], file, line, place, quoted=match[1] is not None)

    def _include(self, name: str, file: str, line: str, place: Place, quoted: bool) -> None:
        found = self.find(name, file) if quoted or not self.is_known(name) else None
        if found is not None:
            self._put("", place)
            if found[0] not in self._once:
                self.add(*found)
        elif self.is_known(name):
            self._put(line, place)
        else:
            self._put("", place)
            if name.split("/")[-1] not in OTHER_LIBRARIES:
                self.missing.append((name, place))

    def _put(self, line: str, place: Place) -> None:
        self._length += len(line) + 1
        if self._length > _LONGEST:
            raise UserError("the file with all that it includes is too large; do two files include each other?")
        self.lines.append(line)
        self.places.append(place)
