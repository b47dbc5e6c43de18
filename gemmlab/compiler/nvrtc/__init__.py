"""NVRTC in a process of its own."""
