"""Grade the class of the graders' test on a GPU, with students who crash it or never end, and compare with what is due.

    python tools/h200_grading.py [--jobs 8] [--backend cuda] [--keep FOLDER]

The exit code is 0 where every student got what is due, 1 where not, 2 where the class could not be graded.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/support")]

import grading_class  # noqa: E402

from grading.marking import csv_text  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--backend", choices=("cuda", "emulator"), default="cuda")
    parser.add_argument("--keep", type=Path, help="a new folder for the submissions and the report")
    arguments = parser.parse_args()
    if arguments.keep:
        try:
            arguments.keep.mkdir(parents=True)
        except FileExistsError:
            parser.error(f"{arguments.keep} is there already; name a new folder")
        return grade(arguments.keep.resolve(), arguments.backend, arguments.jobs)
    with tempfile.TemporaryDirectory(prefix="gemmlab-class-") as folder:
        return grade(Path(folder), arguments.backend, arguments.jobs)


def grade(place: Path, backend: str, jobs: int) -> int:
    (place / "bait").mkdir()
    (place / "bait/bait.h").write_text(f"{grading_class.BAIT_WORDS} = 42\n")
    (place / "secret").write_text("correct horse battery staple")
    (place / "secret").chmod(0o600)
    outside = grading_class.Outside(place / "bait/bait.h", place / "bait/canary", 9)
    students = grading_class.students(outside, gpu=backend == "cuda")
    grading_class.write(place / "submissions", students)
    command = [sys.executable, "-m", "grading", "grade", f"{place}/submissions", "--out", f"{place}/report",
               "--secret-file", f"{place}/secret", "--jobs", str(jobs), "--backend", backend]  # fmt: skip
    started = time.perf_counter()
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    if done.returncode:
        print(f"the class was not graded: exit code {done.returncode}")
        return 2
    differing = compare(students, place / "report")
    print(f"{len(students)} students, {differing} of them not as due; {backend}, {jobs} jobs, {seconds:.0f} s, "
          f"{60 * len(students) / seconds:.0f} a minute")  # fmt: skip
    if outside.canary.exists():
        print("something outside of the sandbox was written")
    return 1 if differing or outside.canary.exists() else 0


def compare(students: list[grading_class.Student], report: Path) -> int:
    """Print a line for each student; returns how many did not get what is due."""
    rows = {(row["student"], row["lesson"]): row for row in csv_text.read((report / "grades.csv").read_bytes())}
    differing = 0
    for student in students:
        row = rows.pop((student.name, student.lesson), None)
        found = ["no row"]
        if row:
            found = grading_class.mismatches(student, row, (report / row["feedback"]).read_text("utf-8"))
        differing += bool(found)
        got = f"{row['status']:14}{row['code']:>5}{row['boundary']:>5}" if row else " " * 24
        print(f"{'DIFFERS' if found else 'ok':8}{ascii(student.name)[1:-1][:34]:36}{student.lesson[:2]:4}{got}  "
              f"{'; '.join(found)}".rstrip())  # fmt: skip
    for name in rows:
        print(f"DIFFERS {name}: nobody knows this student")
    return differing + len(rows)


if __name__ == "__main__":
    sys.exit(main())
