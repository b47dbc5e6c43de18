"""What a CUDA source says, read without compiling it."""
