// One element a thread, k unrolled by four with a loop for the rest.
// block: 32,16
// grid: cdiv(N,32),cdiv(M,16)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= N || y >= M) return;
    float acc = 0.0f;
    int k = 0;
    for (; k + 4 <= K; k += 4) {
        acc += A[y * K + k] * B[k * N + x];
        acc += A[y * K + k + 1] * B[(k + 1) * N + x];
        acc += A[y * K + k + 2] * B[(k + 2) * N + x];
        acc += A[y * K + k + 3] * B[(k + 3) * N + x];
    }
    for (; k < K; ++k) acc += A[y * K + k] * B[k * N + x];
    C[y * N + x] = acc;
}
