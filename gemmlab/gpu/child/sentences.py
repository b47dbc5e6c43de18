"""What a launch on the GPU found, and why one did not finish. A matrix is a name with its rows and columns."""

from __future__ import annotations

from gemmlab.sentence import Sentence

_ASK_EMULATOR = " A GPU cannot name the line; the emulator can (--backend emulator)."

# Why a launch did not finish.
FAR_OUTSIDE = Sentence(
    "The kernel touched memory that does not exist: an index is far outside its array, in global or shared memory."
    + _ASK_EMULATOR
)
STOPPED_BY_DISPLAY = Sentence("The display driver stopped the kernel because it ran for too long." + _ASK_EMULATOR)
ASSERT_FAILED = Sentence("An assert in the kernel failed." + _ASK_EMULATOR)
BROKEN_STACK = Sentence(
    "The kernel broke its stack: an index is outside a local array, or a function calls itself too often."
    + _ASK_EMULATOR
)
MISALIGNED = Sentence(
    "The kernel used an address that is not a multiple of the size it reads or writes there: a float4 must lie at "
    "a multiple of 16 bytes, which all rows of a matrix do only where their length is a multiple of 4." + _ASK_EMULATOR
)
BROKE_OFF = Sentence("The kernel broke off, most often because of a wild address or a trap." + _ASK_EMULATOR)
NO_END = Sentence(
    "The kernel did not end within {seconds:g} s: look for a loop whose condition never becomes false, or for a "
    "barrier that some threads never reach."
)
NO_RESULT = Sentence("The process that ran the kernel on the GPU ended without a result ({reason}).")
REFUSED = Sentence(
    "The GPU refused a launch with grid {grid} and block {block}: too many registers or too much shared memory for one "
    "block."
)

# Why there is no verdict: the request, or the machine.
OUT_OF_MEMORY = Sentence(
    "the GPU has not enough free memory for A ({M}×{K}), B ({K}×{N}) and C ({M}×{N}), {size:.0f} MiB together; take a "
    "smaller shape"
)
OTHER_GPU = Sentence("the code was compiled for {arch}, which {gpu} cannot run; compile it for this GPU")
NO_KERNEL = Sentence("there is no kernel '{kernel}' in the compiled code")
NO_CUBLAS = Sentence("cuBLAS is not installed; run make lab, or pip install 'gemmlab[gpu]'")
MACHINE_FAILED = Sentence("the GPU process failed ({reason}); try again, or use --backend emulator")
NO_ANSWER = Sentence("no answer in time")

# What the guards around the matrices tell.
WROTE_BEFORE = Sentence(
    "The kernel wrote outside {array} ({rows}×{cols}): it changed {floats} before it, up to {farthest} away from the "
    "first element." + _ASK_EMULATOR
)
WROTE_AFTER = Sentence(
    "The kernel wrote outside {array} ({rows}×{cols}): it changed {floats} after it, up to {farthest} away from the "
    "last element." + _ASK_EMULATOR
)
ONE_FLOAT = Sentence("1 float")
FLOATS = Sentence("{count} floats")
ONE_NUMBER = Sentence("1 number of {size} bytes")
NUMBERS = Sentence("{count} numbers of {size} bytes")
CHANGED_INPUT = Sentence("The kernel changed {elements}: {array} is an input and must stay as it was." + _ASK_EMULATOR)
READ_C_FIRST = Sentence(
    "The kernel read C before it wrote it: C starts as NaN in this check, and the NaN is still in {elements}. Sum in a "
    "register that starts at 0, and store it to C once." + _ASK_EMULATOR
)
READ_OUTSIDE = Sentence(
    "The kernel read memory outside {array}: what surrounds {array} is NaN in this check, and the NaN got into "
    "{elements}." + _ASK_EMULATOR
)
ONE_ELEMENT = Sentence("{array}[{row}][{col}]")
ONE_MORE_ELEMENT = Sentence("{array}[{row}][{col}] and 1 more element")
MORE_ELEMENTS = Sentence("{array}[{row}][{col}] and {more} more elements")

# What several devices tell.
ON_DEVICE = Sentence("device {device}: {message}")
READ_TOO_EARLY = Sentence(
    "When the last kernel here has ended, whatever comes next reads C[{row}][{col}] before it is what it becomes, one "
    "of {count} such elements: tiles of a peer were still on their way. Nothing here waited for them, or a flag was up "
    "too early." + _ASK_EMULATOR
)
