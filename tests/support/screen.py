"""What a cell displays, as bundles and as text, for tests without a notebook."""

from __future__ import annotations

from cell_outputs import Handle


class Screen:
    """What a cell displayed, in order."""

    def __init__(self):
        self.outputs = []

    def display(self, *outputs, raw=False, display_id=False):
        self.outputs += outputs
        return Handle(self.outputs, len(self.outputs) - 1) if display_id else None

    @property
    def bundles(self) -> list[dict]:
        raw = [it if isinstance(it, dict) else it._repr_mimebundle_() for it in self.outputs]
        return [it[0] if isinstance(it, tuple) else it for it in raw]

    @property
    def text(self) -> str:
        """The text of all outputs, with plain spaces."""
        return "\n".join(bundle["text/plain"] for bundle in self.bundles).replace("\N{NO-BREAK SPACE}", " ")

    @property
    def pictures(self) -> int:
        return sum("image/png" in bundle for bundle in self.bundles)

    def of(self, call, *args, **kwargs) -> str:
        """The text that one call displays."""
        self.outputs.clear()
        assert call(*args, **kwargs) is None
        return self.text
