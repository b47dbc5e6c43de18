// bug: the atomic add into C has no guard
// expect: oob
// diag: rows below C
// says: of C; beyond its end
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 12,16,16
// shape_pass: 16,16,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    const bool inside = row < M && col < N;
    if (inside) C[row * N + col] = 0.0f;
    for (int k = 0; k < K; ++k) {
        const float product = inside ? A[row * K + k] * B[k * N + col] : 0.0f;
        atomicAdd(&C[row * N + col], product);
    }
}
