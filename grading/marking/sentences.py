"""What a judged kernel is told beside what each kind of finding means (gemmlab/kernel/kinds.py)."""

from __future__ import annotations

from gemmlab.sentence import Sentence

WARNED = Sentence("{meaning}. This costs no marks here; mend it all the same.")
WARNED_IN_LINE = Sentence("{meaning}, line {line}. This costs no marks here; mend it all the same.")
WARNED_OF_LAUNCH = Sentence(
    "It asks for more memory than a GPU has for a block or a thread, and runs only because the compiler drops what is "
    "not used. This costs no marks here; do not rely on it."
)
