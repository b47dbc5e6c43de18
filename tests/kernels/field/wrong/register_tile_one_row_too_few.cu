// bug: a thread stores three of its four rows
// expect: wrong-result
// diag: the last row of every thread's tile is computed and not stored
// says: never written
// block: 16,4
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 32,16,8
// shape_pass: 3,16,8
// at_pass: ok (three rows)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row0 = blockIdx.y * 16 + threadIdx.y * 4;
    float acc[4] = {};
    for (int k = 0; k < K; ++k)
        for (int i = 0; i < 4; ++i)
            if (row0 + i < M && col < N) acc[i] += A[(row0 + i) * K + k] * B[k * N + col];
    for (int i = 0; i < 3; ++i)
        if (row0 + i < M && col < N) C[(row0 + i) * N + col] = acc[i];
}
