"""Plans as JSON: one process reads a launcher, and another, which does not trust it, launches."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from gemmlab.kernel.launch import Address, Argument, Launch, Scalar
from gemmlab.kernel.plan import Copy, Fill, Plan, steps_of

_NUMBERS = frozenset("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split())


def to_json(work: Launch | Plan) -> dict:
    """The work as an object of JSON, for another process; a fault stays behind."""
    steps = [{"do": type(step).__name__} | asdict(step) for step in steps_of(work)]
    for step in steps:
        step.pop("layout", None)
    return {"steps": steps, "buffers": getattr(work, "buffers", {})}


def from_json(data: Any) -> Plan:
    """The plan that `to_json` wrote, in the course's layout. Raises ValueError where it is none."""
    try:
        buffers = {str(name): _whole(size) for name, size in data["buffers"].items()}
        return Plan(tuple(map(_step, data["steps"])), buffers)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise ValueError(f"this is no plan: {error!r}") from None


def _step(data: dict) -> Launch | Fill | Copy:
    if data["do"] == "Fill":
        return Fill(_address(data["to"]), _whole(data["size"]), _whole(data["byte"]))
    if data["do"] == "Copy":
        return Copy(_address(data["to"]), _address(data["source"]), _whole(data["size"]))
    block, grid = (tuple(map(_whole, data[name])) for name in ("block", "grid"))
    if len(block) != 3 or len(grid) != 3:
        raise ValueError("a block or a grid that has not three sides")
    given = data["arguments"]
    arguments = None if given is None else tuple(map(_argument, given))
    smem, opt_in, kernel = _whole(data["smem"]), bool(data["smem_opt_in"]), str(data["kernel"])
    return Launch(block, grid, smem, opt_in, kernel, arguments)


def _argument(data: dict) -> Argument:
    if "array" in data:
        return _address(data)
    if not isinstance(data["value"], int | float):
        raise ValueError("an argument that is no number")
    if data["dtype"] not in _NUMBERS:
        raise ValueError("an argument of no known type")
    return Scalar(data["dtype"], data["value"])


def _address(data: dict) -> Address:
    return Address(str(data["array"]), _whole(data["offset"]))


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**63:
        raise ValueError(f"{str(value)[:20]} is no whole number")
    return value
