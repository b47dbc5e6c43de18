"""gemmlab run: any kernel, or what a file's own launcher launches."""

from __future__ import annotations

from gemmlab.commands.answer import give_verdict, waiting
from gemmlab.commands.options import Backend, BackendOption, JsonOption, OrdersOption, parse_shape
from gemmlab.commands.request import Request, with_request
from gemmlab.errors import UserError


@with_request
def run(
    request: Request,
    backend: BackendOption = Backend.auto,
    orders: OrdersOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run any kernel (const float* A, const float* B, float* C, int M, int N, int K) and check its C;
    A and B may hold half or __nv_bfloat16.

    Expressions are integer arithmetic over M, N and K: + - * // %, parentheses and cdiv(a, b). With --launcher the file
    brings a host function of the same arguments, a cudaStream_t last or not, which is read and never run. --args says
    what a kernel or launcher of another signature gets. Files beside the kernel's may be included. A shape is always
    what the kernel, or the launcher, gets as its M, N and K.
    """
    from gemmlab.check.check import check_launcher, check_source
    from gemmlab.check.orders import with_order
    from gemmlab.course.lesson import Case

    request.check_options()
    unit, name = request.unit(), request.file.name
    if orders and request.launcher is not None:
        raise UserError("--orders is for a kernel with --block and --grid; with --launcher there are several launches")
    if not request.shape:
        raise UserError("give at least one shape, for example --shape 64,64,64")
    shapes = map(parse_shape, request.shape)
    cases = [Case(shape, request.inputs.value, seed, "given") for seed, shape in enumerate(shapes)]
    with waiting():
        if request.launcher is None:
            spec = request.spec(unit.text)
            verdict = check_source(unit.text, name, spec, cases, backend.value)
            verdict = with_order(verdict, unit.text, name, spec, cases) if orders else verdict
        else:
            asked = request.launcher, cases, backend.value, request.chosen_layout, request.given, request.element
            verdict = check_launcher(unit.text, name, *asked)
    give_verdict(unit.told(verdict), unit.shown, False, as_json)
