"""Where jobs are executed: on this machine or on a Dask cluster, behind one `concurrent.futures` interface.

`execute` is what an executor is given. It runs in a process that the instructor started, here or on a machine of the
cluster, and has the work done by a sandboxed child of that process. An executor's own threads only wait.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager

from gemmlab.errors import UserError
from grading.model import Execution, Job
from grading.sandbox import sentences
from grading.sandbox.level import Level, level_of
from grading.sandbox.worker import Worker, WorkerLost

_TRIES = 3


class _Pool:
    """The workers of this process. The first is attacked, to learn what its sandbox holds; the others are like it."""

    def __init__(self) -> None:
        self.level: Level | None = None
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._closed = False
        self._lock = threading.Lock()
        self._level_lock = threading.Lock()

    @contextmanager
    def worker(self, insecure: bool) -> Iterator[tuple[Worker, Level]]:
        """One for the caller alone, and what it holds. It is closed where anything goes wrong with it. Raises
        WorkerLost once closed."""
        worker, is_new = self._take()
        try:
            if is_new:
                worker.greet()
            with self._level_lock:
                self.level = self.level or level_of(worker)
            self.level.check(insecure)
            yield worker, self.level
        except BaseException:
            with self._lock:
                self._busy.discard(worker)
            worker.close()
            raise
        with self._lock:
            self._busy.discard(worker)
            self._idle.append(worker)

    def _take(self) -> tuple[Worker, bool]:
        with self._lock:
            if self._closed:
                raise WorkerLost("the run has ended")
            is_new = not self._idle
            worker = Worker() if is_new else self._idle.pop()
            self._busy.add(worker)
            return worker, is_new

    def open(self) -> None:
        self._closed = False

    def close(self) -> None:
        """End all workers. Whoever waits for one gets WorkerLost, or UserError where it was still to be greeted."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for worker in self._busy:
                worker.kill()
        for worker in idle:
            worker.close()


_pool = _Pool()
atexit.register(_pool.close)


def execute(job: Job, insecure: bool = False) -> Execution:
    """Execute the job in the sandbox of this process's machine.

    Raises UserError where there is no safe one, and WorkerLost where it broke time and again.
    """
    for _ in range(_TRIES - 1):
        try:
            return _execute_once(job, insecure)
        except WorkerLost:
            continue
    return _execute_once(job, insecure)


def _execute_once(job: Job, insecure: bool) -> Execution:
    with _pool.worker(insecure) as (worker, _):
        return worker.run(job)


def sandbox_level(insecure: bool = False) -> Level:
    """What the sandbox gives on this process's machine. Raises UserError where it is not enough."""
    with _pool.worker(insecure) as (_, level):
        return level


@contextmanager
def open_executor(jobs: int, dask: str | None) -> Iterator[tuple[Executor, int]]:
    """An executor for `execute`, and how many jobs it does at once: `jobs` here, or what the cluster has.

    Work that has not begun is dropped when the context ends. Raises UserError where there is no cluster at `dask`.
    """
    if dask:
        yield from _on_dask(dask)
        return
    executor = ThreadPoolExecutor(jobs)
    _pool.open()
    try:
        yield executor, jobs
    finally:
        _pool.close()
        executor.shutdown(cancel_futures=True)


def _on_dask(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client
    except ImportError:
        raise UserError(sentences.NO_DASK()) from None
    try:
        client = Client(address, timeout=30)
    except (OSError, ValueError, TimeoutError) as error:
        raise UserError(sentences.NO_SCHEDULER(address=address, reason=error)) from None
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise UserError(sentences.NO_WORKERS(address=address))
        executor = client.get_executor()
        try:
            yield executor, threads
        finally:
            executor.shutdown(wait=False)
