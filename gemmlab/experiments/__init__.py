"""What lessons try out on the student's kernel, or on a model of it."""
