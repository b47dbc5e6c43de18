// Four running sums over k, k + 1, k + 2 and k + 3 of one element, added at the end. Blocks of 16 by 16.
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= N || y >= M) return;
    float s[4] = {0, 0, 0, 0};
    int k = 0;
    for (; k + 3 < K; k += 4) {
        s[0] += A[y * K + k] * B[k * N + x];
        s[1] += A[y * K + k + 1] * B[(k + 1) * N + x];
        s[2] += A[y * K + k + 2] * B[(k + 2) * N + x];
        s[3] += A[y * K + k + 3] * B[(k + 3) * N + x];
    }
    for (; k < K; ++k) s[0] += A[y * K + k] * B[k * N + x];
    C[y * N + x] = (s[0] + s[1]) + (s[2] + s[3]);
}
