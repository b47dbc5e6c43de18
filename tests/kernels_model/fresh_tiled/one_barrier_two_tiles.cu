// Tiles of 16 by 16 in two buffers: the next pair is stored while this one is used, with one barrier a step.
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
#define T 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][T][T + 1], Bs[2][T][T + 1];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float acc = 0.0f;
    As[0][y][x] = row < M && x < K ? A[row * K + x] : 0.0f;
    Bs[0][y][x] = y < K && col < N ? B[y * N + col] : 0.0f;
    __syncthreads();
    for (int k0 = 0, now = 0; k0 < K; k0 += T, now ^= 1) {
        const int next = k0 + T;
        if (next < K) {
            As[now ^ 1][y][x] = row < M && next + x < K ? A[row * K + next + x] : 0.0f;
            Bs[now ^ 1][y][x] = next + y < K && col < N ? B[(next + y) * N + col] : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < T; ++k) acc += As[now][y][k] * Bs[now][k][x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
