"""Words for where something happened on one of several devices."""

from __future__ import annotations

from gemmlab.emulator.devices.world import Task, World
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.report import sentences as say
from gemmlab.emulator.report.event import Event
from gemmlab.emulator.report.places import Places, plain_name
from gemmlab.kernel.arguments import FLAGS, TABLES

_MATRICES = ("A", "B", "C")


class DevicePlaces(Places):
    """The places of one launch of one device. Blocks are those of the launch, counted from 0."""

    def __init__(self, world: World, task: Task, shape: tuple[int, int, int], source: str) -> None:
        super().__init__(task.view.code, task.launch, shape, source)
        self.world, self.task = world, task

    def local_block(self, block: int) -> int:
        """Of a block's number in the world, its number in the launch."""
        return block - self.task.first_block

    def who(self, block: int, thread: int) -> str:
        """'device 1, block (0,1), thread (3,0)', of a block's number in the world."""
        place = self.block(self.local_block(block))
        return say.ON_DEVICE(device=self.task.rank, block=place, thread=self.thread(thread))

    # ---- arrays

    def array(self, region: int) -> str | None:
        if 0 <= region < o.FIRST_SHARED:
            return plain_name(self._key(region)[1])
        return super().array(region)

    def owner(self, region: int) -> int:
        """The device in whose memory an array is."""
        return self._key(region)[0] if 0 <= region < o.FIRST_SHARED else self.task.rank

    def _key(self, region: int) -> tuple[int, str]:
        return self.task.view.keys[region]

    def is_part(self, region: int) -> bool:
        """Whether it is a matrix of one of several devices."""
        return 0 <= region < o.FIRST_SHARED and self._key(region)[1] in _MATRICES

    def element(self, event: Event) -> str | None:
        """'C[3][17]', of another device's array with the device."""
        if not 0 <= event.region < o.FIRST_SHARED:
            return super().element(event)
        element = self._element(event.region, event.offset) or super().element(event)
        if element is None or self.owner(event.region) == self.task.rank:
            return element
        return say.OF_DEVICE(element=element, device=self.owner(event.region))

    def element_with_device(self, region: int, offset: int) -> str:
        """'C[3][17] of device 0', whosever it is."""
        element = self._element(region, offset)
        if element is None:
            element = say.BYTE_OF_ARRAY(offset=offset, array=self.array(region))
        return say.OF_DEVICE(element=element, device=self.owner(region))

    def _element(self, region: int, offset: int) -> str | None:
        owner, name = self._key(region)
        if name in _MATRICES:
            row, column = divmod(offset // self.element_bytes(region), max(self._extents(owner, name)[1], 1))
            return f"{name}[{row}][{column}]"
        if name in TABLES:
            return f"{name}[{offset // 8}]"
        return f"{name}[{offset // 4}]" if name == FLAGS else None

    def element_bytes(self, region: int) -> int:
        name = self._key(region)[1] if 0 <= region < o.FIRST_SHARED else ""
        return self.launch.layout.element_bytes(name) if name in _MATRICES else 4

    def extents(self, name: str) -> tuple[int, int]:
        return self._extents(self.task.rank, name)

    def _extents(self, owner: int, name: str) -> tuple[int, int]:
        rows, columns = self.world.ranks[owner][name].shape
        return rows, columns

    def bounds(self, region: int) -> str:
        owner, name = self._key(region) if 0 <= region < o.FIRST_SHARED else (self.task.rank, "")
        if name in TABLES:
            count = len(self.world.ranks)
            return say.TABLE_BOUNDS(array=name, count=count, last=count - 1)
        if not self.is_part(region):
            return super().bounds(region)
        rows, columns = self._extents(owner, name)
        return say.PART_BOUNDS(array=name, device=owner, rows=rows, columns=columns, last=rows * columns - 1)
