"""Why a launch cannot start, and what the optimiser drops. Sizes of blocks and grids are such as 16×16×1."""

from __future__ import annotations

from gemmlab.sentence import Sentence

EMPTY_BLOCK = Sentence("The block is {size}, but every dimension must be at least 1; nothing would run.")
EMPTY_GRID = Sentence("The grid is {size}, but every dimension must be at least 1; nothing would run.")
NEGATIVE_SHARED = Sentence("The launch asks for {smem} bytes of dynamic shared memory; give 0 or more.")
TOO_MANY_THREADS = Sentence(
    "A block of {block} has {threads:,} threads, but a block may have {most:,}; use smaller blocks and more of them, "
    "or let each thread compute several elements."
)
MORE_THAN_PROMISED = Sentence(
    "A block of {block} has {threads:,} threads, but __launch_bounds__ promises the compiler at most {most:,}; make "
    "them agree."
)
BLOCK_TOO_LONG = Sentence(
    "The block has {size:,} threads along {axis}, but at most {most:,} are allowed there; use x or y."
)
GRID_TOO_LONG = Sentence(
    "The grid has {size:,} blocks along {axis}, but at most {most:,} are allowed there; put the longer side along x or "
    "use larger tiles."
)
TOO_MANY_REGISTERS = Sentence(
    "{threads:,} threads of {registers} registers each need {needed:,} registers, but a block may have {most:,}; use "
    "fewer threads, or __launch_bounds__({threads}) to make the compiler use fewer."
)
TOO_MUCH_STATIC_SHARED = Sentence(
    "The kernel '{kernel}' declares {size} bytes of static shared memory, but a block may have {most}; make the tiles "
    "smaller, or use dynamic shared memory with the opt-in."
)
TOO_MUCH_SHARED = Sentence(
    "The block needs {total:,} bytes of shared memory, but on {arch} a block may have {most:,}, even with the opt-in; "
    "make the tiles smaller."
)
TOO_MUCH_SHARED_IN_PARTS = Sentence(
    "The block needs {static:,} bytes static and {dynamic:,} dynamic of shared memory, but on {arch} a block may have "
    "{most:,}, even with the opt-in; make the tiles smaller."
)
NEEDS_OPT_IN = Sentence(
    "The block needs {total:,} bytes of shared memory; more than {most:,} must be asked for with the opt-in "
    "(cudaFuncAttributeMaxDynamicSharedMemorySize, here --smem-opt-in)."
)
NEEDS_OPT_IN_IN_PARTS = Sentence(
    "The block needs {static:,} bytes static and {dynamic:,} dynamic of shared memory; more than {most:,} must be "
    "asked for with the opt-in (cudaFuncAttributeMaxDynamicSharedMemorySize, here --smem-opt-in)."
)

# What only the unoptimised code would need.
DROPPED_RESOURCES = Sentence(
    "Without optimisation this code fits no GPU: {reason} The optimiser drops it here, because nothing of C depends on "
    "it; remove it, for a small change may bring it back."
)
DROPPED_LOCAL_ARRAYS = Sentence(
    "Without optimisation a thread of '{kernel}' needs {bytes:,} bytes of local memory, more than the {most:,} that a "
    "GPU gives it. The optimiser drops them here; remove arrays that nothing of C depends on, or make them smaller."
)
DROPPED_RECURSION = Sentence(
    "A function of this kernel calls itself, as deep as its numbers say. The optimiser drops it or makes it a loop "
    "here; as it stands, each call takes more of a thread's small stack (1,024 bytes, unless the host asks for more)."
)
