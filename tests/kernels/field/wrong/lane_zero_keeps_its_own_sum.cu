// bug: the reduction of a warp stops one step early
// expect: wrong-result
// diag: lane 0 has the sum of every second lane only
// says: C
// block: 32
// grid: N,M
// smem: 0
// shape_fail: 4,4,40
// shape_pass: 4,4,1
// at_pass: ok (lane 0 has all)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    float sum = 0.0f;
    for (int k = threadIdx.x; k < K; k += 32) sum += A[blockIdx.y * K + k] * B[k * N + blockIdx.x];
    for (int d = 16; d > 1; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) C[blockIdx.y * N + blockIdx.x] = sum;
}
