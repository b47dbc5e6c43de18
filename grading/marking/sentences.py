"""What is said of a judged kernel, of marks, and of marks by hand; a student may read all but what is of files.

What each kind of finding means stands with the kinds (gemmlab/kernel/kinds.py).
"""

from __future__ import annotations

from gemmlab.sentence import Sentence

# A case that is not right.
FOUND = Sentence("{meaning}.")
FOUND_IN_LINE = Sentence("{meaning}, line {line}.")
NEVER_WRITTEN = {
    "everywhere": Sentence("Elements of C are never written, everywhere."),
    "lower edge": Sentence("Elements of C are never written, at the lower edge."),
    "right edge": Sentence("Elements of C are never written, at the right edge."),
    "places": Sentence("Elements of C are never written, in some places."),
}
WRONG = {
    "everywhere": Sentence("Elements of C are wrong, everywhere."),
    "lower edge": Sentence("Elements of C are wrong, at the lower edge."),
    "right edge": Sentence("Elements of C are wrong, at the right edge."),
    "places": Sentence("Elements of C are wrong, in some places."),
}
PICTURE = {
    "everywhere": Sentence("Wrong elements of C: everywhere"),
    "lower edge": Sentence("Wrong elements of C: at the lower edge"),
    "right edge": Sentence("Wrong elements of C: at the right edge"),
    "places": Sentence("Wrong elements of C: in some places"),
}
NO_RESULT = Sentence("It ended without a result.")
FIRST_LAUNCH_ONLY = Sentence(
    "Elements of C are right at the first launch and wrong at the second, because a __device__ variable keeps its "
    "value from launch to launch and is never set back."
)
ONE_ORDER_ONLY = Sentence(
    "Elements of C are wrong when the last warp of a block gets its turn first and the compiler optimises nothing: "
    "what is stored hangs on who comes first, or on something that C++ leaves undefined."
)
TOOK_TOO_LONG = Sentence("It was stopped, because it took too long.")
TOOK_TOO_MUCH_MEMORY = Sentence("It was stopped, because it took too much memory.")
CRASHED = Sentence("It made the program that runs it crash.")
GAVE_NO_RESULT = Sentence("It was stopped, because it gave back something that is no result.")
NOT_RUN = Sentence("It was not run, because an earlier case did not come to its end.")
COMPILING = Sentence("Compiling: {problem}")
ERROR_IN_LINE = Sentence("Line {line}: {message}")
MORE_ERRORS = Sentence("and {count} more")

AT_OWN_SHAPE = Sentence("{message} At M, N, K = {M}, {N}, {K}, where a condition of this kernel goes another way.")

# What costs no marks.
WARNED = Sentence("{meaning}. This costs no marks here; mend it all the same.")
WARNED_IN_LINE = Sentence("{meaning}, line {line}. This costs no marks here; mend it all the same.")
WARNED_OF_LAUNCH = Sentence(
    "It asks for more memory than a GPU has for a block or a thread, or calls itself to any depth, and runs only "
    "because the compiler drops what is not used. This costs no marks here; do not rely on it."
)

# How far it goes that no race was found.
HOLDS_ALWAYS = Sentence("No order of the warps has a race at the shapes that were tried, whatever A and B hold.")
HOLDS_WITH_NUMBERS = Sentence(
    "No order of the warps has a race at the shapes that were tried, whatever A and B hold, with the values of "
    "{numbers} that were tried."
)
HOLDS_WITH_DATA = Sentence(
    "No order of the warps has a race at the shapes and with the numbers in A and B that were tried. With others "
    "its threads may do something else: {where}."
)
HOLDS_IN_ORDER = Sentence(
    "In the orders of the warps that were tried there was no race. For all others that is not proved: {where}."
)
IN_LINE = Sentence("line {line}")
IN_THE_WHOLE = Sentence("because of the kernel as a whole")

# For the instructor alone.
NO_SECOND_LOOK = Sentence(
    "the second look, without optimisation, was not possible: see audit.jsonl, and look whether the code has a reason"
)
NO_END_OF_SECOND_LOOK = Sentence(
    "the second look, without optimisation and with the last warp first, came to no end: see audit.jsonl"
)

# A kernel that was not executed, and notes for the instructor, which stand in lists, apart by '; '.
NOTHING_FOR_KERNEL = Sentence("Nothing was handed in for this kernel.")
AS_GIVEN = Sentence("It was handed in as it was given.")
OPEN_BLANKS = Sentence("Not filled in: {names}.")
NOTE_OPEN_BLANKS = Sentence("not filled in: {names}")
NOTE_NOT_MENDED = Sentence("not mended: {names}")
OF_KERNEL = Sentence("{kernel}: {text}")
OF_ITEM = Sentence("{item}: {problem}")
OF_HAND_MARKS = Sentence("hand marks: {problem}")
NO_PREDICTION = Sentence("no number of 0 or more")

# Marks by hand.
VETO_HELP = Sentence(
    "To fail the lesson (a result claimed as measured that was not run), write the reason into the comment."
)
VETO_WITHOUT_REASON = Sentence("write the reason for the veto into the comment, and no marks")
ANSWER_CHANGED = Sentence("the answer was changed after it was marked; mark it again and empty the cell answer_id")
MARKED_TWICE = Sentence("marked more than once: {marks}; keep one row")
NO_NUMBER = Sentence("'{text}' is no number of marks")
NOT_POSSIBLE = Sentence("{text} of {possible} marks is not possible")
NO_SUCH_ROW = Sentence("no such student, lesson and item among what was graded; nothing was done with this row")
OF_ROW = Sentence("{student}, {lesson}, {item}: {problem}")
CANNOT_READ_MARKS = Sentence("cannot read {path}: {reason}")
MARKS_NO_CSV = Sentence("{path} is no CSV file: {reason}; mend it, or move it away to start with an empty one")
MARKS_LACK_COLUMNS = Sentence("{path} lacks some of the columns {columns}; mend its first line, or move it away")
NO_ENCODING = Sentence("its encoding cannot be told")

# The secret, and the cases that are drawn from it.
CANNOT_READ_SECRET = Sentence("cannot read the secret in {path}: {reason}")
OPEN_SECRET = Sentence("others can read the secret in {path}; run: chmod 600 {path}")
SHORT_SECRET = Sentence("the secret in {path} is shorter than {fewest} characters; make it longer")
CANNOT_WRITE_SECRET = Sentence("cannot write a secret to {path}: {reason}; name a file by --secret-file")
NO_TILE = Sentence("the launch of {kernel} takes no more blocks for a larger C; correct its grid")
