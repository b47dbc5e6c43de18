// expect: counter
// says: loads are not coalesced; different rows of A; 16.5 sectors; store is not coalesced; 32 sectors
// Right numbers, and a sector for each lane.
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
            acc += A[row * K + k] * B[k * N + col];
        }
        C[row * N + col] = acc;
    }
}
