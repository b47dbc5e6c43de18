"""Long work in a notebook: how far it is, and a button that ends it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from gemmlab.pictures.output import Markdown

if TYPE_CHECKING:
    from ipywidgets import Widget


LOADING = "The emulator loads, which takes some seconds once a notebook."
_was_used = False


class Stopped(Exception):
    """The reader ended the work."""


class Work:
    """A bar for the steps done of about `total`, and a button that ends work which was begun in the background.

    What runs in a cell is ended with the notebook's own stop button, as any cell is.
    """

    def __init__(self, total: int) -> None:
        from ipywidgets import Button, HBox, IntProgress, Label, Layout

        self._stop = Event()
        self.bar = IntProgress(0, 0, max(1, total), layout=Layout(width="12em", display="none"))
        self.words = Label("", layout=Layout(display="none"))
        self.button = Button(description="Stop", icon="stop", layout=Layout(width="6em", display="none"))
        self.button.on_click(lambda _: self._stop.set())
        self.widget: Widget = HBox([self.bar, self.words, self.button])
        self._thread: Thread | None = None

    @property
    def is_busy(self) -> bool:
        """Whether work goes on in the background."""
        return self._thread is not None and self._thread.is_alive()

    def tick(self) -> None:
        """One step is done. Raises Stopped where the reader wants no more."""
        self.bar.value += 1
        self._say("")
        if self._stop.is_set():
            raise Stopped

    def run(self, job: Callable[[], None]) -> None:
        """Do it here."""
        global _was_used
        self.bar.value, self.bar.layout.display = 0, None
        self._say("" if _was_used else LOADING)
        try:
            job()
        finally:
            self.bar.layout.display = "none"
            self._say("")
            _was_used = True

    def _say(self, words: str) -> None:
        self.words.value, self.words.layout.display = words, None if words else "none"

    def run_in_background(self, job: Callable[[], None]) -> None:
        """Do it in a thread, so that the notebook hears the button meanwhile. Nothing where it is busy already."""
        if self.is_busy:
            return
        self._stop.clear()
        self.button.layout.display = None
        self._thread = Thread(target=self._background, args=(job,), daemon=True)
        self._thread.start()

    def _background(self, job: Callable[[], None]) -> None:
        try:
            self.run(job)
        finally:
            self.button.layout.display = "none"


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[], None]]:
    """A bar while a cell runs; what is given is to be called after each of about `total` steps."""
    from IPython.display import display
    from ipywidgets import HBox, IntProgress, Label

    bar = IntProgress(0, 0, max(1, total))
    box = HBox([bar, Label("The stop button of the notebook ends this.")])
    handle = display({**box._repr_mimebundle_(), "text/plain": ""}, raw=True, display_id=True)

    def tick() -> None:
        bar.value += 1

    try:
        yield tick
    finally:
        handle.update(Markdown(""))
