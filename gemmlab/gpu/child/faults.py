"""Why a launch on the GPU did not finish, in a sentence for the student."""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.gpu.child.guards import ASK_EMULATOR
from gemmlab.gpu.child.process import ChildDied, ChildTimeout, CudaError, GpuProcess
from gemmlab.kernel.verdict import Finding

OUT_OF_MEMORY = 2
NO_BINARY_FOR_GPU = 209
KERNEL_NOT_FOUND = 500
REFUSED = (1, 9, 701)  # invalid value, invalid configuration, out of resources
FAULTS = {
    700: (
        "out_of_bounds",
        "The kernel touched memory that does not exist: an index is far outside its array, in global or shared memory.",
    ),
    702: ("timeout", "The display driver stopped the kernel because it ran for too long."),
    710: ("launch_error", "An assert in the kernel failed."),
    714: (
        "out_of_bounds",
        "The kernel broke its stack: an index is outside a local array, or a function calls itself too often.",
    ),
    716: (
        "misaligned",
        "The kernel used an address that is not a multiple of the size it reads or writes there: a float4 must lie at "
        "a multiple of 16 bytes, which all rows of a matrix do only where their length is a multiple of 4.",
    ),
    719: ("launch_error", "The kernel broke off, most often because of a wild address or a trap."),
}


class KernelFault(Exception):
    """The launch did not finish because of the kernel."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(finding.message)


def explained(
    error: ChildTimeout | ChildDied | CudaError, worker: GpuProcess, request: dict, time_limit: float
) -> KernelFault | UserError:
    """The exception to raise for one that came from the worker: the kernel's fault, or the machine's."""
    if isinstance(error, CudaError):
        return _explained_cuda(error, worker.hello["name"], request)
    if worker.stage == "copying":
        return _machine_fault(str(error) or "no answer in time")
    if isinstance(error, ChildTimeout):
        message = (
            f"The kernel did not end within {time_limit:g} s: look for a loop whose condition never becomes false, "
            f"or for a barrier that some threads never reach."
        )
        return KernelFault(Finding("timeout", message))
    message = f"The process that ran the kernel on the GPU ended without a result ({error})."
    return KernelFault(Finding("launch_error", message))


def _explained_cuda(error: CudaError, gpu: str, request: dict) -> KernelFault | UserError:
    if error.code in FAULTS:
        kind, sentence = FAULTS[error.code]
        return KernelFault(Finding(kind, f"{sentence} {ASK_EMULATOR}", details={"cuda_error": str(error)}))
    if error.code in REFUSED:
        sizes = " and ".join(f"{what} {'×'.join(map(str, request.get(what, ())))}" for what in ("grid", "block"))
        message = f"The GPU refused a launch with {sizes}: too many registers or too much shared memory for one block."
        return KernelFault(Finding("launch_error", message, details={"cuda_error": str(error)}))
    arch = request.get("arch")
    sentences = {
        OUT_OF_MEMORY: f"the GPU has not enough free memory for {_sizes(request['shape'])}; take a smaller shape",
        NO_BINARY_FOR_GPU: f"the code was compiled for {arch}, which {gpu} cannot run; compile it for this GPU",
        KERNEL_NOT_FOUND: f"there is no kernel '{request['kernel']}' in the compiled code",
        "no cublas": "cuBLAS is not installed; run make lab, or pip install 'gemmlab[gpu]'",
    }
    return UserError(sentences[error.code]) if error.code in sentences else _machine_fault(str(error))


def _machine_fault(what: str) -> UserError:
    return UserError(f"the GPU process failed ({what}); try again, or use --backend emulator")


def _sizes(shape: tuple[int, int, int]) -> str:
    M, N, K = shape
    return f"A ({M}×{K}), B ({K}×{N}) and C ({M}×{N}), {4 * (M * K + K * N + M * N) / 2**20:.0f} MiB together"
