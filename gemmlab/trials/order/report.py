"""The outcome of a search for an order, in words and as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gemmlab.emulator.machine.opcodes import FULL
from gemmlab.emulator.order import AHEAD
from gemmlab.kernel.limits import WARP
from gemmlab.trials.order import sentences as say
from gemmlab.trials.order.story import Story, capital, told, where, who

if TYPE_CHECKING:
    from gemmlab.emulator.order import Decision
    from gemmlab.trials.order.search import Tried, Work


def report(work: Work, tried: Tried) -> tuple[dict[str, Any], Story | None]:
    """What `--json` has under "order", and the story, where an order was found.

    Keys: shape (M, N, K), inputs, found, proved (that no order changes C), tried (orders), right_in_step,
    right_in_turn (one warp after another up to a barrier), blocks (in which order they run), decisions, wrong and
    elements (of C), first (row, col, value, right), and words: a list of sentences.
    """
    story = told(work, tried) if tried.order else None
    common = {
        "shape": list(work.shape),
        "inputs": work.kind,
        "found": story is not None,
        "proved": tried.proved,
        "tried": tried.tried,
        "right_in_step": tried.in_step,
        "right_in_turn": tried.in_turn,
    }
    if story is None:
        M, N, K = work.shape
        sentence = say.PROVED(M=M, N=N, K=K) if tried.proved else say.NONE_OF(tried=tried.tried)
        return {**common, "decisions": [], "words": [sentence]}, None
    row, col, value, right = story.first
    blocks = [list(story.places.block_index(block)) for block in story.order.blocks]
    return {
        **common,
        "blocks": blocks,
        "decisions": decisions_of(story),
        "wrong": int(story.wrong.sum()),
        "elements": story.wrong.size,
        "first": {"row": row, "col": col, "value": value, "right": right},
        "words": [head(work.shape, story), *(step.words for step in story.steps)],
    }, story


def head(shape: Sequence[int], story: Story) -> str:
    """The first sentence: where it is, and how many decisions it takes."""
    M, N, K = shape
    where_ = story.places.block_index(story.order.blocks[0])
    block = ",".join(map(str, where_))
    return say.HEAD(M=M, N=N, K=K, block=f"({block})", count=len(decisions_of(story)))


def decisions_of(story: Story) -> list[dict[str, Any]]:
    """The decisions, each with its words; that one block comes before another is one."""
    order, places = story.order, story.places
    found = [_of_decision(story, decision) for decision in order.decisions]
    if len(order.blocks) > 1 and not order.decisions and story.right_in_step:
        first, second = order.blocks[:2]
        words = say.BLOCK_BEFORE(first=places.block(first), second=places.block(second))
        found.insert(0, {"does": "before", "block": list(places.block_index(first)), "words": capital(words)})
    return found


def _of_decision(story: Story, decision: Decision) -> dict[str, Any]:
    places = story.places
    sentence = say.GOES_AHEAD if decision.kind == AHEAD else say.WAITS
    words = sentence(who=who(places, decision, len(story.order.blocks) > 1), where=where(places, decision))
    lanes = [lane for lane in range(WARP) if (decision.lanes >> lane) & 1] if decision.lanes != FULL else []
    return {
        "does": decision.kind,
        "block": list(places.block_index(decision.block)),
        "warp": decision.warp,
        "threads": [list(places.thread_index(decision.warp * WARP + lane)) for lane in lanes] or None,
        "line": places.line(decision.pc) or None,
        "time": decision.time,
        "words": capital(words),
    }
