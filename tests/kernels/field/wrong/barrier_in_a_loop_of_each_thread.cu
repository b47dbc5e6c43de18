// bug: each thread row walks K with its own number of turns, with a barrier in every turn
// expect: divergence
// diag: the two rows of threads of one warp go through the loop a different number of times; where whole warps do, and end first, the barrier does without them
// says: barrier
// block: 16,16
// grid: cdiv(N,16),M
// smem: 0
// shape_fail: 16,16,17
// shape_pass: 16,16,32; 16,16,20
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
