"""Builds what the course makes from its sources: starters, notebooks, and the README's results."""
