// bug: none - one function multiplies a piece of A in shared memory or where it lies, by a pointer that may be either
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 17,19,29; 16,16,16
// at_pass: ok
__device__ __noinline__ float dot(const float* a, const float* b, int length, int pitch)
{
    float sum = 0.0f;
    for (int k = 0; k < length; ++k) sum += a[k] * b[k * pitch];
    return sum;
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        const int here = min(16, K - k0);
        if (row < M && tx < here) As[ty][tx] = A[row * K + k0 + tx];
        __syncthreads();
        if (row < M && col < N) acc += dot(k0 % 32 ? As[ty] : A + row * K + k0, B + k0 * N + col, here, N);
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
