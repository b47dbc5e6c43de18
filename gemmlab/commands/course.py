"""gemmlab course: write the lessons that were installed with the library into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer


def course(
    folder: Annotated[Optional[Path], typer.Argument(help="Where the lessons go; gemm-course if left out.")] = None,
) -> None:
    """Write the lessons that came with pip install into a folder. Work that is there already stays."""
    from gemmlab.course.handed_out import FOLDER, put

    lessons = put(folder or Path(FOLDER)) / "lessons"
    print(f"The lessons are in {lessons}. Open them with: jupyter lab {_quoted(lessons)}")


def _quoted(path: Path) -> str:
    return f'"{path}"' if " " in str(path) else str(path)
