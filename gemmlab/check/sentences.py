"""What the check itself finds, beside what an executor saw. M, N and K are the shape."""

from __future__ import annotations

from gemmlab.sentence import Sentence

NO_SECOND_LOOK = Sentence("The second look, without optimisation, was not possible: {reason}")
ONE_ORDER_ONLY = Sentence(
    "At M, N, K = {M}, {N}, {K}, C is right, but wrong when the last warp of a block gets its turn first and the "
    "compiler optimises nothing: what is stored hangs on who comes first, which a GPU does not promise, or on something "
    "that C++ leaves undefined."
)
