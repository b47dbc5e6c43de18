"""Runs a kernel's PTX on the CPU, a warp at a time, and sees what a GPU hides.

ptx/ reads the text, code/ makes arrays of it, machine/ runs them; all that is compiled lies there. report/ turns what
the machine noted into sentences and counters. executor.py is the way in.

In machine/, interpreter.py takes the instructions in turn. What they do stands in vector.py and isa.py for arithmetic,
tensor.py for matrices, memory/ for loads and stores, sync/ for barriers and what lanes hand to each other. shadow.py
and orders.py keep who touched what, and what that is ordered with; requests.py counts sectors and wavefronts.
"""

from gemmlab.emulator.executor import EmulatorExecutor

__all__ = ["EmulatorExecutor"]
