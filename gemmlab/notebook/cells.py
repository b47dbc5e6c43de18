"""The cells that write a kernel, watched: work that was saved elsewhere is kept, and a lost first line is explained.

IPython calls `Cells.before` when a cell is about to run, and `Cells.explained` to turn its text into Python.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gemmlab.errors import UserError
from gemmlab.files import normalize, read_source, write_whole
from gemmlab.markdown import escape
from gemmlab.pictures.output import Markdown, show

if TYPE_CHECKING:
    from gemmlab.course.lesson import Kernel, Lesson

_WRITES = re.compile(r"^%%writefile\s+(\S+)\s*$", re.MULTILINE)
_KERNEL = re.compile(r"^\s*(?:extern\s+\"C\"\s+)?__global__\s", re.MULTILINE)
_KEPT = "saved"  # the folder of copies, beside the kernels

LOST = (
    "This cell has lost its first line, so that it runs as Python. Write `%%writefile {path}` above everything else in "
    "the cell, also above comments, and run it again."
)
ELSEWHERE = (
    "Nothing was written: this cell would write to `{there}`, and the check looks at `{here}`. The notebook lies in "
    "another folder than its lesson. Move it back to `lessons`, or write `%%writefile {here}`."
)
COPIED = (
    "`{kernel}` held other work than this cell, saved in an editor perhaps. It is kept as `{copy}` before the cell "
    "writes over it."
)


def watch(lesson: Lesson) -> None:
    """Watch the cells of the notebook that runs here; of several lessons opened in it, for the last one."""
    shell = _shell()
    if shell is None:
        return
    if not hasattr(shell, "gemmlab_cells"):
        shell.gemmlab_cells = Cells()
        shell.events.register("pre_run_cell", lambda info: shell.gemmlab_cells.before(info.raw_cell))
        shell.input_transformers_cleanup.insert(0, lambda lines: shell.gemmlab_cells.explained(lines))
    shell.gemmlab_cells.lesson = lesson


def in_notebook() -> bool:
    """Whether this process is that of a notebook."""
    return _shell() is not None


def explain(words: str) -> None:
    """Show the sentences in the cell."""
    show(Markdown(words))


class Cells:
    """What the cells of one notebook did and are about to do."""

    def __init__(self) -> None:
        self.lesson: Lesson | None = None
        self._written: dict[Path, str] = {}

    def before(self, text: str) -> None:
        """Keep a copy of the file that the cell would write over, where it holds work that no cell wrote."""
        found = self._kernel_of(text)
        if found is None or (match := _WRITES.match(normalize(text))) is None or not _is(match[1], found):
            return
        body = normalize(text)[match.end() + 1 :]
        try:
            copy = self._kept(found, body)
        except (OSError, UserError) as error:
            explain(escape(f"No copy of {found.path.name} could be kept: {error}."))
            copy = None
        self._written[found.path] = body.strip()
        if copy:
            explain(COPIED.format(kernel=_name(found.path), copy=_name(copy)))

    def _kept(self, kernel: Kernel, body: str) -> Path | None:
        """The copy, None where none is needed."""
        if not kernel.path.is_file():
            return None
        old = read_source(kernel.path)
        if old.strip() in (body.strip(), self._written.get(kernel.path)) or kernel.is_untouched(old):
            return None
        folder = kernel.path.parent / _KEPT
        folder.mkdir(exist_ok=True)
        copies = [folder / f"{kernel.path.stem}_{number}.cu" for number in range(1, len(list(folder.iterdir())) + 2)]
        same = next((copy for copy in copies if copy.is_file() and read_source(copy) == old), None)
        if same is None:
            same = next(copy for copy in copies if not copy.exists())
            write_whole(same, old)
        return same

    def explained(self, lines: Sequence[str]) -> list[str]:
        """The cell's lines, or, where the cell cannot do what it is there for, one that says so."""
        text = "".join(lines)
        kernel = self._kernel_of(text)
        match = _WRITES.match(text.lstrip("\n"))
        if kernel is None:
            return list(lines)
        if match is None:
            words = LOST.format(path=_relative(kernel.path))
        elif not _is(match[1], kernel) and Path(match[1]).parent.name == kernel.path.parent.name:
            words = ELSEWHERE.format(there=match[1], here=_relative(kernel.path))
        else:
            return list(lines)
        return [f"__import__('gemmlab.notebook.cells', fromlist=['explain']).explain({words!r})\n"]

    def _kernel_of(self, text: str) -> Kernel | None:
        """The lesson's kernel that the cell is there to write: by the file that it names, or by what stands in it."""
        if self.lesson is None:
            return None
        kernels = self.lesson.kernels
        named = _WRITES.search(text)
        if named:
            name = Path(named[1]).name
            return next((kernel for kernel in kernels if kernel.path.name == name), None)
        is_kernel = not text.lstrip().startswith("%%") and _KERNEL.search(text) and not _is_python(text)
        return kernels[0] if is_kernel and len(kernels) == 1 else None


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _is(path: str, kernel: Kernel) -> bool:
    """Whether the path, from where the notebook runs, is the kernel's file."""
    return Path(path).expanduser().resolve() == kernel.path.resolve()


def _relative(path: Path) -> str:
    """The path as a cell of this notebook writes it."""
    return Path(os.path.relpath(path)).as_posix()


def _name(path: Path) -> str:
    """'kernels/02_tiled_fma.cu': the file from the folder that holds the kernels on."""
    parts = path.parts
    first = len(parts) - 1 - parts[::-1].index("kernels") if "kernels" in parts else -1
    return "/".join(parts[first:])


def _shell() -> Any:
    """The notebook's IPython, None outside of one."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    shell = get_ipython()
    return shell if hasattr(shell, "kernel") else None
