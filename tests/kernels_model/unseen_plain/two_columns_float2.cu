// Two neighbours of a row of C a thread, from float2 of B through the read-only path.
// block: 32,8
// grid: cdiv(N,64),cdiv(M,8)
// multiples: 1,2,1
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int pair = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row >= M || 2 * pair >= N) return;
    const float2* b = reinterpret_cast<const float2*>(B) + pair;
    float left = 0.0f, right = 0.0f;
    for (int k = 0; k < K; ++k) {
        const float a = __ldg(&A[row * K + k]);
        const float2 v = __ldg(&b[k * (N / 2)]);
        left += a * v.x;
        right += a * v.y;
    }
    reinterpret_cast<float2*>(C)[row * (N / 2) + pair] = make_float2(left, right);
}
