"""The work of several devices, from the plans of the ranks to what they leave behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gemmlab.emulator.chunk import Options
from gemmlab.emulator.code.code import Code
from gemmlab.emulator.devices import last_reader
from gemmlab.emulator.devices.linked import linked
from gemmlab.emulator.devices.memory import RankArrays, arrays_of, view_of
from gemmlab.emulator.devices.report import Reporter
from gemmlab.emulator.devices.turns import Step, WorldRun, run_world
from gemmlab.emulator.devices.world import Task, World
from gemmlab.emulator.machine.requests import COUNTER_ROW
from gemmlab.emulator.report.counters import counters_of
from gemmlab.emulator.report.print_format import printed_text
from gemmlab.kernel.counters import Counters, joined
from gemmlab.kernel.executor import Outcome, farthest
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.plan import Ranks, element_of

Shape = tuple[int, int, int]


class RanksRunner:
    """Runs the work of all ranks; `codes` are the kernels by the names that launches call them."""

    def __init__(self, codes: Mapping[str, Code], source: str, work: Ranks, shape: Shape, options: Options) -> None:
        self.source, self.work, self.shape, self.options = source, work, shape, options
        names = [*codes, last_reader.NAME]
        self._codes = dict(zip(names, linked([*codes.values(), last_reader.code()])))
        self.ranks: list[RankArrays] = []

    def run(self, A: np.ndarray, B: np.ndarray) -> Outcome:
        """Once, with flags and variables as the run before left them, if there was one."""
        number = 2 if self.ranks else 1
        self.ranks = arrays_of(self.work, A, B, self.ranks or None)
        steps = self._steps()
        tasks = [step for mine in steps for step in mine if isinstance(step, Task)]
        world = World(self.ranks, tasks)
        found = run_world(world, steps, self.options)
        findings = Reporter(self.shape, self.source, world, number).findings(found)
        written = [world.written(rank) for rank in range(len(self.ranks))]
        of_ranks = () if found.stopped else tuple(arrays.C for arrays in self.ranks)
        decoded = element_of(self.work).decoded
        return Outcome(
            C=farthest(of_ranks, decoded(A).astype(np.float64) @ decoded(B)) if of_ranks else None,
            findings=findings,
            written=np.logical_and.reduce(written),
            counters=_counters(found),
            seconds=found.seconds,
            printed=_printed(found),
            of_ranks=of_ranks,
        )

    def _steps(self) -> list[list[Step]]:
        """What each rank does, its launches numbered over all of them."""
        numbered: list[list[Step]] = []
        number = first_block = 0
        elements = self.shape[0] * self.shape[1]
        for rank, plan in enumerate(self.work.plans):
            mine: list[Step] = []
            for step in (*plan.steps, last_reader.launch(elements)):
                if not isinstance(step, Launch):
                    mine.append(step)
                    continue
                task = Task(number, rank, step, view_of(self._codes[step.kernel], rank, self.ranks), first_block)
                number, first_block = number + 1, first_block + task.blocks
                mine.append(task)
            numbered.append(mine)
        return numbered

    @property
    def kept(self) -> Sequence[str]:
        """What the next run finds as this one left it, and not as it was at first."""
        names = [name for arrays in self.ranks for name in arrays.kept]
        flags = any(arrays.buffers["flags"].any() for arrays in self.ranks)
        return list(dict.fromkeys([*(["flags"] if flags else []), *names]))


def _counters(run: WorldRun) -> Counters:
    """Over all devices; whoever reads C in the end is none of theirs."""
    return joined(
        counters_of(chunk.counters.reshape(-1, COUNTER_ROW), chunk.code)
        for chunk in run.chunks
        if chunk.task.launch.kernel != last_reader.NAME
    )


def _printed(run: WorldRun) -> str:
    return "".join(printed_text(chunk.print_records(), chunk["PRINT_LOST"], chunk.memory) for chunk in run.chunks)
