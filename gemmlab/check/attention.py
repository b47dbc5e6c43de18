"""Attention's scores Q·Kᵀ / √D as a batch of products, a head each, checked as any kernel is."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from gemmlab.check.check import check_source
from gemmlab.course.lesson import Case
from gemmlab.kernel.arguments import ArgumentList, GivenLaunch
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.layout import COURSE
from gemmlab.kernel.verdict import Verdict
from gemmlab.trials import candidate

SOURCE = Path(candidate.__file__).with_name("batched.cu")
_POINTERS_AND_SIZES = "A,B.T,C,M,N,K,M*K,N*K,M*N"


def launch_of(batch: int, depth: int) -> GivenLaunch:
    """The launch for so many products of rows of so many floats. Q and K lie as [B, H, S, D] does."""
    layout = replace(COURSE, batch=batch)
    spec = LaunchSpec.parse("16,16", f"cdiv(N,16),cdiv(M,16),{batch}", kernel="scores", layout=layout)
    given = ArgumentList.parse(f"{_POINTERS_AND_SIZES},alpha={1 / math.sqrt(depth):.9g}")
    return GivenLaunch(spec, given, (None,) * 3 + ("int",) * 6 + ("float",))


def check_scores(source: str, batch: int, tokens: int, depth: int, backend: str = "auto") -> Verdict:
    """Check a kernel of that signature on random and on structured numbers. UserError as for check_source."""
    cases = [Case((tokens, tokens, depth), inputs, 0, "given") for inputs in ("random", "structured")]
    return check_source(source, SOURCE.name, launch_of(batch, depth), cases, backend)
