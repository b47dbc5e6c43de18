"""gemmlab doctor: what this machine offers."""

from __future__ import annotations

import typer

from gemmlab.commands.answer import print_json
from gemmlab.commands.options import JsonOption


def doctor(as_json: JsonOption = False) -> None:
    """Say what this machine offers: compiler, emulator, GPU, notebook."""
    from gemmlab.doctor import examine, print_items

    items = examine()
    ready = all(item.ok for item in items if item.needed)
    if as_json:
        print_json({"ready": ready, "items": [item.to_json() for item in items]})
    else:
        print_items(items)
    raise typer.Exit(0 if ready else 1)
