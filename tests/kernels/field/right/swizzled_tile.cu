// bug: none - the columns of the tiles are permuted by an exclusive or with the row, the same way on both sides
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 48,16,32
// at_pass: ok
__device__ __forceinline__ int swizzle(int i, int j) { return i * 16 + (j ^ i); }

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[256], Bs[256];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[swizzle(ty, tx)] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[swizzle(ty, tx)] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[swizzle(ty, k)] * Bs[swizzle(k, tx)];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
