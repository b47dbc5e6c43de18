"""Runs a kernel's PTX on the CPU, a warp at a time, and sees what a GPU hides.

ptx.py reads the text, decode.py and translate_*.py make arrays of it, interpreter.py runs them. What arithmetic
instructions do stands in vector.py and isa.py, memory is in memory.py, warps and barriers in sync.py, matrices in
tensor.py. shadow.py keeps who touched what, requests.py counts sectors and wavefronts, findings.py turns faults into
sentences. executor.py is the way in.
"""

from gemmlab.emulator.executor import EmulatorExecutor

__all__ = ["EmulatorExecutor"]
