"""The name by which executed solved notebooks ask for a folder of their own."""

from gemmlab.course.lesson import work_in

__all__ = ["work_in"]
