"""What is wrong with a file as CUDA text, before anything compiles it. `kernel` is the name that was asked for, and
`contract` the parameters that it must have, in brackets."""

from __future__ import annotations

from gemmlab.sentence import Sentence

NOT_TEXT = Sentence("The file is not text; save the kernel as UTF-8.")
EMPTY_FILE = Sentence("The file is empty; write a kernel {kernel}{contract} in it.")
NO_KERNEL = Sentence("There is no kernel in the file; write __global__ void {kernel}{contract}.")
NO_BODY = Sentence("The kernel '{kernel}' is declared but has no body; write its code in braces.")
NOT_MARKED = Sentence("The function '{kernel}' is no kernel yet; write __global__ before void.")
OTHER_KERNELS = Sentence("There is no kernel '{kernel}' in the file, but {others}; rename it or say which to run.")
OTHER_KERNEL = Sentence("'{name}' (line {line})")
NO_INSTANCE = Sentence(
    "The kernel '{kernel}' is a template that nothing instantiates, so it has no code; write a plain one."
)
ONE_PARAMETER = Sentence("The kernel '{kernel}' has 1 parameter, not {wanted}; it must be {kernel}{contract}.")
PARAMETERS = Sentence("The kernel '{kernel}' has {count} parameters, not {wanted}; it must be {kernel}{contract}.")
WRONG_TYPE = Sentence(
    "Parameter {position} of the kernel '{kernel}' ({parameter}) has type '{type}', not '{expected}'; it must be "
    "{kernel}{contract}."
)
UNNAMED = Sentence("without a name")
