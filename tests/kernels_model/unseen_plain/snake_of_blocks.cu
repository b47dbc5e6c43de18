// One-dimensional grid whose blocks go down in strips sixteen blocks wide, so that those at one time share A and B.
// block: 32,8
// grid: cdiv(N,32)*cdiv(M,8)
#define STRIP 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int across = (N + 31) / 32, down = (M + 7) / 8, a_strip = STRIP * down;
    const int strip = blockIdx.x / a_strip, rest = blockIdx.x % a_strip, wide = min(STRIP, across - strip * STRIP);
    const int col = (strip * STRIP + rest % wide) * 32 + threadIdx.x, row = rest / wide * 8 + threadIdx.y;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
