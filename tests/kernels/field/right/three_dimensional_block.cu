// bug: none - the third dimension of the block splits each K tile; its parts meet in shared memory
// expect: ok
// diag: no error finding at any shape
// block: 8,8,4
// grid: cdiv(N,8),cdiv(M,8)
// smem: 0
// shape_fail: none
// shape_pass: 9,17,29; 8,8,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[8][16], Bs[16][8], parts[4][8][8];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        if (z < 2) {
            const int k = k0 + z * 8 + x;
            As[y][z * 8 + x] = row < M && k < K ? A[row * K + k] : 0.0f;
        } else {
            const int k = (z - 2) * 8 + y;
            Bs[k][x] = k0 + k < K && col < N ? B[(k0 + k) * N + col] : 0.0f;
        }
        __syncthreads();
        for (int k = z * 4; k < z * 4 + 4; ++k) acc += As[y][k] * Bs[k][x];
        __syncthreads();
    }
    parts[z][y][x] = acc;
    __syncthreads();
    if (z == 0 && row < M && col < N)
        C[row * N + col] = parts[0][y][x] + parts[1][y][x] + parts[2][y][x] + parts[3][y][x];
}
