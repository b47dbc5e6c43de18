"""What named GPUs measured, written by `gemmlab record` and the tools."""
