# make lab      install and open JupyterLab on lessons/     PORT=8888 BROWSER=no
# >>> not in the student bundle (grading/hand_out/release.py)
# make test     install and run every test                  JOBS=3
# make lessons  build kernels/ and the notebooks            EXECUTE=all
# <<< not in the student bundle
#
# Paths here are relative, so that the course works in a directory with spaces in its name.

PORT ?= 8888
BROWSER ?= yes
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.10 python; do \
    "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && { echo "$$p"; break; }; done)

GPU := $(shell { nvidia-smi -L || test -d /proc/driver/nvidia; } >/dev/null 2>&1 && echo .venv/installed-gpu)
VENV := .venv/bin/python
PIP := $(VENV) -m pip install --disable-pip-version-check

export PYTHONUTF8 := 1
export PIP_REQUIRE_VIRTUALENV := 1

.PHONY: lab warm clean
.NOTPARALLEL:

lab: .venv/installed-base $(GPU)
	@$(VENV) -m gemmlab.emulator.warm --beside
	$(VENV) -m jupyterlab . --LabApp.default_url=/lab/tree/lessons --port=$(PORT) $(if $(filter no,$(BROWSER)),--no-browser) \
	    $$(test "$$(id -u)" -ne 0 || echo --allow-root)

# >>> not in the student bundle
# One more than the cores of a small machine: several tests wait for a limit to be reached.
JOBS ?= 3
COURSE := build/course
NBVAL := --nbval-lax --nbval-current-env --nbval-cell-timeout=120

.PHONY: test lint types lessons

# Style, the walls between the rooms (.importlinter), and types: no error beyond the baseline, which may only shrink.
lint: .venv/installed-test
	$(VENV) -m ruff check .
	.venv/bin/lint-imports --no-cache
	$(VENV) -m mypy | .venv/bin/mypy-baseline filter --hide-stats || { echo "Fewer errors than the baseline? Then: make types" >&2; exit 1; }

# Writes the baseline anew.
types: .venv/installed-test
	$(VENV) -m mypy | .venv/bin/mypy-baseline sync


# The notebooks run in a copy of the course, so that nobody's kernels are overwritten, and without a GPU, so that
# their outputs are the same on every machine.
test: lint $(GPU) .venv/chromium warm
	$(VENV) tests/support/copy_course.py $(COURSE)
	CUDA_VISIBLE_DEVICES=-1 $(VENV) -m pytest -n $(JOBS) --dist loadscope $(NBVAL) $(COURSE)/lessons $(COURSE)/solutions
	$(VENV) -m pytest -n $(JOBS) --dist loadscope --no-loadscope-reorder -p no:nbval tests

lessons: .venv/installed-base $(GPU) warm
	$(VENV) -m gemmlab.build $(if $(filter all,$(EXECUTE)),--execute-all)
# <<< not in the student bundle

# A browser for the tests of the notebooks in JupyterLab: the machine's own, or one that Playwright fetches. Without
# one these tests are not run, and say so.
.venv/chromium: | .venv/installed-test
	@for name in chromium chromium-browser google-chrome; do \
	    if command -v $$name >/dev/null; then touch "$@"; exit; fi; done; \
	    $(VENV) -m playwright install chromium >/dev/null 2>&1 && touch "$@" || echo "No Chromium could be fetched."

# Compiles the emulator once; quick when it is compiled already.
warm:
	@$(VENV) -m gemmlab.emulator.warm

# One stamp an extra: nothing is installed again, and no network is needed, until pyproject.toml changes.
.venv/installed-%: pyproject.toml | $(VENV)
	$(PIP) --editable "$(if $(filter base,$*),.,.[$*])"
	@touch "$@"

$(VENV):
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { \
	    echo "Python 3.10 or later is needed; found: $$($(or $(PYTHON),python3) --version 2>&1 || true)." \
	    "Install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make virtual environments." \
	    "On Debian and Ubuntu: sudo apt-get install python3-venv" >&2; exit 1; }
	"$(PYTHON)" -m venv .venv || { rm -rf .venv; exit 1; }

clean:
	rm -rf .venv build
