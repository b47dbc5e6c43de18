"""Verdicts and profiles as text."""
