// bug: the tile of A and the tile of B are each declared extern __shared__, and so begin at the same place
// expect: wrong-result
// diag: what a thread puts into the tile of A it then overwrites with its element of B
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 2*16*16*4
// shape_fail: 32,32,32; 17,5,9
// shape_pass: none
// at_pass: wrong-result at every shape
// says: tile_a and tile_b are names of one memory
extern __shared__ float tile_a[];
extern __shared__ float tile_b[];

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        tile_a[16 * ty + tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        tile_b[16 * ty + tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += tile_a[16 * ty + k] * tile_b[16 * k + tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
