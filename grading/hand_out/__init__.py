"""What is given to students, and the lessons for nbgrader."""
