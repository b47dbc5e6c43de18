"""Runs a kernel's PTX on the CPU, a warp at a time, and sees what a GPU hides.

ptx.py reads the text, decode.py makes arrays of it, interpreter.py runs them; shadow.py keeps who touched what,
requests.py counts sectors and wavefronts, findings.py turns faults into sentences. executor.py is the way in.
"""

from gemmlab.emulator.executor import EmulatorExecutor

__all__ = ["EmulatorExecutor"]
