"""What the tests of the notebook's verbs share."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemmlab.course.lesson import find_root
from gemmlab.pictures.picture import Picture


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What cells show, as text; captions, which say what a picture's own words say, are left out. The student's files
    live in a directory of their own."""
    monkeypatch.setenv("GEMMLAB_ROOT", str(find_root()))
    monkeypatch.setenv("GEMMLAB_WORK", str(tmp_path))
    texts: list[str] = []

    def display(*outputs: object, display_id: bool = False) -> None:
        for output in outputs:
            if isinstance(output, Picture):
                texts.append(f"picture: {output.alt}")
            elif not display_id:
                texts.append(output._repr_mimebundle_()["text/plain"].replace("\\", ""))

    monkeypatch.setattr("IPython.display.display", display)
    return texts
