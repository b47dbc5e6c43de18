// bug: none - two groups of four warps, each with its own tiles and its own named barrier, in step with nobody else
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,16,48
// at_pass: ok
__device__ void wait_for_group(int group) { asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory"); }

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][8][16], Bs[2][16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, group = ty / 8, y = ty % 8;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[group][y][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        for (int k = y; k < 16; k += 8)
            Bs[group][k][tx] = k0 + k < K && col < N ? B[(k0 + k) * N + col] : 0.0f;
        wait_for_group(group);
        for (int k = 0; k < 16; ++k) acc += As[group][y][k] * Bs[group][k][tx];
        wait_for_group(group);
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
