// bug: none - each warp has its own two rows of shared memory; __syncwarp is enough; other warps leave when they like
// expect: ok
// diag: no error finding at any shape
// block: 32,4
// grid: cdiv(N,32),cdiv(M,4)
// smem: 0
// shape_fail: none
// shape_pass: 9,33,40; 6,64,64; 1,5,3
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float strip[4][2][32];
    const int lane = threadIdx.x, w = threadIdx.y;
    const int row = blockIdx.y * 4 + w, col = blockIdx.x * 32 + lane;
    if (row >= M) return;
    float acc = 0.0f;
    for (int k0 = 0, turn = 0; k0 < K; k0 += 32, turn ^= 1) {
        strip[w][turn][lane] = k0 + lane < K ? A[row * K + k0 + lane] : 0.0f;
        __syncwarp();
        for (int k = 0; k < 32 && k0 + k < K; ++k)
            if (col < N) acc += strip[w][turn][k] * B[(k0 + k) * N + col];
    }
    if (col < N) C[row * N + col] = acc;
}
