"""The kinds of finding: all that the course knows of each, the gravest first. A new kind is a new entry here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

SEVERITIES = ("error", "warning")


@dataclass(frozen=True)
class FindingKind:
    """One kind of finding. Every field has to be given.

    `severity`: that of a finding that does not give its own.
    `words`: what it is called inside a sentence.
    `order`: where it stands in a report, lowest first: what makes other faults comes before what it makes. No two kinds
    have the same; they go by tens, so that a new one finds room.
    `title`, `title_as_warning`: what stands over a finding, by its severity.
    `meaning`: what it means, for a student who may not see the case; a comma and the line, or a stop, follow.
    `veto`: why it fails a lesson whatever the marks are; empty where it costs marks and no more. `vetoed_if`: words
    that the lesson's own list of vetoes must hold for that; empty where it always does.
    `seen_by_gpu`: a GPU can show it. What it cannot, the emulator alone finds.
    `hidden_by_optimiser`: optimised code may be without the fault, so that the source is looked at without it too.
    `diagnosed`: a fault that students may be asked to name.
    """

    name: str
    severity: str
    words: str
    order: int
    title: str
    title_as_warning: str
    meaning: str
    veto: str
    vetoed_if: str
    seen_by_gpu: bool
    hidden_by_optimiser: bool
    diagnosed: bool

    def vetoes(self, named: Iterable[str]) -> bool:
        """Whether it fails a lesson whose own vetoes are `named`."""
        return bool(self.veto) and (not self.vetoed_if or any(self.vetoed_if in words for words in named))


def read_kinds(table: Mapping[str, Mapping[str, object]]) -> dict[str, FindingKind]:
    """The kinds by name. ValueError names the field that an entry has forgotten, or has too many."""
    wanted = [field.name for field in fields(FindingKind) if field.name != "name"]
    for name, entry in table.items():
        if missing := [field for field in wanted if field not in entry]:
            raise ValueError(f"the finding kind '{name}' does not say its {', '.join(missing)}")
        if unknown := [field for field in entry if field not in wanted]:
            raise ValueError(f"the finding kind '{name}' says {', '.join(unknown)}, which no kind has")
        if entry["severity"] not in SEVERITIES:
            raise ValueError(f"the severity of the finding kind '{name}' is neither {' nor '.join(SEVERITIES)}")
        if twin := next((one for one in table if one != name and table[one].get("order") == entry["order"]), None):
            raise ValueError(f"the finding kinds '{twin}' and '{name}' have the same order")
    return {name: FindingKind(name, **entry) for name, entry in table.items()}  # type: ignore[arg-type]


KINDS = read_kinds(
    {
        "race": {
            "severity": "error",
            "words": "a race",
            "order": 60,
            "title": "error: race",
            "title_as_warning": "warning: race",
            "meaning": "Two threads touch the same element, one of them writing, and no barrier orders them",
            "veto": "a race between threads",
            "vetoed_if": "",
            "seen_by_gpu": False,
            "hidden_by_optimiser": True,
            "diagnosed": True,
        },
        "barrier_divergence": {
            "severity": "error",
            "words": "barrier divergence",
            "order": 30,
            "title": "error: barrier divergence",
            "title_as_warning": "warning: barrier divergence",
            "meaning": "Not all threads of a block reach the same barrier",
            "veto": "",
            "vetoed_if": "",
            "seen_by_gpu": False,
            "hidden_by_optimiser": False,
            "diagnosed": True,
        },
        "out_of_bounds": {
            "severity": "error",
            "words": "an access out of bounds",
            "order": 50,
            "title": "error: out of bounds",
            "title_as_warning": "warning: out of bounds",
            "meaning": "It reads or writes outside of an array",
            "veto": "",
            "vetoed_if": "",
            "seen_by_gpu": True,
            "hidden_by_optimiser": True,
            "diagnosed": True,
        },
        "misaligned": {
            "severity": "error",
            "words": "a misaligned access",
            "order": 40,
            "title": "error: misaligned",
            "title_as_warning": "warning: misaligned",
            "meaning": "It reads or writes several elements at once at an address that does not allow it",
            "veto": "",
            "vetoed_if": "",
            "seen_by_gpu": True,
            "hidden_by_optimiser": True,
            "diagnosed": True,
        },
        "uninitialized": {
            "severity": "error",
            "words": "an uninitialized value",
            "order": 70,
            "title": "error: uninitialized",
            "title_as_warning": "warning: uninitialized",
            "meaning": "It uses a value that nothing was written to before",
            "veto": "",
            "vetoed_if": "",
            "seen_by_gpu": True,
            "hidden_by_optimiser": True,
            "diagnosed": True,
        },
        "launch_error": {
            "severity": "error",
            "words": "a launch error",
            "order": 20,
            "title": "error: launch error",
            "title_as_warning": "warning: launch error",
            "meaning": "A GPU would not run it to its end with this launch",
            "veto": "",
            "vetoed_if": "",
            "seen_by_gpu": True,
            "hidden_by_optimiser": False,
            "diagnosed": True,
        },
        "wrong_result": {
            "severity": "error",
            "words": "a wrong result",
            "order": 90,
            "title": "error: wrong result",
            "title_as_warning": "warning: wrong result",
            "meaning": "It does not compute A·B, or changes A or B",
            "veto": "",
            "vetoed_if": "",
            "seen_by_gpu": True,
            "hidden_by_optimiser": False,
            "diagnosed": True,
        },
        "counter": {
            "severity": "error",
            "words": "memory traffic",
            "order": 100,
            "title": "error: counter",
            "title_as_warning": "warning: counter",
            "meaning": "It moves more data than the lesson allows",
            "veto": "more memory traffic than the lesson allows",
            "vetoed_if": "memory traffic",
            "seen_by_gpu": False,
            "hidden_by_optimiser": False,
            "diagnosed": False,
        },
        "compile_error": {
            "severity": "error",
            "words": "a compile error",
            "order": 0,
            "title": "error: compile error",
            "title_as_warning": "warning of the compiler",
            "meaning": "It does not compile",
            "veto": "",
            "vetoed_if": "",
            "seen_by_gpu": True,
            "hidden_by_optimiser": False,
            "diagnosed": False,
        },
        "timeout": {
            "severity": "error",
            "words": "a timeout",
            "order": 80,
            "title": "error: timeout",
            "title_as_warning": "warning: timeout",
            "meaning": "It does not come to an end",
            "veto": "",
            "vetoed_if": "",
            "seen_by_gpu": True,
            "hidden_by_optimiser": False,
            "diagnosed": False,
        },
        "unsupported": {
            "severity": "error",
            "words": "an unsupported instruction",
            "order": 10,
            "title": "error: unsupported",
            "title_as_warning": "warning: unsupported",
            "meaning": "It uses an instruction that the emulator does not know; tell your instructor",
            "veto": "",
            "vetoed_if": "",
            "seen_by_gpu": False,
            "hidden_by_optimiser": False,
            "diagnosed": False,
        },
    }
)
GRAVITY = {name: rank for rank, name in enumerate(KINDS)}  # 0 is the gravest
