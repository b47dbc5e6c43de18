// A is read four k at a time as float4 where its rows allow it; two rows a thread, 128 threads in a row.
// block: 128
// grid: cdiv(N,128),cdiv(M,2)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int col = blockIdx.x * 128 + threadIdx.x, row = blockIdx.y * 2, next = min(row + 1, M - 1);
    if (col >= N) return;
    float p = 0.0f, q = 0.0f;
    int k = 0;
    if (K % 4 == 0)
        for (; k < K; k += 4) {
            const float4 a = *reinterpret_cast<const float4*>(A + row * K + k);
            const float4 d = *reinterpret_cast<const float4*>(A + next * K + k);
            const float b0 = B[k * N + col], b1 = B[(k + 1) * N + col], b2 = B[(k + 2) * N + col], b3 = B[(k + 3) * N + col];
            p += a.x * b0 + a.y * b1 + a.z * b2 + a.w * b3;
            q += d.x * b0 + d.y * b1 + d.z * b2 + d.w * b3;
        }
    for (; k < K; ++k) {
        p += A[row * K + k] * B[k * N + col];
        q += A[next * K + k] * B[k * N + col];
    }
    C[row * N + col] = p;
    if (row + 1 < M) C[(row + 1) * N + col] = q;
}
