"""An order of warps in words. `who` is such as 'warp 1' or 'thread (3,0) of warp 0', `where` such as 'line 24';
`element` is As[1][0] or the like."""

from __future__ import annotations

from gemmlab.sentence import Sentence

# ---- who, where and how far

WARP = Sentence("warp {warp}")
WARP_OF_BLOCK = Sentence("warp {warp} of {block}")
THREAD_OF_WARP = Sentence("{thread} of warp {warp}")
LINE = Sentence("line {line}")
LINE_UNKNOWN = Sentence("an access without a line")
LINE_AGAIN = Sentence("{where} (when it has come there {time} times)")
TO_BARRIER = Sentence("to the barrier in line {line}")
TO_END = Sentence("to the end of the kernel")
AS_FAR_AS_POSSIBLE = Sentence("as far as possible")
OR, COMMA = " or ", ", "

# ---- decisions

WAITS = Sentence("{who} waits before {where} until all others can go no further.")
BLOCK_BEFORE = Sentence("{first} runs before {second}.")
GOES_AHEAD = Sentence("{who} goes ahead alone from {where} on, as far as it can.")

# ---- steps

HELD_BEFORE_READ = Sentence(
    "All warps go in step. Before {where} {who} stops, where {thread} is about to read {element}."
)
HELD_BEFORE_WRITE = Sentence(
    "All warps go in step. Before {where} {who} stops, where {thread} is about to write {element}."
)
AHEAD_WITH_READ = Sentence("All warps go in step. In {where} {who} goes ahead alone, and {thread} reads {element}.")
AHEAD_WITH_WRITE = Sentence("All warps go in step. In {where} {who} goes ahead alone, and {thread} writes {element}.")
OTHERS_WENT = Sentence("The others go on {where}. {holds}")
IT_WENT = Sentence("{who} goes on {where}. The others stand where they stood. {holds}")
HOLDS = Sentence("{array} now holds {parts}.")
PART = Sentence("K tile {fill} in {count} elements")
PART_IN_WORDS = Sentence("K tile {fill} in {count} words")
FINDS = Sentence("{thread} (warp {warp}) reads {element} in {where} and finds {value}. In step it found {was}.")
FINDS_ANOTHER = Sentence("{thread} (warp {warp}) reads {element} in {where} and finds another value than in step.")
VALUE_OF_TILE = Sentence("{value}, of K tile {fill}")
OF_TILE = Sentence("what K tile {fill} left there")
SOMETHING = Sentence("another value")
NOTHING_YET = Sentence("nothing that was ever written")
OTHER_STORE_LAST = Sentence(
    "The two stores to {element} come in the other order than in step: what it keeps is another value."
)
C_WRONG = Sentence(
    "So C[{row}][{col}] becomes {value}. It should be {right}. Of the {elements} elements of C, {wrong} are wrong."
)
NO_DECISION = Sentence("With all warps in step, and no decision at all, C is wrong.")
BLOCKS_IN_ORDER = Sentence("{first} runs to its end before {second} begins. All warps go in step.")
RIGHT_IN_TURN = Sentence("It is right where each warp goes as far as it can before the next one begins.")
WRONG_IN_TURN = Sentence(
    "It is wrong as well where each warp goes as far as it can before the next one begins: the order need not be all "
    "that is wrong."
)

# ---- the whole

TITLE_IN_STEP = Sentence("All warps in step")
TITLE_ORDER = Sentence("In the order that was found")

HEAD = Sentence("An order of warps that makes C wrong, at M, N, K = {M}, {N}, {K}, block {block}, decisions: {count}.")
PROVED = Sentence(
    "No order of warps changes C at M, N, K = {M}, {N}, {K}: in each race the threads write the same value, and no "
    "read comes between."
)
NOT_LOOKED_FOR = Sentence(
    "No order of warps was looked for: at these shapes the optimised code, launched on one device, has no race that an "
    "order of warps could show."
)
NONE_OF = Sentence(
    "None of the {tried} orders of warps that were tried makes C wrong. That is no proof: there are many more, and "
    "what a missing fence does shows in none of them."
)
