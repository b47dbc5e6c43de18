"""What NVRTC's remarks mean for a student, and where they stand."""

from __future__ import annotations

from gemmlab.sentence import Sentence

HOST_FUNCTION = Sentence(
    "this function belongs to the host, and only device code is compiled here: write __device__ before it if a kernel "
    "calls it, otherwise remove it"
)
HOST_VARIABLE = Sentence(
    "this variable belongs to the host, where no kernel can reach it: write __device__ or __constant__ before it, "
    "or make it const"
)
NO_HEADER = Sentence("there is no header {header} here: CUDA's headers and the usual ones of C and C++ can be included")
AT_END = Sentence("at the end of the file: {message}")
IN_HEADER = Sentence("in {header}, line {line}: {message}")
NOTE_AT_LINE = Sentence("{note} (line {line})")
