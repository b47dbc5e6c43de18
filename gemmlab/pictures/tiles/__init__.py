"""Matrices and their tiles: where they lie, who fills them, and where C is wrong."""
