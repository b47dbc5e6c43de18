"""The verbs of an open lesson: `@verb` puts a function among them; lookup.py finds them all.

A verb is a function of a desk and of what the student writes: `lesson.tiles((48, 64, 80), place=(1, 2, 2))` calls
`tiles(desk, (48, 64, 80), place=(1, 2, 2))`. It shows its result and returns nothing.
"""

from __future__ import annotations

from collections.abc import Callable

Verb = Callable[..., None]
FOUND: dict[str, Verb] = {}  # by name, as their modules are imported


def verb(function: Verb) -> Verb:
    """Make the function a verb of this name. ValueError where there is one already."""
    name = function.__name__
    other = FOUND.get(name)
    if other and other.__module__ != function.__module__:
        raise ValueError(f"two verbs are called {name}: in {other.__module__} and in {function.__module__}")
    FOUND[name] = function
    return function
