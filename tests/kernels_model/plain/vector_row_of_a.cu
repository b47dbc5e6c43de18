// Four neighbours of A at once along k, four rows of B after each other.
// block: 64,4
// grid: cdiv(N,64),cdiv(M,4)
// multiples: 1,1,4
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int col = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
    if (row >= M || col >= N) return;
    const float4* a = reinterpret_cast<const float4*>(A + (size_t)row * K);
    float sum = 0.0f;
    for (int k4 = 0; k4 < K / 4; ++k4) {
        const float4 v = a[k4];
        const float* b = B + (size_t)4 * k4 * N + col;
        sum += v.x * b[0] + v.y * b[N] + v.z * b[2 * N] + v.w * b[3 * N];
    }
    C[(size_t)row * N + col] = sum;
}
