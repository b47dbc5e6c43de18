// expect: counter
// says: does not come from tiles of 128×64; there are 2 floats read from global memory for each multiply-add
// No tile: each thread reads the row of A and the column of B of each of its elements from global memory.
#define ROWS 128
#define COLS 64

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int threads = blockDim.x * blockDim.y;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < ROWS * COLS; i += threads) {
        const int row = blockIdx.y * ROWS + i / COLS;
        const int col = blockIdx.x * COLS + i % COLS;
        if (row < M && col < N) {
            float acc = 0.0f;
            for (int k = 0; k < K; ++k) {
                acc += A[row * K + k] * B[k * N + col];
            }
            C[row * N + col] = acc;
        }
    }
}
