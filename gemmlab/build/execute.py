"""Executes a solved notebook so that the same cells give the same bytes on every machine, with or without a GPU."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gemmlab.errors import UserError

if TYPE_CHECKING:
    from nbformat import NotebookNode

CELL_TIMEOUT = 120
WIDGET = "application/vnd.jupyter.widget-view+json"


def execute(notebook: NotebookNode, root: Path) -> NotebookNode:
    """The notebook with its outputs. It runs in a copy of the course, without a GPU, and its metadata stays as it was.

    Widgets, whose ids are random, are left out of the outputs; their text stays. Raises UserError where a cell fails,
    and where an output shows the directory of the copy.
    """
    metadata = dict(notebook.metadata)
    with tempfile.TemporaryDirectory(prefix="gemmlab-") as temporary:
        course = Path(temporary).resolve()
        for folder in ("lessons", "solutions"):
            shutil.copytree(root / folder, course / folder, ignore=shutil.ignore_patterns("*.ipynb", ".*"))
        (course / "kernels").mkdir()
        _run_cells(notebook, course)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET, None)
        if str(course) in str(cell.get("outputs", "")):
            raise UserError(f"this cell prints the directory that it runs in, another each time:\n{cell.source}")
    notebook.metadata = metadata
    return notebook


def _run_cells(notebook: NotebookNode, course: Path) -> None:
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        extra_arguments=["--colors=nocolor"],
        resources={"metadata": {"path": str(course / "solutions")}},
    )
    try:
        client.execute(env={**os.environ, "GEMMLAB_ROOT": str(course), "CUDA_VISIBLE_DEVICES": "-1"})
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise UserError(f"the notebook does not run: {error}") from None
