"""Verbs of the capstone: the board that it is ranked on."""
