"""Why nobody can say which way a kernel's threads go, in words. `line` is that of the student's file."""

from __future__ import annotations

from gemmlab.sentence import Sentence

DATA_DECIDE = Sentence("line {line}: the way depends on more than sizes and indices")
CALLED = Sentence("line {line}: a function is called, whose branches are not followed")
TOO_LONG = Sentence("the ways through the kernel are too long to be followed")
SEVERAL_DEVICES = Sentence("several devices wait for each other's flags")
