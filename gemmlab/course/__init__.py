"""What a lesson is, and what a student did in it."""
