"""What the check itself finds, beside what an executor saw. M, N and K are the shape."""

from __future__ import annotations

from gemmlab.sentence import Sentence

NO_SECOND_LOOK = Sentence("The second look, without optimisation, was not possible: {reason}")
ONE_ORDER_ONLY = Sentence(
    "At M, N, K = {M}, {N}, {K}, C is right, but wrong when the last warp of a block gets its turn first and the "
    "compiler optimises nothing: what is stored hangs on who comes first, which a GPU does not promise, or on "
    "something that C++ leaves undefined."
)
SECOND_LAUNCH_WRONG = Sentence(
    "At M, N, K = {M}, {N}, {K}, C is right at the first launch and wrong at the second of the same module, on other "
    "inputs, because what the first one left in {variables} is never set back: it keeps its value from launch to "
    "launch. Set it back before the kernel ends."
)
SECOND_LAUNCH_FAULT = Sentence(
    "At the second launch of the same module, to which the first one left what it had in {variables}: {fault}"
)
ON_DEVICE = Sentence("On device {device}: {fault}")
ONE_MEMORY = Sentence(
    "{fault} {names} are names of one memory: every extern __shared__ array begins at the same place. Declare one, and "
    "let the others be pointers into it."
)

# What grading would make of a file in which more was changed than the blanks.
LOST = Sentence(
    "This file passes as a whole, but grading takes only what stands in its blanks and puts that into the given code, "
    "and there it fails: {fault}. Keep the given code and its names, and write into a blank all that it needs."
)
LOST_NUMBERS = Sentence(
    "This file passes as a whole, but grading takes only what stands in its blanks and puts that into the given code, "
    "and there C is wrong. Keep the given code and its names, and write into a blank all that it needs."
)
LEFT_OUT = Sentence(
    "You changed the given code outside of the blanks. Grading takes only what stands in the blanks, which passes as "
    "well; what else you changed is left out, and a barrier or a bounds check taken out there fails the lesson."
)

# Shapes too large to run whole.
SIZE_BELOW_1 = Sentence("the shape {M},{N},{K} has a size below 1; M, N and K must be positive")
SHAPE_TOO_LARGE = Sentence(
    "the shape {M},{N},{K} needs {size:.1f} GiB for A, B and C, more than a check takes; take a smaller one"
)
NO_MEMORY = Sentence("there is no memory for matrices of the shape {M},{N},{K}; take a smaller one")
ONLY_CORNERS = Sentence(
    "This shape is too large for the emulator: {blocks} of {total:,} blocks were run, those at the corners."
)
CORNER_NEVER_WRITTEN = Sentence(
    "C[{row}][{col}] was never written at M, N, K = {M}, {N}, {K}, by the blocks at the corners of the grid."
)
CORNERS_WRONG = Sentence(
    "Elements of C are wrong at M, N, K = {M}, {N}, {K}, by the blocks at the corners of the grid."
)
MEETS_BY_CHANCE = Sentence("line {line}: which warps meet at the barrier depends on the order of the warps")
SEVERAL_DEVICES = Sentence("several devices read each other's memory, in an order that flags decide")
READ_FOR_BETA_0 = Sentence("beta is 0 here, so that C may not be read at all: NaN times 0 is NaN. {fault}")
