// bug: the copies are never put into a group, so that the wait has nothing to wait for
// expect: race
// diag: cp.async without commit_group before wait_group
// says: has not been waited for
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: race at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    auto copy = [](float* to, const float* from, bool there) {
        const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(there ? 4 : 0));
    };
    for (int k0 = 0; k0 < K; k0 += 16) {
        const bool a = row < M && k0 + tx < K, b = k0 + ty < K && col < N;
        copy(&As[ty][tx], a ? A + row * K + k0 + tx : A, a);
        copy(&Bs[ty][tx], b ? B + (k0 + ty) * N + col : B, b);
        asm volatile("cp.async.wait_group 0;");
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
