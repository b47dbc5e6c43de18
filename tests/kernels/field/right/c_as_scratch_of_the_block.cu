// bug: none - threads of a block hand sums to each other through C itself, with barriers between
// expect: ok
// diag: no error finding at any shape
// block: 16,2
// grid: cdiv(N,16),M
// smem: 0
// shape_fail: none
// shape_pass: 5,33,40; 1,16,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y;
    float sum = 0.0f;
    if (col < N)
        for (int k = threadIdx.y; k < K; k += 2) sum += A[row * K + k] * B[k * N + col];
    if (threadIdx.y == 1 && col < N) C[row * N + col] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && col < N) C[row * N + col] += sum;
}
