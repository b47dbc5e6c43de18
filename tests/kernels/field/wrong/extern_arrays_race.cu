// bug: a second extern __shared__ array is taken for a memory of its own; one thread keeps a flag in it, where the tile lies
// expect: race
// diag: the flag of thread (0,0) is the tile's first element
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 2*16*16*4
// shape_fail: 32,32,32
// shape_pass: none
// at_pass: race at every shape
// says: tile and flag are names of one memory
extern __shared__ float tile[];
extern __shared__ int flag[];

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    float* Bs = tile + 256;
    for (int k0 = 0; k0 < K; k0 += 16) {
        tile[16 * ty + tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[16 * ty + tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        if (tx == 15 && ty == 15) flag[0] = k0;
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += tile[16 * ty + k] * Bs[16 * k + tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
