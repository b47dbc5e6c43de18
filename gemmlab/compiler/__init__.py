"""NVRTC, in a process of its own, behind a cache: CUDA source in, PTX, cubin and diagnostics out."""
