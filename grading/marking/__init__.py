"""Hidden cases, verdicts on them, and marks."""
