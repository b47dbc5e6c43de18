// bug: a vote stands where the lanes of a warp should wait for each other's stores
// expect: race
// diag: __any_sync makes the lanes meet, but CUDA promises no order of memory for shuffles and votes
// says: need a __syncwarp() at least
// block: 32
// grid: N,M
// smem: 0
// shape_fail: 4,4,40; 3,5,64
// shape_pass: none
// at_pass: race
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float part[32];
    float sum = 0.0f;
    for (int k = threadIdx.x; k < K; k += 32) sum += A[blockIdx.y * K + k] * B[k * N + blockIdx.x];
    part[threadIdx.x] = sum;
    const bool some = __any_sync(0xffffffffu, threadIdx.x < K);
    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (int lane = 0; some && lane < 32; ++lane) total += part[lane];
        C[blockIdx.y * N + blockIdx.x] = total;
    }
}
