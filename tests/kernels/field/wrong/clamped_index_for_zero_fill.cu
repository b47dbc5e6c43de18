// bug: loads beyond K are clamped to the last element, which is then added again and again
// expect: wrong-result
// diag: min(k, K - 1) in place of a zero
// says: clamped index
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,20
// shape_pass: 16,16,32
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = A[min(row, M - 1) * K + min(k0 + tx, K - 1)];
        Bs[ty][tx] = B[min(k0 + ty, K - 1) * N + min(col, N - 1)];
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
