"""One file a verb; how to add one stands in CONTRIBUTING.md."""
