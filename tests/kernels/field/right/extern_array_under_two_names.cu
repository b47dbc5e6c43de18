// bug: none - one function sees dynamic shared memory as words, the other as floats; both mean the same memory, and say so
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 2*16*16*4
// shape_fail: none
// shape_pass: 33,47,29; 16,16,48
// at_pass: ok
__device__ void keep(int at, float value)
{
    extern __shared__ unsigned words[];
    words[at] = __float_as_uint(value);
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    extern __shared__ float floats[];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        keep(16 * ty + tx, row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f);
        keep(256 + 16 * ty + tx, k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f);
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += floats[16 * ty + k] * floats[256 + 16 * k + tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
