"""What stands in the way of a proof, in words. `line` is that of the student's file, `read` the line of a load."""

from __future__ import annotations

from gemmlab.sentence import Sentence

READ_FROM = Sentence("a value read from {array} in line {read}")
READ_FROM_MEMORY = Sentence("a value read from memory in line {read}")

# Where a value decides. {value} is one of the above, or what gives another number in another order.
DECIDES = {
    "branch": Sentence("line {line}: the branch depends on {value}"),
    "guard": Sentence("line {line}: whether memory is touched depends on {value}"),
    "address": Sentence("line {line}: the address depends on {value}"),
    "barrier": Sentence("line {line}: who waits for whom depends on {value}"),
    "group": Sentence("line {line}: which copies are waited for depends on {value}"),
    "call": Sentence("line {line}: whether the function is called depends on {value}"),
    "stored": Sentence("line {line}: what is stored depends on {value}"),
}

# What is not decided by one run, whatever the values are.
NEVER = {
    "atomic": Sentence("line {line}: which atomic comes first depends on the order of the warps"),
    "strong": Sentence("line {line}: a volatile or atomic access may meet another thread's at any time"),
    "object": Sentence("line {line}: how long a thread waits for a barrier object depends on the order of the warps"),
    "mask": Sentence("line {line}: only some lanes of the warp wait for each other here"),
    "arrival": Sentence("line {line}: a warp that only arrives here goes on, and may come again before the others"),
    "partial": Sentence(
        "line {line}: only some warps of the block may wait for each other here, in a kernel that reads an array in "
        "global memory that it writes"
    ),
    "pointer": Sentence("line {line}: a function is called through a pointer"),
    "copied": Sentence("line {line}: an asynchronous copy reads an array that the kernel writes as well"),
    "unknown": Sentence("line {line}: the proof does not know the instruction {instruction}"),
}
UNREADABLE = Sentence("the compiled code cannot be read: {reason}")

# Special registers by the names that students write.
SPECIAL = {
    "%activemask": "__activemask()",
    "%clock": "clock()",
    "%clock64": "clock64()",
    "%globaltimer": "the GPU's clock",
    "%smid": "the SM that the block runs on",
    "%warpid": "the place of the warp on the SM",
}
