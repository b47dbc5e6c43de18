"""A picture with its description, and the colours that all pictures share."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours: people with colour-blindness can tell them apart. A matrix has the same colour everywhere.
COLOR = {"A": "#0072B2", "B": "#E69F00", "C": "#009E73", "wrong": "#D55E00", "note": "#CC79A7"}
INK = "#222222"
FAINT = "#9a9a9a"
PAPER = "#ffffff"  # opaque, so that dark ink stays readable where the notebook is dark
_DPI = 110


@dataclass(frozen=True)
class Picture:
    """A figure and, in words, what it shows: `alt` is its text for those who cannot see it, and its caption."""

    figure: Figure
    alt: str

    def png(self) -> bytes:
        """The same bytes for the same figure: no date, no version in the metadata.

        As `savefig` has it, which draws a figure once more than needed to lay it out.
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.image import imsave

        self.figure.set_dpi(_DPI)
        canvas = FigureCanvasAgg(self.figure)
        canvas.draw()
        buffer = io.BytesIO()
        metadata = {"Description": self.alt, "Software": None}
        imsave(buffer, canvas.buffer_rgba(), format="png", origin="upper", dpi=_DPI, metadata=metadata)
        return buffer.getvalue()

    def _repr_mimebundle_(self, include=None, exclude=None) -> tuple[dict, dict]:
        data = {"image/png": base64.b64encode(self.png()).decode("ascii"), "text/plain": self.alt}
        return data, {"image/png": {"alt": self.alt}}


def new_figure(width: float, height: float) -> Figure:
    """A figure of width × height inches that belongs to no window and no global list."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), facecolor=PAPER, layout="constrained")
