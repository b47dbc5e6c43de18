"""What stands in the reports, beside their templates, and what is told of writing and serving them."""

from __future__ import annotations

from gemmlab.sentence import Sentence

CANNOT_WRITE = Sentence("cannot write the reports into {folder}: {reason}")
NOTHING_TO_MARK = Sentence("there is nothing to mark in {folder}: no {file}; grade into it first")
NO_PORT = Sentence("cannot serve the page on port {port}: {reason}; choose another by --port")

# gradescope/STUDENT.json
TITLE = Sentence("{number} {title}")
TOTAL = Sentence("{lesson}: {total} of 10 marks, {result}.")
VETO = Sentence("This fails the lesson whatever the marks are: {veto}.")
NOT_MARKED = Sentence("Not marked yet: {items}.")
ORDINARY = Sentence("{lesson}: ordinary shapes")
BOUNDARY = Sentence("{lesson}: boundary shapes")
BY_HAND = Sentence("{lesson}: {item}")
MARKED_BY_HAND = Sentence("Marked by hand.")
NOT_MARKED_YET = Sentence("Not marked yet.")
CASE_RIGHT = Sentence("{kind}: right")
CASE_WRONG = Sentence("{kind}: {message}")
OF_KERNEL = Sentence("{kernel}: {text}")
WARNING = Sentence("Warning: {warning}")
