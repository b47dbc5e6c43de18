"""Why a launch on the GPU did not finish, in a sentence for the student."""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.gpu.child import sentences as say
from gemmlab.gpu.child.process import ChildDied, ChildTimeout, CudaError, GpuProcess
from gemmlab.kernel.verdict import Finding

OUT_OF_MEMORY = 2
NO_BINARY_FOR_GPU = 209
KERNEL_NOT_FOUND = 500
REFUSED = (1, 9, 701)  # invalid value, invalid configuration, out of resources
FAULTS = {
    700: ("out_of_bounds", say.FAR_OUTSIDE),
    702: ("timeout", say.STOPPED_BY_DISPLAY),
    710: ("launch_error", say.ASSERT_FAILED),
    714: ("out_of_bounds", say.BROKEN_STACK),
    716: ("misaligned", say.MISALIGNED),
    719: ("launch_error", say.BROKE_OFF),
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
        return _machine_fault(str(error) or say.NO_ANSWER())
    if isinstance(error, ChildTimeout):
        return KernelFault(Finding("timeout", say.NO_END(seconds=time_limit)))
    return KernelFault(Finding("launch_error", say.NO_RESULT(reason=error)))


def _explained_cuda(error: CudaError, gpu: str, request: dict) -> KernelFault | UserError:
    if error.code in FAULTS:
        kind, sentence = FAULTS[error.code]
        return KernelFault(Finding(kind, sentence(), details={"cuda_error": str(error)}))
    if error.code in REFUSED:
        sizes = {what: "×".join(map(str, request.get(what, ()))) for what in ("grid", "block")}
        return KernelFault(Finding("launch_error", say.REFUSED(**sizes), details={"cuda_error": str(error)}))
    if error.code == OUT_OF_MEMORY:
        M, N, K = request["shape"]
        return UserError(say.OUT_OF_MEMORY(M=M, N=N, K=K, size=4 * (M * K + K * N + M * N) / 2**20))
    if error.code == NO_BINARY_FOR_GPU:
        return UserError(say.OTHER_GPU(arch=request.get("arch"), gpu=gpu))
    if error.code == KERNEL_NOT_FOUND:
        return UserError(say.NO_KERNEL(kernel=request["kernel"]))
    return UserError(say.NO_CUBLAS()) if error.code == "no cublas" else _machine_fault(str(error))


def _machine_fault(what: str) -> UserError:
    return UserError(say.MACHINE_FAILED(reason=what))
