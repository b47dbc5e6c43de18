// A grid with 64 blocks down, whatever M is: each block takes every 64th strip of four rows.
// block: 64,4
// grid: cdiv(N,64),64
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < M; row += gridDim.y * blockDim.y) {
        if (col >= N) continue;
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) acc += __ldg(&A[row * K + k]) * __ldg(&B[k * N + col]);
        C[row * N + col] = acc;
    }
}
