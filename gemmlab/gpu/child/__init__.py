"""The GPU in a process of its own, and what surrounds the arrays there."""
