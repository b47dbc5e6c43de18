"""Messages between the grader and a child process: a JSON object, then raw bytes. Nothing in them is ever executed.

The grader believes nothing: whoever receives says how much it takes, and for how long it waits.
"""

from __future__ import annotations

import json
import math
import socket
import struct
import time

MOST_JSON = 1 << 20  # bytes; the plan of a launcher may have a thousand steps
_HEAD = struct.Struct("!II")  # bytes of JSON, bytes of data


class BadMessage(Exception):
    """What came is no message, or a larger one than asked for."""


class Closed(Exception):
    """The other side is gone."""


def send(channel: socket.socket, message: dict, *data: bytes, seconds: float | None = None) -> None:
    """Raises Closed where nobody listens any more, TimeoutError where nobody reads within `seconds`."""
    text = json.dumps(message).encode()
    channel.settimeout(seconds)
    try:
        channel.sendall(b"".join((_HEAD.pack(len(text), sum(map(len, data))), text, *data)))
    except (BrokenPipeError, ConnectionError):
        raise Closed from None


def receive(channel: socket.socket, most_data: int, seconds: float = math.inf) -> tuple[dict, bytes]:
    """The next message, with at most that many bytes of data. Raises Closed, BadMessage or TimeoutError."""
    end = time.monotonic() + seconds
    json_size, data_size = _HEAD.unpack(_exactly(channel, _HEAD.size, end))
    if json_size > MOST_JSON or data_size > most_data:
        raise BadMessage(f"{json_size} + {data_size} bytes")
    text, data = _exactly(channel, json_size, end), _exactly(channel, data_size, end)
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("not JSON") from None
    if not isinstance(message, dict):
        raise BadMessage("not a JSON object")
    return message, data


def _exactly(channel: socket.socket, count: int, end: float) -> bytes:
    """So many bytes, before the end of time, however slowly they trickle in."""
    received = bytearray()
    while len(received) < count:
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        channel.settimeout(None if math.isinf(left) else left)
        try:
            part = channel.recv(min(count - len(received), 1 << 20))
        except ConnectionError:
            raise Closed from None
        if not part:
            raise Closed
        received += part
    return bytes(received)
