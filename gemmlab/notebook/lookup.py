"""Finds a verb by its name: the folder `verbs` is looked through once."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from gemmlab.notebook import verbs as folder
from gemmlab.notebook.registry import FOUND, Verb

_NEAR = 3  # names that an error offers


@cache
def verbs() -> Mapping[str, Verb]:
    """Every verb by its name, in the order of the names."""
    for module in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}."):
        importlib.import_module(module.name)
    return dict(sorted(FOUND.items()))


def near(name: str) -> list[str]:
    """The verbs that this may have been meant for, the likeliest first."""
    known = list(verbs())
    alike = difflib.get_close_matches(name, known, _NEAR)
    begun = [other for other in known if other.startswith(name) or name.startswith(other)]
    return list(dict.fromkeys(alike + begun))
