"""A JupyterLab of its own on a copied course, and one of its notebooks in a headless Chromium, as a reader meets it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import NO_CHROMIUM

ROOT = Path(__file__).parents[2]
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_TOKEN = "course"
_BEGIN_SECONDS = 20
_START_SECONDS, _CELL_SECONDS = 60, 180  # a cell, and all cells of a lesson on a busy machine
_SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}


@contextmanager
def jupyterlab(course: Path, work: Path, theme: str = "JupyterLab Light") -> Iterator[str]:
    """Serve the course as `make lab` does; yields the address. Settings go into `work`; the user's own are not read."""
    for name, settings in {**_SETTINGS, "apputils-extension/themes": {"theme": theme}}.items():
        path = work / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings))
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "jupyterlab", str(course), "--no-browser", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", "--ServerApp.ip=127.0.0.1", f"--IdentityProvider.token={_TOKEN}"]
    command += [f"--LabApp.extra_labextensions_path={ROOT / 'gemmlab' / 'labextension'}"]
    if os.name == "posix" and os.geteuid() == 0:
        command.append("--allow-root")
    with open(work / "jupyterlab.log", "w") as log:
        server = subprocess.Popen(command, env=_environment(course, work), stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_for(f"{address}/api/status?token={_TOKEN}", server, work / "jupyterlab.log")
            yield address
        finally:
            server.terminate()
            server.wait(20)


def _environment(course: Path, work: Path) -> dict[str, str]:
    """Kernels of the course run without a GPU, so that they show the same everywhere."""
    dropped = ("GEMMLAB_WORK", "JUPYTER_CONFIG_DIR")
    own = {
        "JUPYTERLAB_SETTINGS_DIR": str(work / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(work / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(work / "config"),
        "JUPYTER_RUNTIME_DIR": str(work / "runtime"),
        "GEMMLAB_ROOT": str(course),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")])),
        "CUDA_VISIBLE_DEVICES": "-1",
    }
    return {name: value for name, value in os.environ.items() if name not in dropped} | own


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(url: str, server: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")


@contextmanager
def chromium() -> Iterator:
    """A headless Chromium: the machine's own, or Playwright's. Skips where there is none that starts.

    With GEMMLAB_NEEDS_CHROMIUM set, as on a machine that has just installed one, a missing one is a failure.
    """
    missing = pytest.fail if os.environ.get("GEMMLAB_NEEDS_CHROMIUM") else pytest.skip
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        missing(f"{NO_CHROMIUM} (Playwright is not installed)")
    with sync_playwright() as playwright:
        own = [path for path in map(shutil.which, _NAMES) if path]
        for path in [*own, None]:
            try:
                browser = playwright.chromium.launch(executable_path=path)
            except Error:
                continue
            try:
                yield browser
            finally:
                browser.close()
            return
    missing(NO_CHROMIUM)


class NotebookPage:
    """An open notebook. Cells are found by what their source holds."""

    def __init__(self, page, address: str, path: Path) -> None:
        self.page, self._name = page, path.name
        self._code_cells = sum(cell["cell_type"] == "code" for cell in json.loads(path.read_text())["cells"])
        page.set_default_timeout(1000 * _CELL_SECONDS)
        page.goto(f"{address}/lab/tree/lessons/{path.name}?token={_TOKEN}&reset")
        self._wait_until_open()

    def reload(self) -> None:
        """Load the page again. The kernel stays."""
        self.page.reload()
        self._wait_until_open()

    def _wait_until_open(self) -> None:
        self._last.wait_for(state="attached")
        idle = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
        self.page.wait_for_selector(idle, state="attached")

    @property
    def _last(self):
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(self._code_cells - 1)

    def cell(self, source: str):
        """The first code cell whose source holds this."""
        return (
            self.page.locator(".jp-CodeCell")
            .filter(has=self.page.locator(".jp-InputArea-editor", has_text=source))
            .first
        )

    def text(self, source: str) -> str:
        """What the cell shows, with plain spaces."""
        return self.cell(source).inner_text().replace("\N{NO-BREAK SPACE}", " ")

    def wait_for(self, source: str, text: str) -> None:
        """Wait until the cell shows this text."""
        deadline = time.monotonic() + _CELL_SECONDS
        while text not in self.text(source):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{text!r} did not come; the cell shows:\n{self.text(source)}")
            self.page.wait_for_timeout(100)

    def press(self, source: str, button: str) -> None:
        """Press a button in the cell's output."""
        self.cell(source).get_by_role("button", name=button).click()

    def wait_until_hidden(self, source: str, button: str) -> None:
        """Wait until a button of the cell is not to be seen."""
        self.cell(source).get_by_role("button", name=button).wait_for(state="hidden")

    def move_slider(self, source: str, name: str, key: str) -> None:
        """Give the slider with this name the focus, and press a key."""
        box = self.cell(source).locator(".widget-slider").filter(has=self.page.get_by_text(name, exact=True))
        box.get_by_role("slider").focus()
        self.page.keyboard.press(key)

    def run_all(self) -> None:
        """Run all cells and wait for the last one."""
        before = self._prompt(self._last)
        for _ in range(3):  # a click on a page that still loads may be lost
            self.page.get_by_role("menuitem", name="Run", exact=True).click()
            self.page.get_by_text("Run All Cells", exact=True).click()
            if self._has_begun(before):
                break
        self._wait_for_run(self._last, before)

    def _has_begun(self, before: str) -> bool:
        """Whether the last cell waits for its turn, or has run, within some seconds."""
        deadline = time.monotonic() + _BEGIN_SECONDS
        while time.monotonic() < deadline:
            if self._prompt(self._last) != before:
                return True
            self.page.wait_for_timeout(100)
        return False

    def restart(self) -> None:
        """Restart the kernel, and wait until it is there again."""
        self.page.get_by_role("menuitem", name="Kernel", exact=True).click()
        self.page.get_by_text("Restart Kernel…", exact=True).click()
        self.page.get_by_role("dialog").get_by_role("button", name="Confirm Kernel Restart").click()
        self.page.wait_for_timeout(1000)
        self.page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="idle"]', state="attached")

    def run(self, source: str) -> None:
        """Run one cell and wait until it is done."""
        cell = self.cell(source)
        cell.locator(".jp-InputPrompt").evaluate("prompt => prompt.textContent = ''")  # a restarted kernel counts anew
        before = self._prompt(cell)
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        self._wait_for_run(cell, before)

    def _prompt(self, cell) -> str:
        return cell.locator(".jp-InputPrompt").inner_text()

    def _wait_for_run(self, cell, before: str) -> None:
        """Wait until the cell's number is a new one."""
        deadline = time.monotonic() + _CELL_SECONDS
        while time.monotonic() < deadline:
            now = self._prompt(cell)
            if now != before and any(map(str.isdigit, now)):
                return
            self.page.wait_for_timeout(100)
        raise TimeoutError(f"the cell did not end; {self._stands()}")

    def _stands(self) -> str:
        """Where the notebook stands: the numbers beside its cells, the kernel's state, and a fault if one is shown."""
        state = self.page.locator(".jp-Notebook-ExecutionIndicator").first.get_attribute("data-status")
        prompts = self.page.locator(".jp-Notebook .jp-CodeCell .jp-InputPrompt").all_inner_texts()
        faults = self.page.locator('.jp-OutputArea-output[data-mime-type*="stderr"]').all_inner_texts()
        return f"the kernel is {state}, the cells {' '.join(prompts)}, faults: {faults}"

    def replace_line(self, source: str, old: str, new: str, which: int = 0) -> None:
        """Type another line in place of the one in that cell that holds `old`; its indentation stays."""
        line = self.cell(source).locator(".cm-line", has_text=old).nth(which)
        line.click()
        self.page.keyboard.press("End")
        self.page.keyboard.press("Shift+Home")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(new)

    def picture(self, path: Path, source: str | None = None) -> None:
        """A screenshot of the cell, or of the window."""
        path.parent.mkdir(parents=True, exist_ok=True)
        target = self.cell(source) if source else self.page
        if source:
            target.scroll_into_view_if_needed()
        target.screenshot(path=path)
