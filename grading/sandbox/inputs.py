"""What a kernel is given, on its way to the process that runs it: A, B, a bias and an old C as bytes, numbers as JSON.

What is to come out is not among it: the child does not learn which function the grader applies.
"""

from __future__ import annotations

import numpy as np

from gemmlab.kernel.elements import FLOAT32, element_named
from gemmlab.kernel.epilogue import Inputs
from gemmlab.kernel.terms import Terms


def packed(inputs: Inputs) -> tuple[dict, bytes]:
    """A description, and the bytes that it describes."""
    A, B, terms = inputs
    arrays = {"A": terms.element.encoded(A), "B": terms.element.encoded(B), "bias": terms.bias, "C": terms.C}
    present = {name: array for name, array in arrays.items() if array is not None}
    sizes = {name: list(array.shape) for name, array in present.items()}
    numbers = {"alpha": terms.alpha, "beta": terms.beta, "batch": terms.batch}
    data = b"".join(array.tobytes() for array in present.values())
    return {"arrays": sizes, "element": terms.element.name, **numbers}, data


def unpacked(description: dict, data: bytes) -> Inputs:
    """The inputs again; the activation is left out."""
    element, arrays, start = element_named(description["element"]), {}, 0
    for name, size in description["arrays"].items():
        of_name = element if name in "AB" else FLOAT32
        count = int(np.prod(size))
        values = np.frombuffer(data, of_name.storage, count, start)
        arrays[name] = of_name.decoded(values).reshape(size).copy()
        start += count * of_name.size
    numbers = {name: description[name] for name in ("alpha", "beta", "batch")}
    return arrays["A"], arrays["B"], Terms(bias=arrays.get("bias"), C=arrays.get("C"), element=element, **numbers)
