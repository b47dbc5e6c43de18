// bug: none - one warp fills the tile and only arrives at the barrier; the other waits there and computes
// expect: ok
// diag: no error finding at any shape
// block: 32,2
// grid: cdiv(N,32),M
// smem: 0
// shape_fail: none
// shape_pass: 3,33,40; 2,32,32; 1,1,1
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float strip[32];
    const int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x * 32 + lane;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        if (threadIdx.y == 0) {
            strip[lane] = k0 + lane < K ? A[row * K + k0 + lane] : 0.0f;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            for (int k = 0; k < 32 && k0 + k < K; ++k)
                if (col < N) acc += strip[k] * B[(k0 + k) * N + col];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
    if (threadIdx.y == 1 && col < N) C[row * N + col] = acc;
}
