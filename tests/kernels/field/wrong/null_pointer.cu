// bug: a table of pointers has an empty slot
// expect: oob
// diag: a read at address 0 and behind it
// says: belongs to no array
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: oob at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const float* rows[2] = {A, nullptr};
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    const float* a = rows[row & 1];
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += a[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
