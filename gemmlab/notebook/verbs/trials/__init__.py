"""What the student's kernel does, and would do with other code."""
