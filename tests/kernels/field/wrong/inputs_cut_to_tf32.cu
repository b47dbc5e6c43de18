// bug: the inputs are cut to the ten bits of TF32 before they are multiplied
// expect: wrong-result
// diag: right for small whole numbers, too rough for float inputs
// says: fewer bits
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: wrong-result at every shape
__device__ float cut(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += cut(A[row * K + k]) * cut(B[k * N + col]);
    C[row * N + col] = acc;
}
