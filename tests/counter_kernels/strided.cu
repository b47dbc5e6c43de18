// Each thread computes four neighbouring columns: the loads and stores of a warp are 16 bytes apart.
// block: 32,8
// grid: cdiv(N,128),cdiv(M,8)
// shape: 64,128,32
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 8 + threadIdx.y;
    const int col0 = (blockIdx.x * 32 + threadIdx.x) * 4;
    float acc[4] = {};
    for (int k = 0; k < K; ++k)
        for (int j = 0; j < 4; ++j)
            if (row < M && col0 + j < N) acc[j] += A[row * K + k] * B[k * N + col0 + j];
    for (int j = 0; j < 4; ++j)
        if (row < M && col0 + j < N) C[row * N + col0 + j] = acc[j];
}
