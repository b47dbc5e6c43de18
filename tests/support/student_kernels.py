"""The kernels of tests/kernels that students might write in a lesson, each with its verdict.

A file tests/kernels/NN_slug/NAME.cu begins with its verdict and says why. What follows is what differs from the
lesson's solution:

    // expect: race                     passed, or the kind of a finding
    // says: K tile 1; may overwrite    words that a message of this kind must hold, apart by ; (left out where none)
    // One sentence that says what is wrong.

    // BLANK fma                        the lines below stand in this blank, instead of the solution's
    acc = As[ty][k] * Bs[k][tx];

    // IN PLACE OF                      lines of the solution that it has once; spacing and comments do not count
        __syncthreads();
    }
    // STANDS                           what stands there instead; nothing, where they are left out
    }

A file without these markers is a whole kernel.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from gemmlab.course.lesson import Kernel, load_all
from gemmlab.errors import UserError
from gemmlab.kernel.verdict import Finding, Verdict
from gemmlab.trials.variant import variant

FOLDER = Path(__file__).parents[1] / "kernels"
_EXPECT, _SAYS = "// expect: ", "// says: "
_MARKER = re.compile(r"// (BLANK (\w+)|IN PLACE OF|STANDS)")


@dataclass(frozen=True)
class Part:
    """A marker, its line in the file, from 1, and the lines under it."""

    marker: str
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")


@dataclass(frozen=True)
class StudentKernel:
    """One file: `expect` is 'passed' or the kind of a finding, `says` are the words that such a finding must hold."""

    path: Path
    kernel: Kernel

    @property
    def name(self) -> str:
        """Such as '02_tiled_fma/no_second_barrier', or '14_claims_clinic/odd_tail/no_guard' of a patient."""
        return f"{self.kernel.name}/{self.path.stem}"

    @property
    def expect(self) -> str:
        first = self._parts[0].lines[:1]
        if not first or not first[0].startswith(_EXPECT):
            raise self._error(1, f"a kernel begins with `{_EXPECT}` and 'passed' or the kind of a finding")
        return first[0].removeprefix(_EXPECT).strip()

    @property
    def says(self) -> tuple[str, ...]:
        words = [line.removeprefix(_SAYS) for line in self._parts[0].lines[1:2] if line.startswith(_SAYS)]
        return tuple(word for line in words for word in map(str.strip, line.split(";")) if word)

    @property
    def why(self) -> str:
        """What is wrong with it, or what is special about it, in words."""
        lines = [line for line in self._parts[0].lines if not line.startswith((_EXPECT, _SAYS))]
        return " ".join(line.removeprefix("// ") for line in lines if line.startswith("// "))

    @cached_property
    def text(self) -> str:
        """The whole kernel. Raises UserError, with file and line, where a part does not fit the solution."""
        head, *parts = self._parts
        return self._composed(parts) if parts else head.text

    @cached_property
    def _parts(self) -> list[Part]:
        parts = [Part("", 0)]
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            marker = _MARKER.fullmatch(line.strip())
            if marker:
                parts.append(Part(marker[1], number))
            else:
                parts[-1].lines.append(line)
        return parts

    def _error(self, line: int, what: str) -> UserError:
        return UserError(f"{self.path.relative_to(FOLDER.parents[1])}, line {line}: {what}")

    def _composed(self, parts: list[Part]) -> str:
        """The solution with the blanks filled anew, and then with lines replaced."""
        text = self._filled([part for part in parts if part.marker.startswith("BLANK ")])
        before = Part("", 0)
        for part in [*parts, Part("", 0)]:
            if before.marker == "IN PLACE OF" and part.marker != "STANDS":
                raise self._error(before.line, "the next marker must be `// STANDS`")
            if part.marker == "STANDS":
                if before.marker != "IN PLACE OF":
                    raise self._error(part.line, "`// STANDS` has no `// IN PLACE OF` above it")
                text = self._replaced(text, before, part.text)
            before = part
        return text

    def _filled(self, parts: list[Part]) -> str:
        """The solution with other bodies in some of its blanks."""
        filled: dict[str, Part] = {}
        for part in parts:
            name = part.marker.removeprefix("BLANK ")
            if name in filled:
                raise self._error(part.line, f"the blank {name} was filled already in line {filled[name].line}")
            filled[name] = part
        text = self.kernel.solution
        for name, part in filled.items():
            try:
                text = variant(self.kernel.starter, text, {name: part.text})
            except UserError as error:
                raise self._error(part.line, str(error)) from None
        return text

    def _replaced(self, text: str, old: Part, new: str) -> str:
        """The text with the lines of `new` in place of those of `old`."""
        lines = text.split("\n")
        code = [(index, key) for index, line in enumerate(lines) if (key := _key(line))]
        keys, wanted = [key for _, key in code], [key for line in old.lines if (key := _key(line))]
        last = len(keys) - len(wanted) + 1
        places = [place for place in range(last) if wanted and keys[place : place + len(wanted)] == wanted]
        if len(places) != 1:
            count = len(places) or "no"
            raise self._error(old.line, f"solutions/{self.kernel.name}.cu has {count} such places, and 1 is needed")
        first, final = code[places[0]][0], code[places[0] + len(wanted) - 1][0]
        return "\n".join([*lines[:first], *new.split("\n"), *lines[final + 1 :]])


def _key(line: str) -> str:
    """The code of a line by which it is found: without spacing and comment."""
    return "".join(line.partition("//")[0].split())


@lru_cache(maxsize=1)
def _all() -> tuple[StudentKernel, ...]:
    kernels = [kernel for lesson in load_all(FOLDER.parents[1]) for kernel in lesson.kernels]
    return tuple(StudentKernel(path, one) for one in kernels for path in sorted((FOLDER / one.name).glob("*.cu")))


def student_kernels(of: str = "") -> list[StudentKernel]:
    """Those of the lesson or of the patient of that name; without a name all there are."""
    return [one for one in _all() if one.name.startswith(f"{of}/" if of else "")]


def student_kernel(name: str) -> StudentKernel:
    """The one of that name, such as '02_tiled_fma/no_second_barrier'."""
    (found,) = [one for one in _all() if one.name == name]
    return found


def complaint(one: StudentKernel, verdict: Verdict) -> str | None:
    """What is wrong with the verdict on this kernel; None where it is the one that the file asks for."""
    errors = [finding for finding in verdict.findings if finding.is_error]
    if one.expect == "passed":
        return None if verdict.passed and verdict.findings == () else f"passed is due, got {_text(verdict.findings)}"
    messages = [finding.message for finding in errors if finding.kind == one.expect]
    if verdict.passed or not messages:
        return f"{one.expect} is due, got {_text(verdict.findings) or verdict.status}"
    missing = [words for words in one.says if not any(words in message for message in messages)]
    return f"nothing says {missing} in {messages}" if missing else None


def _text(findings: Sequence[Finding]) -> str:
    return "; ".join(f"{finding.kind}: {finding.message}" for finding in findings)
