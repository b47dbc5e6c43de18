// run: --launcher solve
// expect: race
// The same class without the barrier that keeps a tile until everybody has read it.
struct Tile {
    float data[16][17];
    __device__ Tile() {}
    __device__ float& operator()(int row, int col) { return data[row][col]; }
};

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ Tile As, Bs;
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As(ty, tx) = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0;
        Bs(ty, tx) = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As(ty, k) * Bs(k, tx);
    }
    if (row < M && col < N) C[row * N + col] = acc;
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
