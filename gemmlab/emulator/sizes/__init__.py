"""Which conditions of a kernel hang on M, N and K, and which way they go at given sizes: nothing of it is emulated."""
