// bug: none - loading, waiting and multiplying are functions that are not inlined
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,16,16
// at_pass: ok
__shared__ float As[16][16];
__shared__ float Bs[16][16];

__device__ __noinline__ void load(const float* A, const float* B, int M, int N, int K, int row, int col, int k0)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
    Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
    __syncthreads();
}

__device__ __noinline__ float multiply(float acc)
{
    for (int k = 0; k < 16; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
    return acc;
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        load(A, B, M, N, K, row, col, k0);
        acc = multiply(acc);
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
