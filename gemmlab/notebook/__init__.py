"""The face of the course in a notebook: `notebook.open("02")` gives the lesson whose verbs the cells call."""

from gemmlab.notebook.lesson import OpenLesson, open

__all__ = ["OpenLesson", "open"]
