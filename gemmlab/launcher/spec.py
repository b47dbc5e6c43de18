"""How a lesson says that the file brings its own launcher, on one device or on several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from gemmlab.kernel.arguments import ArgumentList
from gemmlab.kernel.elements import FLOAT32, Element
from gemmlab.kernel.layout import COURSE, Devices, Layout
from gemmlab.kernel.plan import Launches, OnDevices
from gemmlab.launcher.launcher import Launcher


@dataclass(frozen=True)
class LauncherSpec:
    """The launch of a lesson whose file has several kernels and a host function that launches them: its `name`,
    and what A and B hold. On several `devices`, `args` say what it gets."""

    name: str
    element: Element = FLOAT32
    devices: Devices | None = None
    args: str = ""

    @property
    def layout(self) -> Layout:
        """What M, N and K mean, and what A and B hold."""
        return replace(COURSE, element=self.element)

    def of(self, source: str) -> Launches:
        """What the launcher of this source launches. LauncherError where it is not there, or is another kind of
        function."""
        return _launcher(source, self)


@lru_cache(maxsize=16)
def _launcher(source: str, spec: LauncherSpec) -> Launches:
    given = ArgumentList.parse(spec.args, devices=spec.devices) if spec.devices else None
    return launched(source, spec.name, COURSE, given, spec.element)


def launched(
    source: str,
    name: str,
    layout: Layout = COURSE,
    given: ArgumentList | None = None,
    element: Element | None = None,
) -> Launches:
    """What a source's own launcher launches, on each device where it is `given` its arguments for several. Raises as
    Launcher does."""
    if given is None or given.devices is None:
        return Launcher(source, name, layout, given, element)
    lists = [replace(given, rank=rank) for rank in range(given.devices.world)]
    return OnDevices(tuple(Launcher(source, name, layout, one, element) for one in lists), given.devices)
