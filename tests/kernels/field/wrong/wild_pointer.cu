// bug: the address of the element comes from a number that was never an address
// expect: oob
// diag: a read at an address that belongs to nothing
// says: belongs to no array
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: oob at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    const float* a = reinterpret_cast<const float*>(0x1234000ull + 4ull * row * K);
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += a[k] * B[k * N + col];
    C[row * N + col] = acc;
}
