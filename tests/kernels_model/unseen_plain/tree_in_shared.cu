// The 256 threads of a block share the sums of four neighbours in a row, and halve them in shared memory.
// block: 256
// grid: N//4,M
// multiples: 1,4,1
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float4 partial[256];
    const int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x * 4;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k = t; k < K; k += 256) {
        const float a = A[row * K + k];
        const float4 b = *reinterpret_cast<const float4*>(&B[k * N + col]);
        sum.x += a * b.x;
        sum.y += a * b.y;
        sum.z += a * b.z;
        sum.w += a * b.w;
    }
    partial[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) {
            const float4 other = partial[t + half];
            partial[t].x += other.x;
            partial[t].y += other.y;
            partial[t].z += other.z;
            partial[t].w += other.w;
        }
        __syncthreads();
    }
    if (t == 0) *reinterpret_cast<float4*>(&C[row * N + col]) = partial[0];
}
