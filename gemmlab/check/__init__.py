"""Checks a kernel under trial: what it must get right, what it must not do, and why it failed."""
