"""Reads a file's own host launcher, without compiling or running any of it."""
