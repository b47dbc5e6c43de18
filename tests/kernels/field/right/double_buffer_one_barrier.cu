// bug: none - two buffers, one barrier a K tile
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,61; 32,32,16; 5,9,3
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][16][16], Bs[2][16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    auto fill = [&](int buffer, int k0) {
        As[buffer][ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[buffer][ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
    };
    fill(0, 0);
    __syncthreads();
    float acc = 0.0f;
    const int tiles = (K + 15) / 16;
    for (int t = 0; t < tiles; ++t) {
        const int now = t & 1;
        if (t + 1 < tiles) fill(now ^ 1, (t + 1) * 16);
        for (int k = 0; k < 16; ++k) acc += As[now][ty][k] * Bs[now][k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
