// bug: the pointer into B moves on by a row too many in every K tile
// expect: oob
// diag: b += 17 * N for tiles of 16
// says: of B; beyond its end
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,48
// shape_pass: 16,16,16
// at_pass: ok (one K tile)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    const float *a = A + row * K + tx, *b = B + ty * N + col;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16, a += 16, b += 17 * N) {
        As[ty][tx] = (row < M && k0 + tx < K) ? *a : 0.0f;
        Bs[ty][tx] = (k0 + ty < K && col < N) ? *b : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
