"""How fast kernels are and may be: rooflines, ladders, landscapes, and the compiler's figures."""
