"""What students and instructors are told of what was handed in.

Reasons for a veto stand in lists, apart by '; ', so they have no stop.
"""

from __future__ import annotations

from gemmlab.sentence import Sentence

# Why a file is not given to the compiler.
INCLUDES_FILE = Sentence("it includes a file that is none of CUDA's headers")
ASKS_FOR_FILE = Sentence("it asks whether a file exists")
RAW_STRING = Sentence("it holds a raw string, which no kernel needs")
RENAMES_LINES = Sentence("it gives its lines other numbers by #line, so that no message would name the right one")
PRAGMA_FILE = Sentence("a pragma in it names a file")
HIDDEN_PRAGMA = Sentence("the text of a _Pragma in it is put together by macros")
ASSEMBLY_FILE = Sentence("its assembly names a file")
NOT_GRADED = Sentence("#error not graded: {reasons}")

# Why the body of a blank is not put into the given code.
CLOSES_BLOCK = Sentence("the blank {blank} closes a block that it did not open")
STAYS_OPEN = Sentence("the blank {blank} ends in an open comment or a backslash, which takes in the given lines below")
CHANGES_GIVEN = Sentence("the blank {blank} holds a line for the preprocessor that can change the given code")
UNFINISHED = Sentence("the blank {blank} ends in the middle of a statement, which takes in the given line below")
