// Four by four neighbours a thread without shared memory, 96 threads in one dimension.
// block: 96
// grid: cdiv(N,384),cdiv(M,4)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int col = (blockIdx.x * 96 + threadIdx.x) * 4, row = blockIdx.y * 4;
    if (col >= N) return;
    const bool whole = N % 4 == 0;
    float acc[4][4] = {};
    for (int k = 0; k < K; ++k) {
        float b[4];
        if (whole) {
            const float4 v = *reinterpret_cast<const float4*>(B + k * N + col);
            b[0] = v.x, b[1] = v.y, b[2] = v.z, b[3] = v.w;
        } else {
            for (int j = 0; j < 4; ++j) b[j] = col + j < N ? B[k * N + col + j] : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float a = row + i < M ? A[(row + i) * K + k] : 0.0f;
#pragma unroll
            for (int j = 0; j < 4; ++j) acc[i][j] += a * b[j];
        }
    }
    for (int i = 0; i < 4 && row + i < M; ++i)
        for (int j = 0; j < 4 && col + j < N; ++j) C[(row + i) * N + col + j] = acc[i][j];
}
