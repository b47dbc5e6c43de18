// expect: out_of_bounds
// says: of A; computes C[48][0], which exists; the index that is wrong; A[row * K + k]
// The row length of another matrix: right where N = K only.
#define TILE 32

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + tx;
    const int col = blockIdx.x * TILE + ty;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) {
            acc += A[row * N + k] * B[k * N + col];
        }
        C[row * N + col] = acc;
    }
}
