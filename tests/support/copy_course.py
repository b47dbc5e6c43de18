"""Copies the course as it is handed out, for the notebooks' test: `python tests/support/copy_course.py DIRECTORY`."""

import shutil
import sys
from pathlib import Path

from gemmlab.build import build
from gemmlab.course import lesson as lessons


def copy_course(root: Path, target: Path) -> None:
    """Copy lessons/, kernels/ and solutions/, with a fresh file for each that somebody has worked in.

    Raises SystemExit where a file is missing, so that the test never passes by running nothing.
    """
    shutil.rmtree(target, ignore_errors=True)
    for folder in ("lessons", "kernels", "solutions"):
        shutil.copytree(root / folder, target / folder, ignore=shutil.ignore_patterns(".*"))
    shutil.copy(Path(__file__).with_name("course_conftest.py"), target / "conftest.py")
    made = [made for lesson in lessons.load_all(root) for made in build.made_files(lesson)]
    missing = [str(one.path.relative_to(root)) for one in made if one.state == "missing"]
    if missing or not made:
        raise SystemExit(f"missing: {', '.join(missing) or 'every lesson'}; run: make lessons")
    for one in made:
        if one.state == "work":
            (target / one.path.relative_to(root)).write_text(one.text, encoding="utf-8")


if __name__ == "__main__":
    copy_course(lessons.find_root(), Path(sys.argv[1]))
