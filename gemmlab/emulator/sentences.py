"""What the emulator says while its machine code is made."""

from __future__ import annotations

from gemmlab.sentence import Sentence

READY = Sentence("The emulator is compiled already.")
MADE = Sentence("The emulator is compiled ({seconds} s; this happens once on a machine).")
FOR_THIS_PROCESSOR = Sentence("The emulator is made into machine code for this processor, once on this machine")
FROM_SOURCES = Sentence(
    "The emulator is compiled from its sources, once on this machine: {done} of about {known} functions"
)
SO_FAR = Sentence("{words} ({seconds} s so far).")
UNKEPT = Sentence(
    "The emulator's machine code cannot be kept in {folder} ({reason}), so the next start makes it again. Set "
    "GEMMLAB_CACHE_DIR to a folder that you may write and that has room."
)
