"""Errors whose text is meant for the person who typed the command: one sentence, no traceback."""


class UserError(Exception):
    """What was asked cannot be done. The message says what was wrong and what to do about it."""
