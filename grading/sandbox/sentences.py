"""What the sandbox says of itself and of the machine."""

from __future__ import annotations

from gemmlab.sentence import Sentence

NOT_LINUX = Sentence("grading needs Linux; use a container, WSL or a remote machine")
NO_COMPILER = Sentence("the CUDA compiler NVRTC cannot be loaded on this machine ({reason})")
CANNOT_START = Sentence("the sandbox cannot be started: {reason}")
SLOW_START = Sentence(
    "the sandbox cannot be started: it was not ready {seconds} s after its emulator had been compiled; end other "
    "heavy programs on this machine and give the same command again"
)
KEEPS = Sentence("Sandbox: keeps {kept}. Walls: {walls}.")
KEEPS_NOT = Sentence("It does NOT keep {missing}: one could {breaches}.")
OTHER_USER = Sentence("Children are user {user}.")
SAME_USER = Sentence("Children are the same user as the grader.")
NOT_SAFE = Sentence(
    "this machine gives no safe place to grade in: {missing} not kept (one could {breaches}). Take a machine or "
    "container with Landlock and seccomp, or with user namespaces; --insecure grades all the same, for submissions "
    "that you trust"
)
NO_DASK = Sentence("Dask is not installed; run: pip install 'gemmlab[dask]'")
NO_SCHEDULER = Sentence("there is no Dask scheduler at {address}: {reason}")
NO_WORKERS = Sentence("the Dask scheduler at {address} has no workers yet; start some")

# The board.
AT_SHAPE = Sentence("At {shape} (M×N×K): {reason}")
NO_PLAN = Sentence("What its launcher does could not be read at the board's shapes")
FAULT = Sentence("{meaning}")
WRONG_NUMBERS = Sentence("C is not A·B in float32")
KEPT_NUMBERS = Sentence("C is right at the first launch and wrong at the second: it is an earlier result")
