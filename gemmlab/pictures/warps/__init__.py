"""What warps ask of memory, and when."""
