// bug: blocks draw their tile from a ticket counter in global memory, which goes on counting at the next launch
// expect: oob
// diag: right at the first launch only; at the second the tickets lead past the end of C
// block: 16,16
// grid: cdiv(N,16)*cdiv(M,16)
// smem: 0
// shape_fail: 32,32,32
// shape_pass: none
// at_pass: oob at every shape
// says: At the second launch; tickets
__device__ int tickets;

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ int mine;
    if (threadIdx.x == 0 && threadIdx.y == 0) mine = atomicAdd(&tickets, 1);
    __syncthreads();
    const int across = (N + 15) / 16;
    const int row = mine / across * 16 + threadIdx.y, col = mine % across * 16 + threadIdx.x;
    float acc = 0.0f;
    if (col >= N) return;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
