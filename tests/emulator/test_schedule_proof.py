"""What one run proves of all schedules: the shadow against every pair of accesses, and what must not be claimed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from ptx_lab import kernel, kinds, launch

WARPS, LANES = 4, 3  # of each warp the first few lanes are enough
SHARED = ".shared .align 4 .b8 S[64];"


@dataclass(frozen=True)
class Step:
    """What some lanes of one warp do to a word, a sync of a whole warp, or a barrier of these warps."""

    what: str  # read, write, sync, barrier
    warps: tuple[int, ...]
    lanes: tuple[int, ...] = ()
    word: int = 0


def random_program(rng: random.Random, named: bool) -> list[Step]:
    """A few dozen steps, few enough barriers that about half of the programs race."""
    groups = [(0, 1, 2, 3), *([(0, 1, 2), (2, 3), (0, 3)] if named else [])]
    program = []
    for _ in range(rng.randint(4, 24)):
        what = rng.choices(("read", "write", "sync", "barrier"), (8, 2, 3, 3))[0]
        warps = rng.choice(groups) if what == "barrier" else (rng.randrange(WARPS),)
        lanes = tuple(sorted(rng.sample(range(LANES), rng.choice((1, 1, 1, 2))))) if what == "read" else ()
        program.append(Step(what, warps, lanes or (rng.randrange(LANES),), rng.randrange(2)))
    return program


def as_ptx(program: list[Step], space: str) -> str:
    """The program as a kernel. Thread (warp, lane) has number 32·warp + lane; each step is guarded by it."""
    lines = ["shr.u32 %r1, %r51, 5; and.b32 %r2, %r51, 31; mov.f32 %f1, 0f3F800000; mov.u64 %rd1, S;"]
    address = "%rd1" if space == "shared" else "%rd52"
    for number, step in enumerate(program):
        lines.append("setp.ne.s32 %p1, %r1, %r1;")
        lines += [f"setp.eq.or.s32 %p1, %r1, {warp}, %p1;" for warp in step.warps]
        if step.what in ("read", "write"):
            lines.append("setp.ne.s32 %p2, %r2, %r2;")
            lines += [f"setp.eq.or.s32 %p2, %r2, {lane}, %p2;" for lane in step.lanes]
            lines.append("and.pred %p1, %p1, %p2;")
        at = f"[{address}+{4 * step.word}]"
        lines.append(f"@!%p1 bra SKIP{number};")
        lines.append({
            "read": f"ld.{space}.f32 %f2, {at};",
            "write": f"st.{space}.f32 {at}, %f1;",
            "sync": "bar.warp.sync -1;",
            "barrier": "bar.sync 0;" if len(step.warps) == WARPS else _named(step.warps),
        }[step.what])
        lines.append(f"SKIP{number}:")
    return kernel("\n".join(lines), SHARED)


def _named(warps: tuple[int, ...]) -> str:
    return f"bar.sync {sum(1 << warp for warp in warps)}, {32 * len(warps)};"


def races(program: list[Step]) -> bool:
    """Whether two accesses of one word, one of them a write, are unordered: by vector clocks, over every pair."""
    threads = list(itertools.product(range(WARPS), range(LANES)))
    clock = {thread: {other: int(other == thread) for other in threads} for thread in threads}
    accesses = []
    for step in program:
        members = [thread for thread in threads if thread[0] in step.warps]
        if step.what in ("sync", "barrier"):
            joined = {other: max(clock[member][other] for member in members) for other in threads}
            for member in members:
                clock[member] = dict(joined)
                clock[member][member] += 1
            continue
        for member in members:
            if member[1] in step.lanes:
                accesses.append((member, step.word, step.what == "write", clock[member][member], dict(clock[member])))
    return any(
        first[1] == second[1]
        and first[0] != second[0]
        and (first[2] or second[2])
        and second[4][first[0]] < first[3]
        for first, second in itertools.combinations(accesses, 2)
    )


def programs(named: bool, count: int = 250) -> Iterator[list[Step]]:
    rng = random.Random(15 + named)
    return (random_program(rng, named) for _ in range(count))


@pytest.mark.parametrize("schedule", ["forward", "reversed"])
@pytest.mark.parametrize("space", ["shared", "global"])
@pytest.mark.parametrize("named", [False, True])
def test_one_run_finds_a_race_if_and_only_if_two_accesses_are_unordered(space: str, schedule: str, named: bool):
    seen = set()
    for program in programs(named):
        A = np.zeros(2 * 32 * WARPS, np.float32)
        run = launch(as_ptx(program, space), A, A.copy(), A.copy(), threads=32 * WARPS, schedule=schedule)
        found = any(kind.startswith("RACE") for kind in kinds(run))
        due = races(program)
        seen.add(due)
        assert found == due, "\n".join(map(str, program))
    assert seen == {False, True}
