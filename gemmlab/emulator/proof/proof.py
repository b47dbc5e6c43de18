"""Whether a run of a kernel without a race decides all orders of its warps and blocks, and all data.

The claim. Take one run of a launch, with all checks on, that reported no race, no barrier that threads miss, and no
access outside an array. If `proof_of` finds nothing in the way of `schedules`, no order of warps and blocks of that
launch has a race, and each leaves the same C; if it finds nothing in the way of `data` either, so it is with any
contents of the arrays. Sizes, grid, block, other parameters, and where the arrays begin are those of the run.

Why. What orders two accesses here is the order of instructions in a thread, barriers of all warps or of some, and syncs
of whole warps. Nothing else is let through: atomics, volatile and released stores, barrier objects, arrivals without a
wait and masks of some lanes stand in the way of the proof by their mere presence. Which barriers order which accesses
is known once each thread's addresses, branches and barriers are known, whatever runs first. For a barrier of some
warps that is so where only as many warps use its number as it waits for, between two barriers of the block: none of
them comes twice before all have come. The run reports where others use it too (machine/sync/barriers.py), and then
nothing is claimed.

1. Assume another run in which some thread does something else than in ours: another branch, address or barrier. Take
   the first such step. By the data flow it depends on no clock and no place on the GPU, and, for `data`, on nothing
   that was read from an array in global memory: only on sizes, indices, and what variables in shared or local memory
   gave that are free of such things. For `schedules` alone the arrays' contents are the same in both runs, so that what
   was read may count as well.
2. So some load gave another value, though up to there all was as in our run. The store that it reads from is another
   one. But in our run no store of that word is unordered with the load: those before it are done, those after it are
   not begun, in every order, and the last of those before is the same. The step cannot be the first. So every
   run takes the same steps.
3. Then the pairs of accesses that are ordered are the same in every run, and our run has seen a race if there is one.
   The shadow keeps, for each word, the last write and two readers (machine/shadow.py). Take the first two accesses of
   a word, in the order of our run, that race. If the earlier one is a write, it is ordered before each later write
   until then; were the last one ordered before the access, so would it be: the last write suffices. If it is a read:
   of two readers of two warps, or blocks, one is unordered with any write in their interval, so two of different ones
   suffice; where all readers since the last sync are lanes of the writer's warp, two different lanes suffice. With
   barriers of some warps they do not suffice: then the shadow keeps two of each warp. What a warp has passed, all its
   lanes have passed: so the last reader of another warp is unordered with the write if any of that warp is, and of the
   writer's own warp the last one, or the last one of another lane. In global memory that would be too much to keep, so
   that a kernel with such barriers that reads what it writes there is let alone.
   tests/emulator/test_schedule_proof.py tries this against every pair, on random programs.
   A word that an asynchronous copy will fill is under way from the copy to the copying thread's wait, and meanwhile
   ordered with nothing; from then on it counts as that thread's write.

A branch may depend on anything where it decides only about registers and local memory: what these hold counts as
dependent then. Addresses in local and constant memory may depend on anything as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from gemmlab.emulator.proof import sentences as say
from gemmlab.emulator.proof.effects import Effect, Reader
from gemmlab.emulator.proof.flow import Flow
from gemmlab.emulator.proof.values import CLEAN, Source, Value
from gemmlab.emulator.ptx.parser import Module, PtxError, parse
from gemmlab.kernel.launch import Address, Argument, Factor
from gemmlab.kernel.program import Program
from gemmlab.kernel.verdict import Because

_TOUCHES = ("load", "store", "copy")
_ALONE = ("compute", "branch", "nothing")
_TOGETHER = {"barrier": "barrier", "warp": "barrier", "matrices": "barrier", "call": "call", "group": "group"}


@dataclass(frozen=True)
class Proof:
    """What stands in the way of all schedules, and of all data (None: nothing); `numbers` are those parameters that
    decide what a thread does."""

    schedules: Because | None
    data: Because | None
    numbers: tuple[str, ...] = ()


def proof_of(program: Program, kernel: str, arguments: tuple[Argument, ...]) -> Proof:
    """What can be proved of a kernel, launched with these arguments."""
    given = tuple(
        Value(places=frozenset({("global", one.array)}))
        if isinstance(one, Address)
        else Value(numbers=frozenset({one.name}))
        if isinstance(one, Factor)
        else CLEAN
        for one in arguments
    )
    return _proof(program.ptx, program.symbol(kernel), given)


@lru_cache(maxsize=32)
def _proof(ptx: str, symbol: str, given: tuple[Value, ...]) -> Proof:
    try:
        module = parse(ptx)
        entry = module.functions[symbol]
        effects = Reader(module).effects(symbol)
    except (PtxError, KeyError, StopIteration) as reason:
        unread = Because(None, "", say.UNREADABLE(reason=reason))
        return Proof(unread, unread)
    named = zip(entry.parameters, given)
    registers = {f"{symbol}:{parameter.name}": value for parameter, value in named}
    return _judged(Flow(module, effects, registers).solve(), module)


def _judged(flow: Flow, module: Module) -> Proof:
    """The first obstacle of each kind, by lines; those that hold whatever the values are come first."""
    obstacles = [(effect, effect.obstacle) for effect in flow.effects if effect.obstacle]
    obstacles += [(effect, "copied") for effect in _copies_of_written(flow)]
    if _reads_what_it_writes(flow):
        obstacles += [(effect, "partial") for effect in flow.effects if effect.is_partial]
    never = [_never(effect, obstacle) for effect, obstacle in obstacles]
    found = sorted(_decisions(flow), key=lambda one: (one[0].line, list(say.DECIDES).index(one[1])))
    orders = [_because(one, what, value.order) for one, what, value in found if value.order]
    data = [_because(one, what, value.data) for one, what, value in found if value.data and what != "stored"]
    numbers = {name for _, what, value in found if what != "stored" for name in value.numbers}
    schedules = next(iter([*sorted(never, key=lambda one: one.line or 0), *orders]), None)
    return Proof(schedules, next(iter(data), None), tuple(sorted(numbers)))


def _never(effect: Effect, obstacle: str) -> Because:
    opcode = effect.instruction.opcode
    fields: dict[str, object] = {"instruction": opcode} if obstacle == "unknown" else {}
    return Because(effect.line, opcode, say.NEVER[obstacle](line=effect.line, **fields))


def _because(effect: Effect, what: str, source: Source) -> Because:
    value = _words(source)
    return Because(effect.line, value, say.DECIDES[what](line=effect.line, value=value))


def _words(source: Source) -> str:
    if source.name.startswith("%"):
        return say.SPECIAL.get(source.name, source.name)
    if source.name:
        return say.READ_FROM(array=source.name, read=source.line)
    return say.READ_FROM_MEMORY(read=source.line)


# ---- where a value decides what a thread does


def _decisions(flow: Flow) -> Iterator[tuple[Effect, str, Value]]:
    """(instruction, what is decided there, what it depends on)"""
    by_place: dict[tuple[str, int], Effect] = {}
    for effect in flow.effects:
        by_place.setdefault((effect.function, effect.number), effect)  # a call, and not how its arguments are passed
    for effect in flow.effects:
        guard = flow.value([effect.guard]) if effect.guard else CLEAN
        if effect.kind in _TOUCHES and not flow.is_private(effect):
            yield effect, "address", flow.value((*effect.address, *effect.source))
            yield effect, "guard", guard
        if effect.kind in _TOGETHER:
            yield effect, _TOGETHER[effect.kind], guard.join(flow.value(effect.decides))
        if effect.kind == "end":
            yield effect, "branch", guard
        if effect.kind == "branch" and not _only_registers(flow, effect, by_place):
            yield effect, "branch", flow.value(effect.uses)
        if effect.writes and any(place[0] == "global" for place in flow.places(effect) or [("global", "")]):
            yield effect, "stored", flow.value(effect.uses)


def _only_registers(flow: Flow, branch: Effect, by_place: dict[tuple[str, int], Effect]) -> bool:
    """Or memory that no other thread can touch."""
    numbers, meets = flow.decided_by(branch)
    decided = [by_place[branch.function, number] for number in numbers]
    return meets and all(one.kind in _ALONE or flow.is_private(one) for one in decided)


def _global_places(flow: Flow, kind: str) -> set[str] | None:
    """The arrays that such instructions touch; None where that is not known."""
    found: set[str] = set()
    for effect in flow.effects:
        if effect.kind == kind and effect.space in (None, "global"):
            places = flow.places(effect)
            if not places:
                return None
            found |= {name for space, name in places if space == "global"}
    return found


def _reads_what_it_writes(flow: Flow) -> bool:
    """Whether an array in global memory may be read and written by one launch."""
    loaded, stored = _global_places(flow, "load"), _global_places(flow, "store")
    return loaded is None or stored is None or bool(loaded & stored)


def _copies_of_written(flow: Flow) -> Iterator[Effect]:
    """Asynchronous copies from arrays that may be stored to: the shadow does not keep what they read."""
    copies = [effect for effect in flow.effects if effect.kind == "copy"]
    if not copies:
        return
    stores = [flow.places(effect) for effect in flow.effects if effect.kind == "store"]
    written = frozenset().union(*stores)
    for copy in copies:
        sources = flow.value(copy.source).places
        if not sources or not all(stores) or sources & written:
            yield copy
