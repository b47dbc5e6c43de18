// bug: none - a hundred threads; the last warp has four
// expect: ok
// diag: no error finding at any shape
// block: 10,10
// grid: cdiv(N,10),cdiv(M,10)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 10,10,10; 1,1,1
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[10][10], Bs[10][10];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 10 + ty, col = blockIdx.x * 10 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 10) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 10; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
