"""The verbs of an open lesson: `@verb` puts a function among them, and the folder `verbs` is looked through once.

A verb is a function of a desk and of what the student writes: `lesson.tiles((48, 64, 80), place=(1, 2, 2))` calls
`tiles(desk, (48, 64, 80), place=(1, 2, 2))`. It shows its result and returns nothing.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache

Verb = Callable[..., None]
_found: dict[str, Verb] = {}
_NEAR = 3  # names that an error offers


def verb(function: Verb) -> Verb:
    """Make the function a verb of this name. ValueError where there is one already."""
    name = function.__name__
    other = _found.get(name)
    if other and other.__module__ != function.__module__:
        raise ValueError(f"two verbs are called {name}: in {other.__module__} and in {function.__module__}")
    _found[name] = function
    return function


@cache
def verbs() -> Mapping[str, Verb]:
    """Every verb by its name, in the order of the names."""
    from gemmlab.notebook import verbs as folder

    for module in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}."):
        importlib.import_module(module.name)
    return dict(sorted(_found.items()))


def near(name: str) -> list[str]:
    """The verbs that this may have been meant for, the likeliest first."""
    known = list(verbs())
    alike = difflib.get_close_matches(name, known, _NEAR)
    begun = [other for other in known if other.startswith(name) or name.startswith(other)]
    return list(dict.fromkeys(alike + begun))
