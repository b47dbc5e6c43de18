"""What the package adds to JupyterLab: it is where JupyterLab looks for it, and of this version."""

from __future__ import annotations

import json
from pathlib import Path

from jupyterlab_server.config import get_federated_extensions

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "gemmlab" / "labextension"


def test_jupyterlab_finds_it():
    found = get_federated_extensions([str(FOLDER)])["gemmlab"]
    assert (FOLDER / "gemmlab" / found["jupyterlab"]["_build"]["load"]).is_file()


def test_it_is_installed_with_the_package_and_of_its_version():
    project = (ROOT / "pyproject.toml").read_text()
    version = json.loads((FOLDER / "gemmlab" / "package.json").read_text())["version"]
    assert f'version = "{version}"' in project
    assert '"gemmlab/labextension" = "share/jupyter/labextensions"' in project
