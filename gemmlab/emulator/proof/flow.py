"""What each register and variable of a kernel may depend on: joined over all that is ever put into it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gemmlab.emulator.proof.control import Ways
from gemmlab.emulator.proof.effects import Effect
from gemmlab.emulator.proof.values import CLEAN, Place, Source, Value
from gemmlab.emulator.ptx.parser import Module

# Special registers that are the same in every run of a launch; the others are clocks, counters and places on the GPU.
_FIXED = ("%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%lanemask", "%dynamic_smem", "%total_smem", "%carry")


@dataclass
class Flow:
    """The least solution. `registers` by name, `contents` by place; `decided` are instructions that a branch on such a
    value decides on, though nothing but registers is touched there."""

    module: Module
    effects: Sequence[Effect]
    registers: dict[str, Value]
    contents: dict[Place, Value] = field(default_factory=dict)
    decided: dict[tuple[str, int], Value] = field(default_factory=dict)
    _ways: dict[str, Ways] = field(default_factory=dict)
    _known: set[Place] = field(default_factory=set)

    def __post_init__(self) -> None:
        """All that a pointer can have come from."""
        self._known = {place for effect in self.effects for place in (*effect.base, *effect.names)} | {("global", "")}
        self._known |= {place for value in self.registers.values() for place in value.places}

    def solve(self) -> Flow:
        """Join until nothing changes."""
        while any([self._step(effect) for effect in self.effects]) or self._branches():
            pass
        return self

    def value(self, names: Iterable[str]) -> Value:
        """What any of these registers depends on."""
        found = CLEAN
        for name in names:
            known = self.registers.get(name)
            if known is None:
                is_special = ":" not in name and not name.startswith(_FIXED)
                known = self.registers[name] = Value(order=Source(0, name)) if is_special else CLEAN
            if known is not CLEAN:
                found = found.join(known)
        return found

    def places(self, effect: Effect) -> frozenset[Place]:
        """Where the memory operand may lie."""
        return effect.base | self.value(effect.address).places

    def is_private(self, effect: Effect) -> bool:
        """Whether it is a load or store of memory that no other thread writes."""
        places = self.places(effect)
        spaces = {space for space, _ in places} or {effect.space or "anywhere"}
        return effect.kind in ("load", "store") and spaces <= {"local", "const"}

    def _step(self, effect: Effect) -> bool:
        value = self.value(effect.uses)
        if effect.names:
            value = value.join(Value(places=effect.names))
        decided = self.decided.get((effect.function, effect.number))
        if decided is not None:
            value = value.join(decided)
        if effect.reads:
            value = self._loaded(effect, value.without_places())
        changed = False
        if effect.writes:
            changed = self._stored(effect, value)
        for name in effect.defs:
            changed |= self._set(self.registers, name, value)
        return changed

    def _loaded(self, effect: Effect, value: Value) -> Value:
        value = value.join(self.value(effect.address).without_places())
        for place in self.places(effect) or self._anywhere(effect):
            value = value.join(self.contents.get(place, CLEAN))
            if place[0] == "global":
                value = value.join(Value(data=Source(effect.line, place[1])))
        return value

    def _stored(self, effect: Effect, value: Value) -> bool:
        value = value.join(self.value(effect.address).without_places())
        if effect.kind == "copy":
            value = value.join(Value(data=Source(effect.line, name_of(self.value(effect.source).places))))
        places = self.places(effect) or self._anywhere(effect)
        return any([self._set(self.contents, place, value) for place in places])

    def _anywhere(self, effect: Effect) -> frozenset[Place]:
        """Every place of the space, where an address tells nothing of where it points."""
        return frozenset(place for place in self._known if effect.space in (None, place[0]))

    @staticmethod
    def _set(table: dict, key, value: Value) -> bool:
        old = table.get(key, CLEAN)
        new = old.join(value)
        table[key] = new
        return new != old

    # ---- branches

    def _branches(self) -> bool:
        """Whether more registers depend on what a branch depends on."""
        changed = False
        for effect in self.effects:
            if effect.kind != "branch":
                continue
            value = self.value(effect.uses).without_places()
            if value == CLEAN:
                continue
            numbers, _ = self.decided_by(effect)
            for number in numbers:
                changed |= self._set(self.decided, (effect.function, number), value)
        return changed

    def decided_by(self, branch: Effect) -> tuple[set[int], bool]:
        """The instructions that a branch decides on, and whether its ways meet again."""
        if branch.function not in self._ways:
            self._ways[branch.function] = Ways(self.module.functions[branch.function])
        return self._ways[branch.function].decided_by(branch.number)


def name_of(places: Iterable[Place]) -> str:
    """One name for where an address may point; "" where nobody knows."""
    return min((name for _, name in places), default="")
