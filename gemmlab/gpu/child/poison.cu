// Fills shared memory with NaN before a launch that is checked: what a kernel leaves there is still there for the next,
// which may hold just the zeros that a forgotten fill would have written. One block has as much as it gets without the
// opt-in; several of them share an SM.
extern "C" __global__ void poison()
{
    __shared__ volatile unsigned words[48 * 1024 / sizeof(unsigned)];
    for (unsigned i = threadIdx.x; i < sizeof(words) / sizeof(unsigned); i += blockDim.x) {
        words[i] = 0xFFFFFFFFu;
    }
}
