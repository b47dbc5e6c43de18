// Vectorised loads, second version. Block 16×16, one block a tile of C.
// Two addresses four floats apart share a bank. So the four columns that a thread brings must not lie beside
// each other: B is stored transposed.
#define TILE 16
#define PAD 1

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
    __shared__ float As[TILE][TILE + PAD];
    __shared__ float Bs[TILE][TILE + PAD];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    float acc = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        if (tx < TILE / 4) {
            const float4 a = load4(A, row, k0 + tx * 4, M, K);
            As[ty][tx * 4 + 0] = a.x;
            As[ty][tx * 4 + 1] = a.y;
            As[ty][tx * 4 + 2] = a.z;
            As[ty][tx * 4 + 3] = a.w;
            const float4 b = load4(B, k0 + ty, blockIdx.x * TILE + tx * 4, K, N);
            Bs[tx * 4 + 0][ty] = b.x;
            Bs[tx * 4 + 1][ty] = b.y;
            Bs[tx * 4 + 2][ty] = b.z;
            Bs[tx * 4 + 3][ty] = b.w;
        }
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
