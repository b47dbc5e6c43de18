"""The house as its pages tell it: every room is named, none is overfull, and no page names a path that is gone."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from gemmlab.check.rules import MEASURES

ROOT = Path(__file__).parents[2]
MOST_FILES = 20  # of Python in a folder, without those of its sub-folders


def folders(*tops: str) -> list[Path]:
    return sorted({path.parent for top in tops for path in (ROOT / top).rglob("*.py")})


ROOMS = folders("gemmlab", "grading")
FOLDERS = folders("gemmlab", "grading", "tests", "tools")


def contributing() -> str:
    return (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_no_folder_is_overfull(folder):
    files = [path.name for path in folder.glob("*.py")]
    assert len(files) <= MOST_FILES, f"{name(folder)} has {len(files)} files: it wants rooms of its own"


@pytest.mark.parametrize("room", [room for room in ROOMS if len(room.relative_to(ROOT).parts) == 2], ids=name)
def test_every_room_is_in_the_tree_of_the_architecture(room):
    tree = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("```")[1]
    assert re.search(rf"(?<![\w/]){room.name}/", tree), f"ARCHITECTURE.md does not say what {name(room)} is for"


@pytest.mark.parametrize("room", ROOMS, ids=name)
def test_every_room_and_file_says_what_it_is_for(room):
    files = {name(path): ast.parse(path.read_text(encoding="utf-8")) for path in room.glob("*.py")}
    assert [path for path, tree in files.items() if not ast.get_docstring(tree)] == []


@pytest.mark.parametrize("room", ROOMS, ids=name)
def test_no_module_hides_a_name_of_its_room(room):
    """`gemmlab.gpu.device` cannot be a function and a folder: whichever is imported last wins."""
    tree = ast.parse((room / "__init__.py").read_text(encoding="utf-8"))
    own = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assigned = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    own |= {target.id for target in assigned if isinstance(target, ast.Name)}
    modules = {path.stem for path in room.glob("*.py")} | {path.parent.name for path in room.glob("*/*.py")}
    assert own & modules == set()


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "grading/README.md"])
def test_the_paths_that_a_page_names_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    tops = "gemmlab|grading|tests|tools|lessons|solutions|kernels"
    named = set(re.findall(rf"(?<![\w./-])(?:{tops})/[\w./*-]*[\w*]", text))
    examples = re.compile(r"NN_|GPU-NAME|/\.work|/0\d$")
    gone = sorted(path for path in named if not examples.search(path) and not any(ROOT.glob(path)))
    assert gone == [], f"{page} names what is not there"


@pytest.mark.parametrize("tool", sorted(ROOT.glob("tools/*.py")), ids=name)
def test_every_tool_is_told_to_those_who_may_need_it(tool):
    assert tool.name in contributing()


def test_every_measure_of_a_counter_rule_is_told():
    table = contributing().split("| `what` | `of` |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", table, re.MULTILINE)
    assert {(what, of) for what, kinds in rows for of in re.findall(r"\w+", kinds)} == set(MEASURES)
