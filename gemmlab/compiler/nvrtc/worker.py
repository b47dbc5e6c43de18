"""The process that runs NVRTC: one JSON object a line on stdin (a request), one on stdout (its answer).

NVRTC is a C++ compiler that students feed with anything, so it may crash, loop or take all memory. It does so here,
under limits, and never in the process of the notebook. The file is started by its path and imports nothing of gemmlab,
to be light. Its first line says which NVRTC it found, or why there is none.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import re
import signal
import sys
import threading
import time
import types
from pathlib import Path
from typing import TextIO

try:
    import resource
except ImportError:  # Windows, which has no such limits
    resource = None  # type: ignore[assignment]

LONGEST_LOG = 2_000_000  # characters
ORPHAN_POLL = 2  # seconds
RETIRE_ABOVE = 1 << 30  # bytes; NVRTC gives little memory back after a large source


def main() -> None:
    """Say hello, then answer requests until stdin closes or one has left this process too large."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the notebook; it decides what happens to this process
    requests, answers = _private_streams()
    own_folder = Path(__file__).resolve().parent  # its modules must not hide those of others
    sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != own_folder]
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    _limit_memory(int(sys.argv[1]))
    nvrtc, hello = _start()
    _send(answers, hello)
    if nvrtc is None:
        return
    for line in requests:
        answer = _compile(nvrtc, json.loads(line), hello["include"])
        answer["last"] = _peak_memory() > RETIRE_ABOVE
        _send(answers, answer)
        if answer["last"]:
            return


def _private_streams() -> tuple[TextIO, TextIO]:
    """The two pipes under numbers of their own; 0, 1 and 2 become the null device, so that only we use the pipes."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    return requests, answers


def _send(answers: TextIO, answer: dict) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _limit_memory(limit: int) -> None:
    if resource:
        for kind, value in ((resource.RLIMIT_AS, limit), (resource.RLIMIT_CORE, 0)):
            _set_soft_limit(kind, value)


def _end_with(parent: int) -> None:
    """End this process soon after its parent, which keeps the time, even in the middle of a compilation."""
    while os.getppid() == parent:
        time.sleep(ORPHAN_POLL)
    os._exit(1)


def _set_soft_limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _peak_memory() -> int:
    """Bytes of memory that this program has had at most; 0 where the system does not say.

    Not getrusage's ru_maxrss: Linux hands that of the parent on, so a large notebook would end its compiler each time.
    """
    try:
        status = Path("/proc/self/status").read_text("utf-8", "replace")
    except OSError:
        return 0
    peak = re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)
    return int(peak[1]) * 1024 if peak else 0


def _start() -> tuple[types.ModuleType | None, dict]:
    """Load NVRTC and let it compile once, since its first compilation is slow. Returns CuPy's binding and the hello."""
    try:
        nvrtc = _binding()
        version = nvrtc.getVersion()
        _compile(nvrtc, {"source": "", "name": "warm_up.cu", "options": ["-arch=sm_80"], "headers": {}}, [])
    except Exception as error:
        return None, {"error": f"{type(error).__name__}: {error}"}
    return nvrtc, {"version": version, "include": [str(folder) for folder in _include_folders(version[0])]}


def _binding() -> types.ModuleType:
    """CuPy's binding of NVRTC, loaded.

    It imports all of CuPy just to write a line into a log that is off. A stand-in for that one function makes the start
    three times as fast; where a later CuPy asks for more, the real one is imported.
    """
    stand_in = types.ModuleType("cupy")
    vars(stand_in)["_environment"] = types.SimpleNamespace(_log=lambda message: None)
    sys.modules["cupy"] = stand_in
    try:
        from cupy_backends.cuda.libs import nvrtc

        nvrtc.getVersion()
    except (ImportError, AttributeError):
        for name in [name for name in sys.modules if name.split(".")[0] in ("cupy", "cupy_backends")]:
            del sys.modules[name]
        from cupy_backends.cuda.libs import nvrtc
    return nvrtc


def _include_folders(major: int) -> list[Path]:
    """The folders of NVIDIA's headers for this major version of CUDA: of the wheels, then, for what those lack, of an
    installed toolkit."""
    package = importlib.util.find_spec("nvidia")
    roots = (package.submodule_search_locations if package else None) or ()
    parts = ("cuda_runtime", "cuda_nvcc", "cuda_cccl") if major == 12 else (f"cu{major}",)
    wheels = [Path(root, part, "include") for root in roots for part in parts]
    toolkits = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    groups = [wheels, *([Path(root, "include")] for root in toolkits if root)]
    fitting = [group for group in groups if any(_has_runtime_headers(folder, major) for folder in group)]
    folders = [folder for group in fitting for base in group for folder in (base, base / "cccl")]
    return [folder for folder in folders if folder.is_dir()]


def _has_runtime_headers(folder: Path, major: int) -> bool:
    """Whether the CUDA runtime's headers of that major version lie there: those of another would not fit NVRTC."""
    header = folder / "cuda_runtime_api.h"
    if not header.is_file():
        return False
    version = re.search(r"#define\s+CUDART_VERSION\s+(\d+)", header.read_text("utf-8", "replace"))
    return version is not None and int(version[1]) // 1000 == major


def _compile(nvrtc: types.ModuleType, request: dict, include: list[str]) -> dict:
    """Compile one source. The answer has `ok`, `log`, `ptx`, `cubin` (base64; empty without a real architecture, and
    with -G: no GPU runs such code, and it is large) and `names`, the symbols of the template instances asked for."""
    headers = {name.encode(): text.encode() for name, text in request["headers"].items()}
    options = (*request["options"], *(f"-I{folder}" for folder in include))
    program = nvrtc.createProgram(request["source"], request["name"], tuple(headers.values()), tuple(headers))
    instances = request.get("instances", ())
    try:
        for name in instances:
            nvrtc.addNameExpression(program, name)
        try:
            nvrtc.compileProgram(program, options)
        except nvrtc.NVRTCError as error:
            return {"ok": False, "log": _text(nvrtc.getProgramLog(program))[:LONGEST_LOG], "reason": str(error)}
        for_a_gpu = any(option.startswith("-arch=sm_") for option in options) and "-G" not in options
        cubin = nvrtc.getCUBIN(program) if for_a_gpu else b""
        cubin += bytes(-len(cubin) % 8)  # CuPy takes the last byte for the end of a text
        return {
            "ok": True,
            "log": _text(nvrtc.getProgramLog(program))[:LONGEST_LOG],
            "ptx": _text(nvrtc.getPTX(program)),
            "cubin": base64.b64encode(cubin).decode("ascii"),
            "names": {name: _text(nvrtc.getLoweredName(program, name)) for name in instances},
        }
    finally:
        nvrtc.destroyProgram(program)


def _text(value: bytes | str) -> str:
    """CuPy hands over bytes, or '' where there is nothing."""
    text = value if isinstance(value, str) else value.decode("utf-8", "replace")
    return text.replace("\0", "")


if __name__ == "__main__":
    main()
