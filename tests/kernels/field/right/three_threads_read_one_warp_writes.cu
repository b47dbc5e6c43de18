// bug: none - warps read each other's tiles between two barriers of the block, however often
// expect: ok
// diag: no error finding at any shape
// block: 32,4
// grid: cdiv(N,32),cdiv(M,4)
// smem: 0
// shape_fail: none
// shape_pass: 9,33,40; 4,32,32
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float strips[4][32];
    const int lane = threadIdx.x, w = threadIdx.y, row = blockIdx.y * 4 + w, col = blockIdx.x * 32 + lane;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        const int from = blockIdx.y * 4 + (w + 1) % 4;
        strips[(w + 1) % 4][lane] = from < M && k0 + lane < K ? A[from * K + k0 + lane] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 32 && k0 + k < K; ++k)
            if (col < N) acc += strips[w][k] * B[(k0 + k) * N + col];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
