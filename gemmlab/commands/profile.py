"""gemmlab profile: what each line of a kernel does to memory."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from gemmlab.commands.answer import print_json, waiting
from gemmlab.commands.options import Backend, CountingBackendOption, JsonOption, parse_shape
from gemmlab.commands.request import Request, with_request
from gemmlab.errors import UserError

PredictOption = Annotated[Optional[str], typer.Option(help="M,N,K of the predicted time, if it is another shape.")]


@with_request
def profile(
    request: Request,
    predict: PredictOption = None,
    backend: CountingBackendOption = Backend.auto,
    as_json: JsonOption = False,
) -> None:
    """Count what each line of a kernel does to memory, at one shape, say how full it makes a GPU, and predict its time.

    The arguments are those of run. A request is one memory instruction of one warp, as Nsight Compute counts it. Where
    the file includes others from beside it, lines are numbered over all of them, in the order of the compiler.
    """
    from gemmlab.check.profile import predicted, profile_launcher, profile_source

    if backend == Backend.cuda:
        raise UserError("it is the emulator that counts; leave --backend out")
    if not request.shape or len(request.shape) > 1:
        raise UserError("a profile is of one shape; give one, for example --shape 128,128,128")
    request.check_options()
    text, name = request.unit().text, request.file.name
    size, inputs = parse_shape(request.shape[0]), request.inputs.value
    with waiting():
        if request.launcher is None:
            found = profile_source(text, name, request.spec(text), size, inputs)
        else:
            chosen = request.chosen_layout, request.given, request.element
            found = profile_launcher(text, name, request.launcher, size, inputs, *chosen)
        found = predicted(found, parse_shape(predict) if predict else None)
    if as_json:
        print_json(found.to_json())
    else:
        from gemmlab.text.profile import print_profile

        print_profile(found)
    raise typer.Exit(0 if found.verdict.passed else 1)
