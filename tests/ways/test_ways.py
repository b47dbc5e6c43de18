"""The ways in that README.md names: their files exist, name what exists, and agree with pyproject.toml."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from gemmlab.course.lesson import find_root
from gemmlab.records import results
from grading.hand_out.release import TEXTS

ROOT = find_root()
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
BUILD_MODULES = {"hatchling": None, "numpy": "numpy", "pyyaml": "yaml"}  # what each build requirement is imported as


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


PROJECT = text("pyproject.toml")
DOCKERFILE = text("Dockerfile")


def requirements(key: str) -> list[Requirement]:
    """Those of one list in pyproject.toml."""
    (listed,) = re.findall(rf"^{key} = \[(.*?)\](?=\n|  #)", PROJECT, re.MULTILINE | re.DOTALL)
    return [Requirement(found) for found in re.findall(r'"([^"]+)"', listed)]


BASE, GPU = requirements("dependencies"), requirements("gpu")
EXTRAS = set(re.findall(r"^(\w+) = \[", PROJECT.split("[project.optional-dependencies]")[1].split("\n[")[0], re.M))
_PINS = re.findall(r"^([\w.-]+)==([\w.]+)", text("constraints.txt"), re.M)
PINNED = {canonicalize_name(name): Version(version) for name, version in _PINS}


# ---- README


def test_every_file_that_the_table_names_exists():
    table = text("README.md").split("## Ways in")[1].split("\n## ")[0]
    named = set(re.findall(r"[\w./-]*(?:\.yml|\.txt|\.md|\.py)\b|\.\w+/|Dockerfile", table))
    assert {"Dockerfile", ".binder/", ".devcontainer/", "environment-gpu.yml", "docs/hub.md"} <= named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_students_get_the_files_of_their_ways_in():
    found = [path for folder in (".binder", ".devcontainer") for path in (ROOT / folder).rglob("*")]
    ways = {path.relative_to(ROOT).as_posix() for path in found if path.is_file()}
    assert ways | {"Dockerfile", "constraints.txt", "environment.yml", "environment-gpu.yml"} <= set(TEXTS)


# ---- the container


def test_the_image_is_made_of_what_exists_and_is_not_roots():
    copied = [word for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.M) for word in line.split()[1:-1]]
    assert copied and [name for name in copied if not (ROOT / name).exists()] == []
    assert DOCKERFILE.index("\nUSER student") < DOCKERFILE.index("\nCMD ")
    assert re.search(r"^FROM python:(\d\.\d+)-slim$", DOCKERFILE, re.M)[1] in PYTHONS
    first = DOCKERFILE.split("RUN python -m venv")[0]
    assert (
        re.findall(r"^license-files = \[\"(.+)\"\]|^readme = \"(.+)\"", PROJECT, re.M) and "README.md LICENSE" in first
    )


@pytest.mark.parametrize("name", [".devcontainer/devcontainer.json", ".devcontainer/gpu/devcontainer.json"])
def test_a_dev_container_is_that_image(name):
    settings = json.loads(text(name))
    assert (ROOT / name).parent.joinpath(settings["build"]["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert (ROOT / name).parent.joinpath(settings["build"]["context"]).resolve() == ROOT
    assert set(settings["build"].get("args", {}).values()) <= EXTRAS and "ARG EXTRA" in DOCKERFILE
    assert f'--uid "$UID" {settings["remoteUser"]}' in DOCKERFILE
    python = settings["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert f"python -m venv {Path(python).parents[1].as_posix()}" in DOCKERFILE


# ---- Binder and conda


def test_binder_installs_this_course_and_runs_what_exists():
    options = dict(line.split() for line in text(".binder/requirements.txt").splitlines())
    assert (ROOT / ".binder" / options["--constraint"]).resolve() == ROOT / "constraints.txt"
    assert options["--editable"] == "."
    assert text(".binder/runtime.txt").strip().removeprefix("python-") in PYTHONS
    modules = re.findall(r"python -m ([\w.]+)", text(".binder/postBuild") + DOCKERFILE)
    assert {"gemmlab.emulator.warm"} <= {name for name in modules if name.startswith("gemmlab")}
    assert all((ROOT / name.replace(".", "/")).with_suffix(".py").is_file() for name in modules if "gemmlab" in name)
    assert os.name == "nt" or os.access(ROOT / ".binder/postBuild", os.X_OK)


@pytest.mark.parametrize(("name", "extra"), [("environment.yml", set()), ("environment-gpu.yml", {"gpu"})])
def test_conda_pulls_cudas_libraries_only_for_a_gpu(name, extra):
    python, pip, installed = yaml.safe_load(text(name))["dependencies"]
    assert python.removeprefix("python=") in PYTHONS and pip == "pip"
    assert installed["pip"][0] == "--constraint constraints.txt"
    assert set(re.findall(r"\[(\w+)\]", installed["pip"][1])) == extra <= EXTRAS


def test_ci_tries_every_python_and_the_ways():
    jobs = yaml.safe_load(text(".github/workflows/ways.yml"))["jobs"]
    assert jobs["wheel"]["strategy"]["matrix"]["python"] == list(PYTHONS)
    systems = {"windows-latest", "ubuntu-24.04-arm"}
    assert systems == {one["system"] for one in jobs["wheel"]["strategy"]["matrix"]["include"]}
    runs = "\n".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
    assert jobs["conda"]["strategy"]["matrix"]["file"] == ["environment.yml", "environment-gpu.yml"]
    assert {*re.findall(r"solutions/\w+\.cu", runs)} == {"solutions/02_tiled_fma.cu"}
    for way in ("--no-index --find-links wheelhouse gemmlab", "docker build", "repo2docker", "devcontainers/cli up"):
        assert way in runs


# ---- versions


@pytest.mark.parametrize("needed", BASE + GPU, ids=str)
def test_the_tested_version_of_each_dependency_is_within_its_bounds(needed):
    assert PINNED[canonicalize_name(needed.name)] in needed.specifier, "build constraints.txt anew: CONTRIBUTING.md"


def test_a_version_is_written_once_and_told():
    (version,) = re.findall(r'^version = "(.+)"', PROJECT, re.M)
    citation = yaml.safe_load(text("CITATION.cff"))
    assert citation["version"] == version and citation["cff-version"] == "1.2.0" and citation["license"] == "MIT"
    assert citation["title"] and citation["message"] and all(author["name"] for author in citation["authors"])
    assert f"\n## {version}\n" in text("CHANGELOG.md")


def test_a_wheel_is_built_with_what_the_build_asks_for_and_nothing_else(tmp_path):
    """pip builds in an environment that has only these."""
    asked = {canonicalize_name(needed.name) for needed in requirements("requires")}
    assert asked == set(BUILD_MODULES)
    for module in filter(None, BUILD_MODULES.values()):
        for path in Path(sysconfig.get_path("platlib")).glob(f"{module}*"):
            (tmp_path / path.name).symlink_to(path)
    program = "from gemmlab.course import handed_out, lesson; print(len(lesson.load_all()))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, f"hatch_build.py needs more than the build asks for:\n{done.stderr}"


# ---- what is of others


def test_the_licence_of_every_package_is_told():
    told = set(re.findall(r"^\| ([\w-]+) \| \S", text("THIRD_PARTY.md"), re.M)) - {"package"}
    declared = [*BASE, *GPU, *requirements("dask"), *requirements("test")]
    needed = {canonicalize_name(found.name) for found in declared} | set(PINNED)
    assert needed - told == set(), "THIRD_PARTY.md lacks them"
    assert told - needed == set(), "THIRD_PARTY.md names what is not installed"


def test_whose_code_was_run_is_linked():
    for ladder in results.published():
        assert ladder.link.startswith("https://") or ladder.measured == "by its author"
        assert ladder.link in text("README.md")
