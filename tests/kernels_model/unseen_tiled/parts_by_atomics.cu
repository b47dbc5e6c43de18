// K in four parts along the grid's z, register tiles of four by four, and atomics into C, which the launcher sets to zero.
// launcher: solve
#define SIDE 64
#define BK 16
#define PARTS 4

__global__ void __launch_bounds__(256) part(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[SIDE][BK + 1], Bs[BK][SIDE];
    const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;
    const int depth = ((K + PARTS - 1) / PARTS + BK - 1) / BK * BK, last = min(K, ((int)blockIdx.z + 1) * depth);
    float sums[4][4] = {};
    for (int k0 = blockIdx.z * depth; k0 < last; k0 += BK) {
        for (int i = 0; i < 4; ++i) {
            const int r = y + 16 * i, k = t / SIDE + 4 * i, c = t % SIDE;
            As[r][x] = top + r < M && k0 + x < last ? A[(top + r) * K + k0 + x] : 0.0f;
            Bs[k][c] = k0 + k < last && left + c < N ? B[(k0 + k) * N + left + c] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sums[i][j] += As[y + 16 * i][k] * Bs[k][x + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            if (top + y + 16 * i < M && left + x + 16 * j < N)
                atomicAdd(&C[(top + y + 16 * i) * N + left + x + 16 * j], sums[i][j]);
}

void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    cudaMemset(C, 0, sizeof(float) * M * N);
    part<<<dim3((N + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE, PARTS), 256>>>(A, B, C, M, N, K);
}
