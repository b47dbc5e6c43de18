"""A product, or two layers of a network, cut over several devices: what each holds, what each has to send, how long.

Every device sends to every other one directly, all at the same time. So each receives as much as it sends, and the link
is as busy in one direction as in the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from gemmlab.kernel.launch import cdiv

Shape = tuple[int, int, int]
_FLOAT = 4  # bytes
_OPERATIONS = 2  # of a multiply-add


@dataclass(frozen=True)
class Rates:
    """Operations a second of one device's products, in TFLOP/s, and the speed of the link in one direction, in GB/s."""

    tflops: float
    gbs: float


@dataclass(frozen=True)
class Way:
    """One way to cut a product, or two layers. `held` are the bytes of the matrices that a device starts from, `sent`
    those that it sends until every device has the whole result."""

    cut: str
    exchange: str
    held: int
    sent: int


def gathered(rows: int, cols: int, devices: int) -> int:
    """Bytes that each device sends where each has an equal share of a matrix, and all are to have all of it."""
    return _FLOAT * rows * cols * (devices - 1) // devices


def reduced(rows: int, cols: int, devices: int) -> int:
    """Bytes that each device sends where each has a summand of every element of a matrix, and all are to have the sums.

    Each adds up one share, for which the others send theirs, and then the shares are gathered.
    """
    return 2 * gathered(rows, cols, devices)


def ways(shape: Shape, devices: int = 2) -> tuple[Way, ...]:
    """The three ways to cut C = A·B, where every device is to have all of C."""
    M, N, K = shape
    A, B = _FLOAT * M * K, _FLOAT * K * N
    return (
        Way("rows of A", "all-gather of C", A // devices + B, gathered(M, N, devices)),
        Way("columns of B", "all-gather of C", A + B // devices, gathered(M, N, devices)),
        Way("K", "all-reduce of C", (A + B) // devices, reduced(M, N, devices)),
    )


def layers(tokens: int, width: int, hidden: int, devices: int = 2) -> tuple[Way, ...]:
    """Three ways to cut the feed-forward layers, from `width` up to `hidden` and down again. `held` are the weights."""
    weights = 2 * _FLOAT * width * hidden
    wide, narrow = gathered(tokens, hidden, devices), gathered(tokens, width, devices)
    return (
        Way("tokens, tokens", "all-gather of the result", weights, narrow),
        Way("columns, columns", "all-gather after each layer", weights // devices, wide + narrow),
        Way("columns, rows", "all-reduce of the result", weights // devices, reduced(tokens, width, devices)),
    )


def product_ms(shape: Shape, devices: int, rates: Rates) -> float:
    """Of one device's part of the product."""
    M, N, K = shape
    return _OPERATIONS * M * N * K / devices / rates.tflops / 1e9


def exchange_ms(sent: int, rates: Rates) -> float:
    return sent / rates.gbs / 1e6


def share_in_turn(shape: Shape, devices: int, rates: Rates) -> float:
    """The time of the product alone, in parts of the time of the product and then the all-gather of C."""
    product = product_ms(shape, devices, rates)
    return product / (product + exchange_ms(gathered(*shape[:2], devices), rates))


def waves(shape: Shape, devices: int, tile: tuple[int, int], at_once: int) -> int:
    """In how many turns the blocks of one device run, of which it holds `at_once`."""
    M, N, _ = shape
    return cdiv(cdiv(cdiv(M, devices), tile[0]) * cdiv(N, tile[1]), at_once)


def ways_table(shape: Shape, devices: int, rates: Rates) -> str:
    """The ways to cut a product, with what each device holds and sends, in Markdown."""
    head = "| cut | a device holds of A and B, MB | exchange | it sends, MB | ms |\n|:--|--:|:--|--:|--:|"
    product = f"{product_ms(shape, devices, rates):.2f} ms at {rates.tflops:g} TFLOP/s"
    told = f"**Each way multiplies for {product}.** The exchange is at {rates.gbs:g} GB/s in each direction."
    return "\n".join([head, *(_row(way, rates) for way in ways(shape, devices)), "", told])


def layers_table(tokens: int, width: int, hidden: int, devices: int, rates: Rates) -> str:
    """The ways to cut two layers, in Markdown."""
    head = "| up, down | weights on a device, MB | exchange | it sends, MB | ms |\n|:--|--:|:--|--:|--:|"
    return "\n".join([head, *(_row(way, rates) for way in layers(tokens, width, hidden, devices))])


def _row(way: Way, rates: Rates) -> str:
    megabytes = f"{way.held / 1e6:.1f} | {way.exchange} | {way.sent / 1e6:.1f}"
    return f"| {way.cut} | {megabytes} | {exchange_ms(way.sent, rates):.3f} |"
