// bug: none - row and column of the tile come from a division of threadIdx.x
// expect: ok
// diag: no error finding at any shape
// block: 192
// grid: cdiv(M,12)*cdiv(N,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 12,16,16
// at_pass: ok
enum { ROWS = 12, COLS = 16, DEPTH = 16 };

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[ROWS * DEPTH], Bs[DEPTH * COLS];
    const int across = (N + COLS - 1) / COLS;
    const int top = blockIdx.x / across * ROWS, left = blockIdx.x % across * COLS;
    const int i = threadIdx.x / COLS, j = threadIdx.x % COLS;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        As[threadIdx.x] = top + i < M && k0 + j < K ? A[(top + i) * K + k0 + j] : 0.0f;
        for (int e = threadIdx.x; e < DEPTH * COLS; e += blockDim.x) {
            const int k = e / COLS, c = e % COLS;
            Bs[e] = k0 + k < K && left + c < N ? B[(k0 + k) * N + left + c] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; ++k) acc += As[i * DEPTH + k] * Bs[k * COLS + j];
        __syncthreads();
    }
    if (top + i < M && left + j < N) C[(top + i) * N + left + j] = acc;
}
