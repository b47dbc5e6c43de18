// bug: none - float4 loads from shared memory, rows padded by four floats so that they stay aligned
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,64),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,70,29; 16,64,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16 + 4];
    __shared__ __align__(16) float Bs[16][64 + 4];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 64 + 4 * tx;
    float4 acc = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        for (int j = 0; j < 4; ++j)
            Bs[ty][4 * tx + j] = k0 + ty < K && col + j < N ? B[(k0 + ty) * N + col + j] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            const float a = As[ty][k];
            const float4 b = *reinterpret_cast<const float4*>(&Bs[k][4 * tx]);
            acc.x += a * b.x;
            acc.y += a * b.y;
            acc.z += a * b.z;
            acc.w += a * b.w;
        }
        __syncthreads();
    }
    const float out[4] = {acc.x, acc.y, acc.z, acc.w};
    for (int j = 0; j < 4; ++j)
        if (row < M && col + j < N) C[row * N + col + j] = out[j];
}
