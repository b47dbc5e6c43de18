"""What a verdict says around its findings, and a profile around its counters."""

from __future__ import annotations

from gemmlab.sentence import Sentence

# The state of a kernel in a few words. `right` and `cases` are numbers of cases.
PASSED = Sentence("cases passed ({right} of {cases})")
PASSED_PUBLIC = Sentence("public cases passed ({right} of {cases})")
FAILED = Sentence("failed ({right} of {cases} cases passed)")
FAILED_PUBLIC = Sentence("failed ({right} of {cases} public cases passed)")
FAILED_ALL_RIGHT = Sentence("failed: C is right in all {cases} cases, but the kernel has a fault")
FAILED_ALL_RIGHT_PUBLIC = Sentence("failed: C is right in all {cases} public cases, but the kernel has a fault")
STOPPED = Sentence("stopped, out of time ({right} of {cases} cases passed until then)")
STOPPED_PUBLIC = Sentence("stopped, out of time ({right} of {cases} public cases passed until then)")
DOES_NOT_COMPILE = Sentence("does not compile")
NOT_ATTEMPTED = Sentence("not attempted")

# What stands over a finding: its kind, and those of these that are known, with commas.
STILL_OPEN = Sentence("still open")
LINE = Sentence("line {line}")
COLUMN = Sentence("column {column}")
TIMES = Sentence("{count} times")
SEEN_BY_EMULATOR = Sentence("seen by the emulator")

# What follows the findings.
MORE_FINDINGS = Sentence("... and {more} more; --json lists all of them.")
PRINTED = Sentence("The kernel printed:")

# What became of a case.
RIGHT = Sentence("right")
NO_RESULT = Sentence("no result")
RIGHT_BUT_FAULTY = Sentence("right numbers, but a fault was found")
ELEMENTS_WRONG = Sentence("{wrong} of {size} elements wrong")

# Who checked, and what the kernel takes.
BY_EMULATOR = Sentence("Checked by the emulator, on this machine's CPU.")
BY_GPU = Sentence("Checked on the GPU and by the emulator.")
BY_GPU_AND_FOUND_BY_EMULATOR = Sentence("Checked on the GPU and by the emulator, which alone can see {kinds}.")
BY_OTHER = Sentence("Checked by {backend}.")

# How far it goes that no race was found. `why` names the line and the value that stand in the way.
NO_RACE_AT_ALL = Sentence("No race in any order of the warps, for any data, at these shapes.")
NO_RACE_WITH_NUMBERS = Sentence(
    "No race in any order of the warps, for any data and the values of {numbers} that ran, at these shapes."
)
NO_RACE_WITH_THIS_DATA = Sentence(
    "No race in any order of the warps, for the data that ran, at these shapes. Not for any data: {why}."
)
NO_RACE_IN_THIS_ORDER = Sentence(
    "No race in the orders of the warps that ran, at these shapes. Not proved for any order: {why}."
)

SEE_ORDER = Sentence("To see an order of the warps in which the race makes C wrong, add --orders to this command.")

# Which ways the kernel's conditions on M, N and K went; `where` is one of the first two.
IN_LINES = Sentence("in line {lines}")
IN_NO_LINE = Sentence("in a header's code")
ADDED = Sentence(
    "M, N, K = {M}, {N}, {K} was added for this kernel: a condition {where} goes a way there that it goes at none of "
    "the lesson's shapes."
)
EVERY_WAY = Sentence("Each condition on M, N and K went every way that it can: {ways} ways of {count} conditions.")
EVERY_WAY_FOUND = Sentence(
    "Each condition on M, N and K went every way that was found for it at {tried} other shapes: {ways} ways of {count} "
    "conditions."
)
LEFT = Sentence("Not run: M, N, K = {M}, {N}, {K}, where a condition {where} goes yet another way.")
NOT_FOLLOWED = Sentence("Which shapes lead the kernel's conditions another way is not known: {because}.")

RESOURCES = Sentence("Registers a thread: {registers}, shared memory a block: {shared} bytes (compiled for {arch})")
RESOURCES_AND_SPILLS = Sentence(
    "Registers a thread: {registers}, shared memory a block: {shared} bytes, spilled: {spilled} bytes "
    "(compiled for {arch})"
)

# The profile.
PROFILE = Sentence("Profile at M, N, K = {M}, {N}, {K}, counted by the emulator.")
NOT_RIGHT_YET = Sentence("The kernel is not right, so what is counted here may change once it is.")
SUMS = Sentence("Sums over all warps")
WORK = Sentence("FMA: {fma} by threads; warps executed {instructions} PTX instructions")
SECTORS_PER_REQUEST = Sentence("Sectors per request: {loads} a load, {stores} a store")
SECTORS_PER_LOAD = Sentence("Sectors per request: {loads} a load")
SECTORS_PER_STORE = Sentence("Sectors per request: {stores} a store")
SHARED_LOADS = Sentence("Shared loads per FMA: {loads}")
SHARED_LOADS_JOINED = Sentence("Shared loads per FMA: {loads}, {joined} as ptxas joins them")
KERNEL_USE = Sentence(
    "{kernel} on {arch}: {registers} registers a thread, {shared:,} bytes of shared memory a block, {spilled} bytes "
    "spilled; occupancy {percent:.0f} % ({blocks} blocks, {warps} warps on an SM), limited by {limits}"
)

# What the model says of a kernel. `summary` names the reasons, the one that decides first.
PREDICTED = Sentence(
    "Predicted for an {gpu} at M, N, K = {M}, {N}, {K}: {ms} ms, perhaps {low} to {high} ms (± {percent:.0f} %), "
    "{gflops} GFLOPS. Nothing was timed."
)
BECAUSE = Sentence("Why: {summary}.")
NOT_PREDICTED = Sentence("No time is predicted for an {gpu}. {unknown}")
CYCLES = Sentence("{cycles} cycles")
SHARE_OF_TIME = Sentence("% of the\npredicted\ntime")
