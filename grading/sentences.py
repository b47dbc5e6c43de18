"""What the command line tells the instructor, beside what its steps say themselves."""

from __future__ import annotations

from gemmlab.sentence import Sentence

COMPILING = Sentence(
    "Compiling the emulator first. This happens once on a machine and takes some seconds, or minutes where its sources "
    "were changed."
)
STILL_COMPILING = Sentence("Still compiling the emulator: {seconds} s so far.")
STILL_STARTING = Sentence("Still starting the sandbox: {seconds} s so far.")
NO_SUBMISSIONS = Sentence("there are no submissions in {place}")
PROCESS_LOST = Sentence("a process that executes kernels was lost; give the same command again to go on ({reason})")
UNKNOWN_BACKEND = Sentence("unknown backend '{backend}'; choose emulator or cuda")
CANNOT_WRITE = Sentence("cannot write to {folder}: {reason}")
OTHER_RUN = Sentence("another run is writing to {folder}; wait for it, or name another folder")
STOPPED = Sentence("stopped; give the same command again to go on")
BAD_COMMAND = Sentence("{message}; see python -m grading --help")
OWN_FAULT = Sentence("grading itself failed ({kind}: {message}); set GEMMLAB_DEBUG=1 to see where")
REFUSED = Sentence("grading: {sentence}")
MARKING_AT = Sentence("Marking at {url}\nCtrl-C ends it. Then grade again, into the same folder.")
BUNDLE_DONE = Sentence(
    "The bundle is in {folder}. It was looked through: no solution, model answer or code of the grader is in it."
)
NBGRADER_DONE = Sentence(
    "nbgrader's course is in {folder}. Next: cd {folder}; nbgrader generate_assignment 02_tiled_fma"
)
NOTHING_TO_EXECUTE = Sentence("nothing to execute")
ONE_DONE = Sentence("{count}/{total} {student}, lesson {lesson}: {outcome}")
MARKS_PROBLEM = Sentence("hand marks: {problem}")
MORE_PROBLEMS = Sentence("and {count} more problems with hand marks; see overview.html")
HAVE_WARNINGS = Sentence("With warnings, which cost no marks: {count}. They stand with the notes in overview.html.")
TO_BE_MARKED = Sentence("{count} answers are to be marked: python -m grading marks {folder}")
REPORTS_AT = Sentence("Reports: {page}")
NO_BOARD = Sentence("there is no leaderboard of lesson {lesson}: its file is not the student's as a whole")
ENTRY_DONE = Sentence("timed {student}: {outcome}")
OWN_ENTRY_FAILED = Sentence("the course's own entry cannot be timed on this machine, so nobody's is: {reason}")
NOTHING_READ = Sentence("nothing that could be graded was handed in")
PLACE = Sentence("{rank}. {student}: {score} %")
BOARD_OF = Sentence("Per cent of cuBLAS, geometric mean of the board's shapes, on {machine}:")
NOTHING_RANKED = Sentence("Nothing is ranked: there is no GPU. The page says who passed the gate.")
UNRANKED = Sentence("Without a rank: {count}, with the reason on the page.")
BOARD_AT = Sentence("Leaderboard: {page}")
