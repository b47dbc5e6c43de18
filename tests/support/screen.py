"""What a cell displays, as bundles and as text, for tests without a notebook."""

from __future__ import annotations

from cell_outputs import Handle

from gemmlab.pictures.picture import Picture


class Screen:
    """What a cell displayed, in order."""

    def __init__(self):
        self.outputs = []
        self._drawn = {}

    def display(self, *outputs, raw=False, display_id=False):
        self.outputs += outputs
        return Handle(self.outputs, len(self.outputs) - 1) if display_id else None

    @property
    def bundles(self) -> list[dict]:
        raw = [it if isinstance(it, dict) else self._bundle_of(it) for it in self.outputs]
        return [it[0] if isinstance(it, tuple) else it for it in raw]

    def _bundle_of(self, output):
        """As in a notebook, a picture is drawn once, when it is displayed; here, when it is first asked for."""
        if not isinstance(output, Picture):
            return output._repr_mimebundle_()
        if id(output) not in self._drawn:
            self._drawn[id(output)] = (output._repr_mimebundle_(), output)  # held, so that no other gets its id
        return self._drawn[id(output)][0]

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
        self._drawn.clear()
        assert call(*args, **kwargs) is None
        return self.text
