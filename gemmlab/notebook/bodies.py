"""Other code for some blanks of a kernel, in words."""

from __future__ import annotations

from collections.abc import Mapping

from gemmlab.markdown import escape
from gemmlab.trials.variant import Body


def in_words(bodies: Mapping[str, Body]) -> str:
    """'without **store**', 'with other code for **pad**'."""
    if not bodies:
        return "as it is"
    left_out = [name for name, body in bodies.items() if isinstance(body, str) and not body.strip()]
    return ", ".join(
        f"{'without' if name in left_out else 'with other code for'} **{escape(name)}**" for name in bodies
    )


def in_code(bodies: Mapping[str, str]) -> str:
    """'`#define PAD 0`' for {"pad": "#define PAD 0"}."""
    return ", ".join(f"`{' '.join(body.split())}`" for body in bodies.values())
