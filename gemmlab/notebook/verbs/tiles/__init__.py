"""Matrices and their tiles."""
