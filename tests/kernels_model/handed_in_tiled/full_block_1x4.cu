// 1024 threads on a tile of 32 by 128: four neighbours of a row a thread, by float4 from shared memory.
// block: 32,32
// grid: cdiv(N,128),cdiv(M,32)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float As[32][32];
    __shared__ float4 Bs[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, left = blockIdx.x * 128;
    float4 acc = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k0 = 0; k0 < K; k0 += 32) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        float* b = (float*)Bs[ty];
        for (int j = 0; j < 4; ++j) {
            const int c = left + tx + 32 * j;
            b[tx + 32 * j] = k0 + ty < K && c < N ? B[(k0 + ty) * N + c] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            const float a = As[ty][k];
            const float4 q = Bs[k][tx];
            acc.x += a * q.x;
            acc.y += a * q.y;
            acc.z += a * q.z;
            acc.w += a * q.w;
        }
        __syncthreads();
    }
    if (row >= M) return;
    const float out[4] = {acc.x, acc.y, acc.z, acc.w};
    for (int j = 0; j < 4; ++j)
        if (left + tx * 4 + j < N) C[row * N + left + tx * 4 + j] = out[j];
}
