// bug: one of the running sums is never set to zero
// expect: wrong-result
// diag: the loop that clears the sums starts at 1
// says: never set
// block: 16,4
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: wrong-result at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row0 = blockIdx.y * 16 + threadIdx.y * 4;
    float acc[4];
    for (int i = 1; i < 4; ++i) acc[i] = 0.0f;
    for (int k = 0; k < K; ++k)
        for (int i = 0; i < 4; ++i)
            if (row0 + i < M && col < N) acc[i] += A[(row0 + i) * K + k] * B[k * N + col];
    for (int i = 0; i < 4; ++i)
        if (row0 + i < M && col < N) C[(row0 + i) * N + col] = acc[i];
}
