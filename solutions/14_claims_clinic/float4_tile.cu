// Vectorised loads: a thread moves 16 bytes at once, a quarter of the load instructions. Block 16×16, one
// block a tile of C.
// BEGIN MENDED
// Rows are padded by 4 floats, so that each begins at a multiple of 16 bytes. For accesses of 4 bytes down a
// column this leaves bank conflicts; there are none here.
// AS PUBLISHED
// Padding each row by 4 floats always removes the bank conflicts. And each row still begins at a multiple
// of 16 bytes.
// END MENDED
#define TILE 16
#define PAD 4

// Four neighbours of row r, from column c on; 0 where the matrix ends.
__device__ float4 load4(const float* X, int r, int c, int rows, int cols)
{
    if (r < rows && c + 3 < cols && cols % 4 == 0) {
        return *reinterpret_cast<const float4*>(&X[r * cols + c]);
    }
    float4 v;
    v.x = (r < rows && c < cols) ? X[r * cols + c] : 0.0f;
    v.y = (r < rows && c + 1 < cols) ? X[r * cols + c + 1] : 0.0f;
    v.z = (r < rows && c + 2 < cols) ? X[r * cols + c + 2] : 0.0f;
    v.w = (r < rows && c + 3 < cols) ? X[r * cols + c + 3] : 0.0f;
    return v;
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[TILE][TILE + PAD];
    __shared__ __align__(16) float Bs[TILE][TILE + PAD];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    float acc = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        // BEGIN MENDED
        // Four threads fill a row of 16: the others of the row have nothing to load.
        if (tx < TILE / 4) {
            *reinterpret_cast<float4*>(&As[ty][tx * 4]) = load4(A, row, k0 + tx * 4, M, K);
            *reinterpret_cast<float4*>(&Bs[ty][tx * 4]) = load4(B, k0 + ty, blockIdx.x * TILE + tx * 4, K, N);
        }
        // AS PUBLISHED
        *reinterpret_cast<float4*>(&As[ty][tx * 4]) = load4(A, row, k0 + tx * 4, M, K);
        *reinterpret_cast<float4*>(&Bs[ty][tx * 4]) = load4(B, k0 + ty, blockIdx.x * TILE + tx * 4, K, N);
        // END MENDED
        __syncthreads();

        for (int k = 0; k < TILE; ++k) {
            acc += As[ty][k] * Bs[k][tx];
        }
        __syncthreads();
    }

    if (row < M && col < N) {
        C[row * N + col] = acc;
    }
}
