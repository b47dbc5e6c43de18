// bug: none - sixteen lanes share a tile row and synchronise with a mask of their own half
// expect: ok
// diag: no error finding at any shape
// block: 16,8
// grid: cdiv(N,16),cdiv(M,8)
// smem: 0
// shape_fail: none
// shape_pass: 9,33,40; 8,16,16; 5,5,5
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float strip[8][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 8 + ty, col = blockIdx.x * 16 + tx;
    const unsigned half = ty % 2 == 0 ? 0x0000ffffu : 0xffff0000u;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        strip[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        __syncwarp(half);
        for (int k = 0; k < 16; ++k) {
            const float b = k0 + k < K && col < N ? B[(k0 + k) * N + col] : 0.0f;
            acc += strip[ty][k] * b;
        }
        __syncwarp(half);
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
