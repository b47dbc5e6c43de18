// C = alpha·A·Bᵀ for a batch, tile by tile. A is M×K, B is N×K, C is M×N, each row-major; the products of the batch lie
// strideA, strideB and strideC floats apart. Attention's scores: A is Q, B is K, both [B, H, S, D]; a product a head.
// Launch: 16×16 threads a block, one block a tile of C, and as many layers of blocks (z) as there are products.
#define TILE 16

extern "C" __global__ void scores(const float* A, const float* B, float* C, int M, int N, int K, int strideA,
                                  int strideB, int strideC, float alpha)
{
    __shared__ float Qs[TILE][TILE];
    __shared__ float Ks[TILE][TILE + 1];  // written by columns: padded against bank conflicts

    // The one new idea: blockIdx.z says which product, and moves all three matrices on.
    A += (size_t)blockIdx.z * strideA;
    B += (size_t)blockIdx.z * strideB;
    C += (size_t)blockIdx.z * strideC;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;
    const int b_row = blockIdx.x * TILE + ty;  // the row of B that this thread loads: a column of Bᵀ
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        Qs[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Ks[tx][ty] = b_row < N && k0 + tx < K ? B[b_row * K + k0 + tx] : 0.0f;
        __syncthreads();
        for (int d = 0; d < TILE; ++d) {
            sum += Qs[ty][d] * Ks[d][tx];
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        C[row * N + col] = alpha * sum;
    }
}
