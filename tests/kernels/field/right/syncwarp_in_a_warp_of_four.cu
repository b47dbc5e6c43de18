// bug: none - 36 threads; the second warp has four lanes, for which the full mask is right as well
// expect: ok
// diag: no error finding at any shape
// block: 36
// grid: cdiv(N,36),M
// smem: 0
// shape_fail: none
// shape_pass: 3,40,29; 2,36,8; 1,1,1
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float strip[2][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, lanes = min(32, 36 - warp * 32);
    const int row = blockIdx.y, col = blockIdx.x * 36 + threadIdx.x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += lanes) {
        strip[warp][lane] = k0 + lane < K ? A[row * K + k0 + lane] : 0.0f;
        __syncwarp();
        for (int k = 0; k < lanes; ++k)
            if (k0 + k < K && col < N) acc += strip[warp][k] * B[(k0 + k) * N + col];
        __syncwarp();
    }
    if (col < N) C[row * N + col] = acc;
}
