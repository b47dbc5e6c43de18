// bug: none - four elements travel in a struct through local and shared memory
// expect: ok
// diag: no error finding at any shape
// block: 4,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 17,19,29; 16,16,16
// at_pass: ok
struct alignas(16) Four {
    float value[4];
};

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ Four Bs[16][4];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + 4 * tx;
    Four acc = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
        Four mine;
        for (int j = 0; j < 4; ++j) mine.value[j] = k0 + ty < K && col + j < N ? B[(k0 + ty) * N + col + j] : 0.0f;
        Bs[ty][tx] = mine;
        __syncthreads();
        for (int k = 0; k < 16 && k0 + k < K && row < M; ++k) {
            const Four b = Bs[k][tx];
            const float a = A[row * K + k0 + k];
            for (int j = 0; j < 4; ++j) acc.value[j] += a * b.value[j];
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j)
        if (row < M && col + j < N) C[row * N + col + j] = acc.value[j];
}
