// bug: the store is guarded against M only, so that the last columns spill into the next row
// expect: oob
// diag: C[row][N + j] is C[row + 1][j]: two threads write one element
// says: its column is 20; the guard must test col < N
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 32,20,16
// shape_pass: 20,16,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k)
        if (row < M && col < N) acc += A[row * K + k] * B[k * N + col];
    if (row < M) C[row * N + col] = acc;
}
