// bug: none - the tiles' memory holds the results before they are stored, behind a barrier
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,16,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float pool[2 * 256];
    float *As = pool, *Bs = pool + 256, *Cs = pool;
    const int tx = threadIdx.x, ty = threadIdx.y, id = ty * 16 + tx;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[id] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[id] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[ty * 16 + k] * Bs[k * 16 + tx];
        __syncthreads();
    }
    Cs[tx * 16 + ty] = acc;
    __syncthreads();
    const int r = blockIdx.y * 16 + tx, c = blockIdx.x * 16 + ty;
    if (r < M && c < N) C[r * N + c] = Cs[ty * 16 + tx];
}
