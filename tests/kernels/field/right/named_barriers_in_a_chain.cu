// bug: none - warp 0 hands its row sums to warp 1 by one named barrier, warp 1 lets warp 2 go by another
// expect: ok
// diag: no error finding at any shape
// block: 32,3
// grid: N,M
// smem: 0
// shape_fail: none
// shape_pass: 3,4,100; 2,2,96; 1,1,5
// at_pass: ok
__device__ void meet(int barrier) { asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory"); }

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sums[3][32];
    const int lane = threadIdx.x, warp = threadIdx.y, row = blockIdx.y, col = blockIdx.x;
    float sum = 0.0f;
    for (int k = warp * 32 + lane; k < K; k += 96) sum += A[row * K + k] * B[k * N + col];
    sums[warp][lane] = sum;
    if (warp == 0) meet(1);
    if (warp == 1) {
        meet(1);
        meet(2);
    }
    if (warp == 2) {
        meet(2);
        float all = sums[0][lane] + sums[1][lane] + sums[2][lane];
        for (int d = 16; d > 0; d /= 2) all += __shfl_xor_sync(0xffffffffu, all, d);
        if (lane == 0) C[row * N + col] = all;
    }
}
