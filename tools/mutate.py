"""Make every mutant of right kernels and name those that the check lets pass.

    python tools/mutate.py [NAME ...] [--operator wait,guard]

NAME is a kernel of tests/kernels/field/right without its ending, or a lesson's, such as 02_tiled_fma; all of them by
default, which takes an hour or more. Exit code 1 where a mutant survives that is not known to be equivalent, or where
one that is said to be equivalent does not survive.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/support"))

from equivalent_mutants import EQUIVALENT  # noqa: E402
from mutation import OPERATORS, mutants  # noqa: E402
from mutation_subjects import Subject, subjects  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--operator", default=",".join(OPERATORS), help="comma-separated, of " + ", ".join(OPERATORS))
    options = parser.parse_args()
    known = subjects()
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"no right kernel is called {', '.join(unknown)}")
    chosen = [known[name] for name in options.names or known]
    wrong = [sweep(subject, options.operator.split(",")) for subject in chosen]
    return int(any(wrong))


def sweep(subject: Subject, operators: list[str]) -> bool:
    """Try the mutants of one kernel, say what they came to, and whether that was not as expected."""
    if not subject.verdict(subject.source).passed:
        print(f"{subject.name}: does not pass itself", flush=True)
        return True
    tried = [mutant for mutant in mutants(subject.source) if mutant.operator in operators]
    status = {mutant.name: subject.verdict(mutant.source).status for mutant in tried}
    survivors = {name for name in status if status[name] == "passed"}
    equivalent = {name for name in EQUIVALENT.get(subject.name, {}) if name.partition(":")[0] in operators}
    born = sum(found != "compile_error" for found in status.values())
    print(f"{subject.name}: {born} mutants, {len(survivors)} survive", flush=True)
    for name in sorted(survivors - equivalent):
        print(f"  survives: {name}", flush=True)
    for name in sorted(equivalent - survivors):
        print(f"  is said to be equivalent, and is not: {name}", flush=True)
    return survivors != equivalent


if __name__ == "__main__":
    sys.exit(main())
