// bug: the guard of the store lets the row after the last through
// expect: oob
// diag: row M of C does not exist
// says: writes; of C; beyond its end
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 20,16,8
// shape_pass: 16,16,8
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float acc = 0.0f;
    if (row < M && col < N)
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    if (row <= M && col < N) C[row * N + col] = acc;
}
