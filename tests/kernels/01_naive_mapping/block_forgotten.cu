// expect: wrong_result
// says: Only the first tile of C was written
// All blocks compute the first tile.
#define TILE 32

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = ty;
    const int col = tx;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) {
            acc += A[row * K + k] * B[k * N + col];
        }
        C[row * N + col] = acc;
    }
}
