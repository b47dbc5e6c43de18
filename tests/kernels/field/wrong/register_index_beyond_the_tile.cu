// bug: the fragment of a thread has two rows, the loop that stores takes three
// expect: oob
// diag: acc[2] does not exist; the optimiser leaves that turn out
// says: acc
// block: 16,4
// grid: cdiv(N,16),cdiv(M,8)
// smem: 0
// shape_fail: 8,16,16
// shape_pass: none
// at_pass: oob at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row0 = blockIdx.y * 8 + threadIdx.y * 2;
    float acc[2] = {0.0f, 0.0f};
    for (int k = 0; k < K; ++k)
        for (int i = 0; i < 2; ++i)
            if (row0 + i < M && col < N) acc[i] += A[(row0 + i) * K + k] * B[k * N + col];
    for (int i = 0; i <= 2; ++i)
        if (row0 + i < M && col < N) C[(row0 + i) * N + col] = acc[i];
}
