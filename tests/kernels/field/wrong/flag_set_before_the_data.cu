// bug: the flag is set before the data is there
// expect: race
// diag: RAW between the two warps; the fence orders what came before it
// says: row_of_A
// block: 32,2
// grid: cdiv(N,32),M
// smem: 0
// shape_fail: 2,33,40
// shape_pass: none
// at_pass: race at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ volatile float row_of_A[64];
    __shared__ int ready;
    const int lane = threadIdx.x;
    if (threadIdx.y == 1 && lane == 0) ready = 0;
    __syncthreads();
    if (threadIdx.y == 1) {
        __threadfence_block();
        if (lane == 0) atomicExch(&ready, 1);
        for (int k = lane; k < K; k += 32) row_of_A[k] = A[blockIdx.y * K + k];
        return;
    }
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence_block();
    const int col = blockIdx.x * 32 + lane;
    float acc = 0.0f;
    for (int k = 0; k < K && col < N; ++k) acc += row_of_A[k] * B[k * N + col];
    if (col < N) C[blockIdx.y * N + col] = acc;
}
