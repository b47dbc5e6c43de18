// A thread makes four neighbours of a row of C, from float4 of B.
// block: 32,8
// grid: cdiv(N,128),cdiv(M,8)
// multiples: 1,4,1
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = 4 * (blockIdx.x * 32 + threadIdx.x), row = blockIdx.y * 8 + threadIdx.y;
    if (row >= M || col >= N) return;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k = 0; k < K; ++k) {
        const float a = A[row * K + k];
        const float4 b = *reinterpret_cast<const float4*>(&B[k * N + col]);
        sum.x += a * b.x;
        sum.y += a * b.y;
        sum.z += a * b.z;
        sum.w += a * b.w;
    }
    *reinterpret_cast<float4*>(&C[row * N + col]) = sum;
}
