// bug: none - the fragment after the last one is read as well, from a row of the tile that nobody fills, and never used
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 32,16,32
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][17], Bs[17][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        float a = As[ty][0], b = Bs[0][tx];
#pragma unroll 1
        for (int k = 1; k <= 16; ++k) {
            const float next_a = As[ty][k], next_b = Bs[k][tx];
            acc += a * b;
            a = next_a;
            b = next_b;
        }
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
