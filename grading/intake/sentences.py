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

# What was taken out of the given code. The texts stand in backquotes, which pages set as code.
CHECK_GONE = Sentence("the boundary check `{text}` was taken out or changed")
BARRIER_GONE = Sentence("the barrier `{text}` was taken out or changed")

# Why a file is not spliced.
OWN_FAULT = Sentence("this grader could not read the file ({kind}); look at it, and give the marks by hand")
CANNOT_BE_READ = Sentence("#error not graded: the file cannot be read")
TAKEN_WHOLE = Sentence("taken as a whole: {reason}")
ODD_CHARACTERS = Sentence("the file holds characters that no source file has")
FAR_TOO_LARGE = Sentence("the file is far larger than any kernel of this course")
NAMELESS_BLANK = Sentence("in line {line}")

# What is wrong with a file or folder that was handed in. Its path and a colon stand before each.
EMPTY_FOLDER = Sentence("the folder is empty")
HIDDEN_ONLY = Sentence("the folder holds hidden files only, which are not looked at: {names}")
FOLDER_UNREADABLE = Sentence("the folder cannot be read: {reason}")
TOO_DEEP = Sentence("there are too many folders inside of each other, and what is in them is not looked at")
LINK = Sentence("it is a link, and links are not followed")
UNREADABLE = Sentence("it cannot be read: {reason}")
NO_FILE = Sentence("it is no ordinary file")
TOO_LARGE = Sentence("it is larger than {most} MiB")
ZIPS_TOO_DEEP = Sentence("there are too many zips inside of each other")
ZIP_UNREADABLE = Sentence("the zip cannot be read: {reason}")
ZIP_TOO_FULL = Sentence("the zip holds more than {most} files")
ZIP_EMPTY = Sentence("the zip is empty")
LEADS_OUT = Sentence("its path leads out of the zip")
ENCRYPTED = Sentence("it is encrypted")
DAMAGED = Sentence("it is damaged: {reason}")
OTHER_ARCHIVE = Sentence("it is an archive that is not looked into; ask for a zip, or for the files themselves")
ZIP_BY_OTHER_NAME = Sentence("it is a zip under another name; name it .zip and it is looked into")
OTHER_KIND = Sentence("it is neither a notebook nor a .cu file")
EMPTY_FILE = Sentence("it is empty")
LARGE_KERNEL = Sentence("it is larger than {most} KiB, which is no kernel file")
UTF_16 = Sentence("it is UTF-16")
WINDOWS_TEXT = Sentence("it is not UTF-8 and was read as Windows text")
NOT_JSON = Sentence("it is no notebook: it is not JSON")
NO_CELLS = Sentence("it is no notebook: it has no cells")
OUR_FAULT = Sentence("this grader could not read it ({kind}); look at it")

# What is told of a student's work for a lesson.
OF_FILE = Sentence("{path}: {note}")
SEVERAL_FILES = Sentence("there are {count} files: {paths}; the first counts")
SEVERAL_CELLS = Sentence("{count} cells write the kernel, and the last counts")
NOTHING = Sentence("nothing was handed in for this lesson")
OTHERS_FOUND = Sentence("what was handed in for other lessons or for none: {paths}")
NO_KERNEL = Sentence("there is no cell that writes the kernel, and no .cu file")

NO_PLACE = Sentence("there is no folder or zip file {place}")
NO_LESSON_TOLD = Sentence("none of the files tells which lesson it is for, such as {path}; name the lesson by --lesson")
THE_FILE = Sentence("the file")
