// expect: counter
// says: does not come from the tiles; 2/16 of a float; there are 2 floats read from global memory for each multiply-add
// No tile: each thread reads the row of A and the column of B of each of its elements from global memory.
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 16 + threadIdx.y;
    const int col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) {
        acc += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = acc;
}
