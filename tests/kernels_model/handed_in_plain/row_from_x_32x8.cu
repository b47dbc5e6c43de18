// The row comes from threadIdx.x, so that the lanes of a warp lie under one another.
// block: 32,8
// grid: cdiv(M,32),cdiv(N,8)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < M && j < N) {
        float tmp = 0.0f;
        for (int p = 0; p < K; ++p) tmp += A[i * K + p] * B[p * N + j];
        C[i * N + j] = tmp;
    }
}
