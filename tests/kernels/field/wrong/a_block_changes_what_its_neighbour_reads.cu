// bug: of two blocks that read the same factor one sets it anew
// expect: race
// diag: WAR between blocks on a variable in global memory
// says: blocks are never ordered; factor
// block: 32
// grid: 16
// smem: 0
// shape_fail: 4,40,8
// shape_pass: none
// at_pass: race at every shape
__device__ float factor[8] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int pair = blockIdx.x / 2;
    const float scale = factor[pair];
    for (int e = blockIdx.x * 32 + threadIdx.x; e < M * N; e += 512) {
        const int row = e / N, col = e % N;
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        C[e] = acc * scale;
    }
    __syncthreads();
    if (blockIdx.x % 2 == 1 && threadIdx.x == 0) factor[pair] = 2.0f;
}
