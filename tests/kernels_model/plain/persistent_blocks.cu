// As many blocks as run at one time on an H200, each of which takes tile after tile of C.
// block: 32,8
// grid: 1056
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int across = (N + 31) / 32, tiles = across * ((M + 7) / 8);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int col = tile % across * 32 + threadIdx.x, row = tile / across * 8 + threadIdx.y;
        if (row >= M || col >= N) continue;
        float sum = 0.0f;
        for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
