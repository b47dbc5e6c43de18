"""What the model says of a kernel, in sentences: the time, its range and what decides, or why there is no number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gemmlab.text import sentences as say

if TYPE_CHECKING:
    from gemmlab.model import Prediction


def told(prediction: Prediction) -> Iterator[str]:
    """The time and the reasons; one sentence where there is no number."""
    gpu = prediction.gpu.replace("-", " ")
    times = prediction.ms, prediction.low_ms, prediction.high_ms
    if None in times or prediction.gflops is None:
        yield say.NOT_PREDICTED(gpu=gpu, unknown=as_sentence(prediction.unknown or ""))
        return
    M, N, K = prediction.shape
    ms, low, high = (f"{time:.3g}" for time in times)
    percent, gflops = prediction.percent or 0, f"{prediction.gflops:,.0f}"
    yield say.PREDICTED(gpu=gpu, M=M, N=N, K=K, ms=ms, low=low, high=high, percent=percent, gflops=gflops)
    yield say.BECAUSE(summary=prediction.summary())


def time_of(prediction: Prediction) -> Mapping[int, float]:
    """Which part of its warps' time each source line takes, from 0 to 1; lines that take none are left out."""
    found = ((line, sum(shares.values())) for line, shares in sorted(prediction.lines.items()))
    return {line: share for line, share in found if share > 0}


def as_sentence(text: str) -> str:
    """With a capital at the front and a full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
