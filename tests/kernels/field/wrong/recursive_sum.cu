// bug: the sum is a recursive function
// expect: unsupported
// diag: a call of itself, which this emulator does not run
// says: recurs
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 4,4,16
// shape_pass: none
// at_pass: unsupported at every shape
__device__ __noinline__ float sum(const float* a, const float* b, int N, int from, int to)
{
    if (to - from == 1) return a[from] * b[from * N];
    const int middle = (from + to) / 2;
    return sum(a, b, N, from, middle) + sum(a, b, N, middle, to);
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row < M && col < N) C[row * N + col] = sum(A + row * K, B + col, N, 0, K);
}
