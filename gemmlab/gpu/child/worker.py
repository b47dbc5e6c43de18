"""The process that uses the GPU: `python -m gemmlab.gpu.child.worker`, one JSON object a line on stdin and stdout.

A kernel may loop for ever or break the CUDA context for good; it does so here, and whoever started this process
kills it. It runs in a private folder: kernel.cubin is the code, A.npy, B.npy and C.npy are the memory images, changed
in place. It judges nothing. After any CUDA error it ends, since the context cannot be trusted any more.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Callable

from gemmlab.gpu.child.contest import Contest
from gemmlab.gpu.child.context import Gpu
from gemmlab.gpu.child.ranks import Ranks
from gemmlab.gpu.child.stopwatch import Stopwatch


def main() -> int:
    """Answer requests until stdin closes."""
    send = _answers()
    requests = _requests()
    try:
        gpu = Gpu()
        stopwatch = Stopwatch(gpu)
        answers = {
            "launch": gpu.launch,
            "time": stopwatch.race,
            "spans": stopwatch.spans,
            "ranks": Ranks(gpu).launch,
            "cold": stopwatch.cold,
            "contest": lambda request: Contest(gpu, stopwatch, request).run(),
        }
        send({"event": "ready", **gpu.describe()})
        while True:
            request = requests.get()
            for event in answers[request.pop("do")](request):
                send(event)
    except Exception as error:  # whatever it is, whoever asked must hear of it
        send({"event": "error", "code": _code(error), "text": _text(error)})
        return 1


def _answers() -> Callable[[dict], None]:
    """Answers go to a copy of stdout; stdout itself becomes stderr, because a kernel's printf ends up there."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def send(message: dict) -> None:
        stream.write(json.dumps(message) + "\n")
        stream.flush()

    return send


def _requests() -> queue.SimpleQueue[dict]:
    """Requests, read by a thread that ends this process when stdin closes, even while a kernel loops for ever."""
    requests: queue.SimpleQueue[dict] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            requests.put(json.loads(line))
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return requests


def _code(error: Exception) -> int | str | None:
    """The CUDA error's number, which driver and runtime share; 'no cublas'; None for anything else."""
    if isinstance(error, ImportError) and "cublas" in str(error):
        return "no cublas"
    is_of_cuda = type(error).__name__ in ("CUDARuntimeError", "CUDADriverError")
    return getattr(error, "status", None) if is_of_cuda else None


def _text(error: Exception) -> str:
    lines = str(error).strip().split("\n")
    return f"{type(error).__name__}: {lines[0]}"


if __name__ == "__main__":
    # A broken context makes CuPy's clean-up fail as well; nothing is left here that would need it.
    status = main()
    sys.stderr.flush()
    os._exit(status)
