// bug: the broadcast stands in a loop whose last turn only some lanes take
// expect: divergence
// diag: lanes with col >= N skip the shuffle
// says: mask names lanes
// block: 32,4
// grid: cdiv(N,32),cdiv(M,4)
// smem: 0
// shape_fail: 4,20,32
// shape_pass: 4,32,32
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int lane = threadIdx.x, row = blockIdx.y * 4 + threadIdx.y, col = blockIdx.x * 32 + lane;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        const float a = row < M && k0 + lane < K ? A[row * K + k0 + lane] : 0.0f;
        for (int k = 0; k < min(32, K - k0); ++k)
            if (col < N) acc += __shfl_sync(0xffffffff, a, k) * B[(k0 + k) * N + col];
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
