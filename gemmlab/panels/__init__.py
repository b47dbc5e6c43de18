"""Live controls over pictures, for a student's notebook."""
