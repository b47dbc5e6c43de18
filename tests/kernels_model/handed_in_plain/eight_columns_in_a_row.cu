// Eight neighbours of a row a thread, read one by one: a lane's columns lie eight apart from the next lane's.
// block: 8,32
// grid: cdiv(N,64),cdiv(M,32)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int col = (blockIdx.x * 8 + threadIdx.x) * 8, row = blockIdx.y * 32 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc[8] = {};
    for (int k = 0; k < K; ++k) {
        const float a = A[row * K + k];
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[j] += a * B[k * N + min(col + j, N - 1)];
    }
#pragma unroll
    for (int j = 0; j < 8; ++j)
        if (col + j < N) C[row * N + col + j] = acc[j];
}
