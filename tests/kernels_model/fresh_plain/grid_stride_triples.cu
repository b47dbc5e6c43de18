// A flat loop in steps of 1056 blocks of 256 threads. An item is three neighbours of a row of C.
// block: 256
// grid: 1056
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int wide = (N + 2) / 3, items = M * wide;
    for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < items; item += gridDim.x * blockDim.x) {
        const int row = item / wide, col = item % wide * 3, second = min(col + 1, N - 1), third = min(col + 2, N - 1);
        float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f;
        for (int k = 0; k < K; ++k) {
            const float a = A[row * K + k];
            const float* b = B + k * N;
            s0 += a * b[col];
            s1 += a * b[second];
            s2 += a * b[third];
        }
        C[row * N + col] = s0;
        if (col + 1 < N) C[row * N + col + 1] = s1;
        if (col + 2 < N) C[row * N + col + 2] = s2;
    }
}
