// float4 from shared memory on both sides; A turned, and its quads moved by an exclusive or. 64 by 64, 16 deep.
// block: 256
// grid: cdiv(N,64),cdiv(M,64)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ __align__(16) float At[16][64], Bs[16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
    float4 acc[4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int i = t; i < 1024; i += 256) {
            const int r = i / 16, k = i % 16, p = i / 64, c = i % 64;
            At[k][(r / 4 ^ k / 2) * 4 + r % 4] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
            Bs[p][c] = k0 + p < K && left + c < N ? B[(k0 + p) * N + left + c] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float4 a = *(const float4*)&At[k][(ty ^ k / 2) * 4], b = *(const float4*)&Bs[k][tx * 4];
            const float v[4] = {a.x, a.y, a.z, a.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                acc[i].x += v[i] * b.x;
                acc[i].y += v[i] * b.y;
                acc[i].z += v[i] * b.z;
                acc[i].w += v[i] * b.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        const int r = top + ty * 4 + i, c = left + tx * 4;
        const float out[4] = {acc[i].x, acc[i].y, acc[i].z, acc[i].w};
        for (int j = 0; j < 4; ++j)
            if (r < M && c + j < N) C[r * N + c + j] = out[j];
    }
}
