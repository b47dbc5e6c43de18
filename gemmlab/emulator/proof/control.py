"""Which instructions a branch decides on: those on the ways from it to where they all meet again."""

from __future__ import annotations

from collections.abc import Sequence

from gemmlab.emulator.ptx.parser import Function, Instruction


class Ways:
    """The ways through a function, instruction by instruction; its end has the number of its instructions."""

    def __init__(self, function: Function) -> None:
        self.end = len(function.instructions)
        self.after = [_successors(function, n, one) for n, one in enumerate(function.instructions)] + [()]
        self._meets = _immediate_postdominators(self.after)

    def decided_by(self, branch: int) -> tuple[set[int], bool]:
        """The instructions between a branch and where its ways meet, and whether they meet before the end."""
        meeting = self._meets[branch]
        todo, found = list(self.after[branch]), set()
        while todo:
            number = todo.pop()
            if number != meeting and number not in found:
                found.add(number)
                todo += self.after[number]
        return found, meeting is not None and meeting != self.end


def _successors(function: Function, number: int, instruction: Instruction) -> tuple[int, ...]:
    first, end = instruction.opcode.split(".")[0], len(function.instructions)
    here = [number + 1] if instruction.guard else []
    if first in ("ret", "exit", "trap", "brkpt"):
        return (*here, end)
    if first == "bra":
        return (*here, function.labels.get(instruction.operands[0], end))
    if first == "brx":
        return (*here, *(function.labels.get(label, end) for label in function.branch_targets[instruction.operands[1]]))
    return (number + 1,)


def _immediate_postdominators(after: Sequence[Sequence[int]]) -> list[int | None]:
    """Of each node the first one that every way from it to the last node goes through; None where there is no such way.

    Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm, on the graph turned around.
    """
    end = len(after) - 1
    order = _reverse_order(after, end)
    place = {node: n for n, node in enumerate(order)}
    found: list[int | None] = [None] * len(after)
    found[end] = end
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            meeting = None
            for successor in after[node]:
                if found[successor] is not None:
                    meeting = successor if meeting is None else _common(found, place, meeting, successor)
            if found[node] != meeting:
                found[node], changed = meeting, True
    return found


def _common(found: list[int | None], place: dict[int, int], a: int, b: int) -> int:
    while a != b:
        while place[a] > place[b]:
            a = found[a]  # type: ignore[assignment]
        while place[b] > place[a]:
            b = found[b]  # type: ignore[assignment]
    return a


def _reverse_order(after: Sequence[Sequence[int]], end: int) -> list[int]:
    """The nodes from which the end is reached, it first, in reverse postorder of the graph turned around."""
    before: list[list[int]] = [[] for _ in after]
    for node, successors in enumerate(after):
        for successor in successors:
            before[successor].append(node)
    done: list[int] = []
    seen, stack = {end}, [(end, iter(before[end]))]
    while stack:
        node, rest = stack[-1]
        following = next((one for one in rest if one not in seen), None)
        if following is None:
            done.append(node)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(before[following])))
    return done[::-1]
