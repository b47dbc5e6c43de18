"""The machine that runs a warp: all that Numba compiles lies in this folder."""
