// bug: the producer clears the tile after it has arrived at the barrier, where it does not wait for the warp that computes
// expect: race
// diag: race on strip between the warp that fills and the one that computes: an arrival orders what came before it alone
// says: strip
// block: 32,2
// grid: cdiv(N,32),M
// smem: 0
// shape_fail: 3,33,40
// shape_pass: none
// at_pass: race at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float strip[32];
    const int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x * 32 + lane;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        if (threadIdx.y == 0) {
            strip[lane] = k0 + lane < K ? A[row * K + k0 + lane] : 0.0f;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            strip[lane] = 0.0f;
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
