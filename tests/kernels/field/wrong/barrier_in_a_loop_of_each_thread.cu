// bug: each thread row walks K with its own number of turns, with a barrier in every turn
// expect: divergence
// diag: where 16 does not divide K, some rows of threads go through the loop once more than others
// says: barrier
// block: 16,16
// grid: cdiv(N,16),M
// smem: 0
// shape_fail: 16,16,20
// shape_pass: 16,16,32
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sums[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y, col = blockIdx.x * 16 + tx;
    sums[ty][tx] = 0.0f;
    for (int k = ty; k < K; k += 16) {
        if (row < M && col < N) sums[ty][tx] += A[row * K + k] * B[k * N + col];
        __syncthreads();
    }
    if (ty == 0 && row < M && col < N) {
        float acc = 0.0f;
        for (int i = 0; i < 16; ++i) acc += sums[i][tx];
        C[row * N + col] = acc;
    }
}
