// bug: none - __any_sync and __ballot_sync skip pieces of A that are all zero
// expect: ok
// diag: no error finding at any shape
// block: 32,4
// grid: cdiv(N,32),cdiv(M,4)
// smem: 0
// shape_fail: none
// shape_pass: 9,33,40; 4,32,32
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int lane = threadIdx.x, row = blockIdx.y * 4 + threadIdx.y, col = blockIdx.x * 32 + lane;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        const float a = row < M && k0 + lane < K ? A[row * K + k0 + lane] : 0.0f;
        if (!__any_sync(~0u, a != 0.0f)) continue;
        for (unsigned left = __ballot_sync(~0u, a != 0.0f); left != 0; left &= left - 1) {
            const int k = __ffs(left) - 1;
            const float ak = __shfl_sync(~0u, a, k);
            if (col < N) acc += ak * B[(k0 + k) * N + col];
        }
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
