// shape: 16,64,16
// block: 64
// grid: 1,M
// inputs: unit
// compare: 1e-6
__constant__ float weights[4] = {1.f, 2.f, 4.f, 8.f};
__constant__ double small_step = 0.125;
__constant__ unsigned char letters[] = "gemm";
__device__ int table[3][2] = {{1, 2}, {3, 4}, {5, 6}};
__device__ float scratch[64];
__device__ const float* chosen = weights;
__device__ float* const to_scratch = scratch;
__device__ unsigned short half_words[5] = {1, 65535};

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    static __device__ float memory;
    int row = blockIdx.y, col = threadIdx.x;
    if (row == 0) to_scratch[col] = A[col];
    float x = row == 0 ? scratch[col] : A[col];
    if (row == 1 && col == 0) memory = 3;
    float y = weights[row % 4] * x + table[row % 3][col % 2] + chosen[col % 4] + (float)small_step;
    C[row * N + col] = y + letters[row % 5] + half_words[col % 3];
}
