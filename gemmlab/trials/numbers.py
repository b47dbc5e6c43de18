"""A kernel's source with other numbers in its #define lines, and the compilation of many at once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from gemmlab.compiler.compile import CompileError
from gemmlab.errors import UserError
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.layout import COURSE, Layout
from gemmlab.kernel.program import Program
from gemmlab.trials.candidate import Candidate, Shape

_DEFINE = re.compile(r"^(#define[ \t]+(\w+)[ \t]+)(\d+)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")


def variant(
    name: str,
    source: str,
    block: str,
    grid: str,
    smem: str = "0",
    numbers: Mapping[str, int] | None = None,
    layout: Layout = COURSE,
) -> Candidate:
    """The source with other numbers, told by the name and the numbers in place of a file name. The expressions of the
    launch may name every number that the source defines.

    Raises UserError where the source has no `#define NAME NUMBER` for one of the numbers.
    """
    numbers = numbers or {}
    missing = numbers.keys() - {found for _, found, _ in _DEFINE.findall(source)}
    if missing:
        raise UserError(f"{name} has no line '#define {min(missing)} NUMBER'")
    source = _DEFINE.sub(lambda found: f"{found[1]}{numbers.get(found[2], found[3])}", source)
    known = {found: number for _, found, number in _DEFINE.findall(source)}
    block, grid, smem = (_NAME.sub(lambda word: known.get(word[0], word[0]), text) for text in (block, grid, smem))
    told = [f"{found}={number}" for found, number in numbers.items()]
    return Candidate(source, " ".join([name, *told]), LaunchSpec.parse(block, grid, smem, True, layout=layout))


def compiled(candidates: Sequence[Candidate], arch: str, shapes: Sequence[Shape] = ()) -> Iterator[Program | str]:
    """The program of each, or why there is none, in order; templates as these shapes launch them. Compilers run side by
    side, one a processor."""
    from multiprocessing import get_context

    jobs = [(one, arch, shapes) for one in candidates]
    with get_context("spawn").Pool(max(1, min(os.cpu_count() or 1, len(jobs)))) as pool:
        yield from pool.imap(_compile, jobs)


def _compile(job: tuple[Candidate, str, Sequence[Shape]]) -> Program | str:
    candidate, arch, shapes = job
    try:
        return candidate.compiled(arch, shapes=shapes)
    except (CompileError, UserError) as error:
        return str(error).split("\n")[0]
