"""From what was handed in to the kernels that are compiled. Nothing that a student sent is executed."""
