// bug: none - rows of A are copied sixteen bytes at a time as int4 where they are aligned
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 17,19,32; 17,19,29; 16,16,4
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        if (K % 4 == 0) {
            if (tx < 4) {
                int4 four = make_int4(0, 0, 0, 0);
                if (row < M && k0 + 4 * tx < K) four = *reinterpret_cast<const int4*>(A + row * K + k0 + 4 * tx);
                reinterpret_cast<int4*>(As[ty])[tx] = four;
            }
        } else {
            As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < 16 && k0 + k < K; ++k) acc += col < N ? As[ty][k] * B[(k0 + k) * N + col] : 0.0f;
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
