"""A course on fast matrix multiplication in CUDA. ARCHITECTURE.md has the rooms."""
