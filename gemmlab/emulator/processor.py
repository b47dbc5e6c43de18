"""The processor that the emulator's machine code is made for."""

from __future__ import annotations

import llvmlite.binding as llvm

TRIPLE = llvm.get_process_triple()
IS_X86 = TRIPLE.startswith("x86")
NAME = llvm.get_host_cpu_name()
_FEATURES = llvm.get_host_cpu_features()
FEATURES = _FEATURES.flatten()
HAS_FMA = bool(_FEATURES.get("fma")) or TRIPLE.startswith(("aarch64", "arm64"))
