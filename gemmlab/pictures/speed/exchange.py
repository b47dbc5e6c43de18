"""One product on two devices in time: the exchange after it, and the tiles of each wave of blocks while it runs."""

from __future__ import annotations

from gemmlab.models.networks.devices import Rates, Shape, exchange_ms, gathered, product_ms
from gemmlab.pictures.picture import COLOR, INK, Picture, new_figure

_DEVICES = 2


def exchange_picture(shape: Shape, waves: int, library: Rates, stores: Rates) -> Picture:
    """The bars of each device, by the model: the library's exchange after the product, and the kernel's stores, which
    begin when the first of so many waves of blocks is through."""
    product = product_ms(shape, _DEVICES, library)
    sent = gathered(*shape[:2], _DEVICES)
    after, wave = exchange_ms(sent, library), exchange_ms(sent, stores) / waves
    pieces = [(product * (number + 1) / waves, wave) for number in range(waves)]
    figure = new_figure(8.0, 2.6)
    axes = figure.subplots()
    for at, bars in ((0.0, [(product, after)]), (2.0, pieces)):
        axes.broken_barh([(0.0, product)], (at - 0.35, 0.7), color=COLOR["C"], label="product" if at else None)
        label = "exchange" if at else None
        axes.broken_barh(bars, (at + 0.4, 0.4), color=COLOR["wrong"], hatch="//", label=label)
    axes.axvline(product, color=INK, linewidth=1, linestyle=":")
    axes.set_yticks([0.2, 2.2], ["one after\nthe other", "tile by tile"])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("ms, on each of two devices", color=INK)
    axes.tick_params(colors=INK, labelsize=8)
    axes.legend(fontsize=8, frameon=False, labelcolor=INK, loc="lower right", ncols=2, bbox_to_anchor=(1, 1))
    return Picture(figure, _words(product, after, waves, wave))


def _words(product: float, after: float, waves: int, wave: float) -> str:
    return (
        f"One after the other: {product:.2f} ms of product, then {after:.2f} ms of exchange, {product + after:.2f} ms "
        f"in all. Tile by tile: the blocks run in {waves} wave{'s' * (waves > 1)}, and when one is through, its tiles "
        f"travel for {wave:.3f} ms while the next one multiplies; only the last wave's come after the product, "
        f"{product + wave:.2f} ms in all. A model, not a measurement."
    )
