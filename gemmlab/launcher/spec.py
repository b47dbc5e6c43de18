"""How a lesson says that the file brings its own launcher."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from gemmlab.kernel.elements import FLOAT32, Element
from gemmlab.kernel.layout import COURSE, Layout
from gemmlab.launcher.launcher import Launcher


@dataclass(frozen=True)
class LauncherSpec:
    """The launch of a lesson whose file has several kernels and a host function that launches them: its `name`,
    and what A and B hold."""

    name: str
    element: Element = FLOAT32

    @property
    def layout(self) -> Layout:
        """What M, N and K mean, and what A and B hold."""
        return replace(COURSE, element=self.element)

    def of(self, source: str) -> Launcher:
        """The launcher of this source. LauncherError where it is not there, or is another kind of function."""
        return _launcher(source, self.name, self.element)


@lru_cache(maxsize=16)
def _launcher(source: str, name: str, element: Element) -> Launcher:
    return Launcher(source, name, element=element)
