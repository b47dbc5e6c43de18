// Four by two elements a thread, 16 apart, straight from global memory.
// block: 16,16
// grid: cdiv(N,32),cdiv(M,64)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 64 + threadIdx.y;
    float acc[4][2] = {};
    for (int k = 0; k < K; ++k) {
        float b[2];
        for (int j = 0; j < 2; ++j) b[j] = x + 16 * j < N ? B[k * N + x + 16 * j] : 0.0f;
        for (int i = 0; i < 4; ++i) {
            const float a = y + 16 * i < M ? A[(y + 16 * i) * K + k] : 0.0f;
            for (int j = 0; j < 2; ++j) acc[i][j] += a * b[j];
        }
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
            if (y + 16 * i < M && x + 16 * j < N) C[(y + 16 * i) * N + x + 16 * j] = acc[i][j];
}
