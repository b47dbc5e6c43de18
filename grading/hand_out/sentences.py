"""What is told of the bundle and of nbgrader's course. What a bundle must not hold follows a file's path."""

from __future__ import annotations

from gemmlab.sentence import Sentence

CANNOT_WRITE = Sentence("cannot write to {folder}: {reason}")
NO_FOLDER = Sentence("{folder} is no folder; name a new one")
NOT_EMPTY = Sentence("the folder {folder} is not empty; name a new one, or empty it first")

LEAKS = Sentence("the bundle would give answers away: {leak}; nothing was written")
LEAKS_AND_MORE = Sentence("the bundle would give answers away: {leak} (and {more} more); nothing was written")
MARK_ALONE = Sentence("{file}, line {line}: this mark has no partner")
LAST_MARK_ALONE = Sentence("{file}: the last '{mark}' has no partner")

# What a file of the bundle gives away.
OF_FILE = Sentence("{path} {reason}")
PRIVATE = Sentence("does not belong into the bundle")
HOLDS_WORK = Sentence("holds outputs of somebody's work")
HOLDS_LINE = Sentence("holds a line of the mended {kernel}")
HOLDS_BLANK = Sentence("holds the solution of {kernel}, blank {blank}")
HOLDS_SOLUTION = Sentence("holds the solved kernel {kernel}")
HOLDS_ANSWER = Sentence("holds a sentence of the model answers in {file}")
HOLDS_CODE = Sentence("holds grading/{file}")

# nbgrader's course.
NO_SOLUTION = Sentence("solutions/{kernel}.cu is not on disk, so there is nothing to export")
NO_MARKS = Sentence("lessons/{lesson}.md: there are no marks for the answer to '{question}'")
NO_ROW = Sentence("{grades} has no row for {student}, {lesson}; run: python -m grading grade submitted --out report")
NO_GRADES = Sentence("there is no {grades}; run: python -m grading grade submitted --out report")
OLD_GRADES = Sentence(
    "{handed_in} was handed in after {grades} was written; run: python -m grading grade submitted --out report"
)
MARKED_WITH_VETO = Sentence("{status}; no marks: {veto}")
